"""POSIX, MPI-IO and STDIO records: any version, in bulk, in the shape of the newest version that we know."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from iotriage_parsers.evidence.darshan import NOT_AVAILABLE, CounterTable, Float64s, Int64s, UInt64s
from iotriage_parsers.readers.darshan_log import counters
from iotriage_parsers.readers.darshan_log.container import ByteOrder


@dataclass(frozen=True, eq=False)
class Rows:
    """Records in the shape of their own version: `ids` (n,), `ranks` (n,), `ints` (n, i), `floats` (n, f)."""

    ids: UInt64s
    ranks: Int64s
    ints: Int64s
    floats: Float64s

    def where(self, keep: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Rows:
        return Rows(self.ids[keep], self.ranks[keep], self.ints[keep], self.floats[keep])


@dataclass(frozen=True, slots=True)
class Shape:
    """One module version: how many int64 and float64 counters a record has, and how it becomes the current one."""

    ints: int
    floats: int
    to_current: Callable[[Rows], Rows]

    @property
    def record_bytes(self) -> int:
        return 16 + 8 * (self.ints + self.floats)


def _current(rows: Rows) -> Rows:
    return rows


def _two_more_timestamps(rows: Rows) -> Rows:
    """15 floats to 17: CLOSE_START and OPEN_END were not recorded."""
    floats = np.full((len(rows.ids), 17), float(NOT_AVAILABLE))
    floats[:, :3] = rows.floats[:, :3]
    floats[:, 5:] = rows.floats[:, 3:]
    return Rows(rows.ids, rows.ranks, rows.ints, floats)


def _posix_3(rows: Rows) -> Rows:
    """64 counters to 69: FILENOS, DUPS and RENAME_* did not exist; RENAMED_FROM is a record id, 0 for none."""
    ints = np.full((len(rows.ids), 69), NOT_AVAILABLE, np.int64)
    ints[:, 0] = rows.ints[:, 0]
    ints[:, 3:10] = rows.ints[:, 1:8]
    ints[:, 12] = 0
    ints[:, 13:] = rows.ints[:, 8:]
    return Rows(rows.ids, rows.ranks, ints, rows.floats)


def _posix_2(rows: Rows) -> Rows:
    return _posix_3(_two_more_timestamps(rows))


def _posix_1(rows: Rows) -> Rows:
    """Version 1 counted stdio calls in four POSIX counters; a record that has fopen calls belongs to stdio."""
    posix = rows.where(rows.ints[:, 6] <= 0)
    return _posix_2(Rows(posix.ids, posix.ranks, np.delete(posix.ints, np.s_[6:10], axis=1), posix.floats))


def _stdio_1(rows: Rows) -> Rows:
    ints = np.insert(rows.ints, 1, NOT_AVAILABLE, axis=1)
    return Rows(rows.ids, rows.ranks, ints, rows.floats)


SHAPES: Final[Mapping[str, Mapping[int, Shape]]] = {
    "POSIX": {
        1: Shape(68, 15, _posix_1),
        2: Shape(64, 15, _posix_2),
        3: Shape(64, 17, _posix_3),
        4: Shape(69, 17, _current),
    },
    "MPI-IO": {
        1: Shape(51, 15, _two_more_timestamps),
        2: Shape(51, 15, _two_more_timestamps),
        3: Shape(51, 17, _current),
    },
    "STDIO": {1: Shape(13, 15, _stdio_1), 2: Shape(14, 15, _current)},
}
"""Record shapes by module and version (darshan-*-log-format.h of each release)."""

NAMES: Final[Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "POSIX": (counters.POSIX_COUNTERS, counters.POSIX_F_COUNTERS),
    "MPI-IO": (counters.MPIIO_COUNTERS, counters.MPIIO_F_COUNTERS),
    "STDIO": (counters.STDIO_COUNTERS, counters.STDIO_F_COUNTERS),
}


def read_rows(data: bytes, shape: Shape, byte_order: ByteOrder) -> Rows:
    """The whole records of `data`, in their own version's shape; a rest shorter than a record is left out.

    In the machine's own byte order the arrays are views of `data`: nothing is copied.
    """
    mark = "<" if byte_order == "little" else ">"
    layout = np.dtype(
        [
            ("id", f"{mark}u8"),
            ("rank", f"{mark}i8"),
            ("ints", f"{mark}i8", (shape.ints,)),
            ("floats", f"{mark}f8", (shape.floats,)),
        ]
    )
    records = np.frombuffer(data, layout, count=len(data) // layout.itemsize)
    return Rows(
        records["id"].astype(np.uint64, copy=False),
        records["rank"].astype(np.int64, copy=False),
        records["ints"].astype(np.int64, copy=False),
        records["floats"].astype(np.float64, copy=False),
    )


def as_table(module: str, rows: Rows, *, partial: bool) -> CounterTable:
    """`rows` in the current shape as evidence; arrays are made read-only."""
    for array in (rows.ids, rows.ranks, rows.ints, rows.floats):
        array.flags.writeable = False
    int_names, float_names = NAMES[module]
    return CounterTable(module, int_names, float_names, rows.ids, rows.ranks, rows.ints, rows.floats, partial)
