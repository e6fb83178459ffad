"""Records of counters, of any module and version: in bulk, in the shape of the newest version that we know."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from iotriage_parsers.evidence.darshan import NOT_AVAILABLE, CounterTable, Float64s, Int64s, Number, UInt64s
from iotriage_parsers.frozen import frozen, frozen_identity
from iotriage_parsers.readers.darshan_log import apmpi, counters, library_counters
from iotriage_parsers.readers.darshan_log.container import ByteOrder


@frozen_identity
class Rows:
    """Records in the shape of their own version: `ids` (n,), `ranks` (n,), `ints` (n, i), `floats` (n, f). `file_ids`
    (n,) are the records of the files that datasets and variables belong to, 0 where that is not recorded; None for
    modules whose records are files themselves."""

    ids: UInt64s
    ranks: Int64s
    ints: Int64s
    floats: Float64s
    file_ids: UInt64s | None = None

    def where(self, keep: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Rows:
        files = None if self.file_ids is None else self.file_ids[keep]
        return Rows(self.ids[keep], self.ranks[keep], self.ints[keep], self.floats[keep], files)


@frozen
class Shape:
    """One module version: how many int64 and float64 counters a record has, and how it becomes the current one.
    `names_file` says that the id of the file stands before the counters, `tail_bytes` what follows them (the UUIDs of
    DAOS pools and containers), which is not read."""

    ints: int
    floats: int
    to_current: Callable[[Rows], Rows]
    names_file: bool = False
    tail_bytes: int = 0

    @property
    def record_bytes(self) -> int:
        return 16 + 8 * (int(self.names_file) + self.ints + self.floats) + self.tail_bytes


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


def _two_timestamps_of_four(floats: Float64s) -> Float64s:
    """First open and last close to the four of a file: CLOSE_START and OPEN_END were not recorded."""
    found = np.full((len(floats), 4), float(NOT_AVAILABLE))
    found[:, 0], found[:, 3] = floats[:, 0], floats[:, 1]
    return found


def _h5f_2(rows: Rows) -> Rows:
    """FLUSHES, USE_MPIIO and F_META_TIME did not exist."""
    ints = np.full((len(rows.ids), 3), NOT_AVAILABLE, np.int64)
    ints[:, :1] = rows.ints
    floats = np.full((len(rows.ids), 5), float(NOT_AVAILABLE))
    floats[:, :4] = rows.floats
    return Rows(rows.ids, rows.ranks, ints, floats)


def _h5f_1(rows: Rows) -> Rows:
    return _h5f_2(Rows(rows.ids, rows.ranks, rows.ints, _two_timestamps_of_four(rows.floats)))


def _h5d_1(rows: Rows) -> Rows:
    """Version 1 did not record the dataset's file."""
    return Rows(rows.ids, rows.ranks, rows.ints, rows.floats, np.zeros(len(rows.ids), np.uint64))


def _pnetcdf_file_2(rows: Rows) -> Rows:
    """Independent and collective opens became one counter; of the rest only the four timestamps existed."""
    ints = np.full((len(rows.ids), 9), NOT_AVAILABLE, np.int64)
    ints[:, 1] = rows.ints.sum(axis=1)
    floats = np.full((len(rows.ids), 8), float(NOT_AVAILABLE))
    floats[:, 0:2], floats[:, 3:5] = rows.floats[:, 0:2], rows.floats[:, 2:4]
    return Rows(rows.ids, rows.ranks, ints, floats)


def _pnetcdf_file_1(rows: Rows) -> Rows:
    return _pnetcdf_file_2(Rows(rows.ids, rows.ranks, rows.ints, _two_timestamps_of_four(rows.floats)))


def _bgq_1(rows: Rows) -> Rows:
    """Version 1 began with an int (padded to 8 bytes) that was dropped later."""
    return Rows(rows.ids, rows.ranks, rows.ints[:, 1:], rows.floats)


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
    "H5F": {1: Shape(1, 2, _h5f_1), 2: Shape(1, 4, _h5f_2), 3: Shape(3, 5, _current)},
    "H5D": {1: Shape(94, 17, _h5d_1), 2: Shape(94, 17, _current, names_file=True)},
    "PNETCDF_FILE": {
        1: Shape(2, 2, _pnetcdf_file_1),
        2: Shape(2, 4, _pnetcdf_file_2),
        3: Shape(9, 8, _current),
    },
    "PNETCDF_VAR": {1: Shape(120, 17, _current, names_file=True)},
    "DFS": {1: Shape(52, 15, _current, tail_bytes=32)},
    "DAOS": {1: Shape(64, 15, _current, tail_bytes=48)},
    "BG/Q": {1: Shape(12, 1, _bgq_1), 2: Shape(11, 1, _current)},
}
"""Record shapes by module and version (darshan-*-log-format.h of each release)."""

NAMES: Final[Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "POSIX": (counters.POSIX_COUNTERS, counters.POSIX_F_COUNTERS),
    "MPI-IO": (counters.MPIIO_COUNTERS, counters.MPIIO_F_COUNTERS),
    "STDIO": (counters.STDIO_COUNTERS, counters.STDIO_F_COUNTERS),
}
"""The counters of the layers below the I/O libraries; darshan-parser prints these records line by line alike."""

ALL_NAMES: Final[Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    **NAMES,
    "H5F": (library_counters.H5F_COUNTERS, library_counters.H5F_F_COUNTERS),
    "H5D": (library_counters.H5D_COUNTERS, library_counters.H5D_F_COUNTERS),
    "PNETCDF_FILE": (library_counters.PNETCDF_FILE_COUNTERS, library_counters.PNETCDF_FILE_F_COUNTERS),
    "PNETCDF_VAR": (library_counters.PNETCDF_VAR_COUNTERS, library_counters.PNETCDF_VAR_F_COUNTERS),
    "DFS": (library_counters.DFS_COUNTERS, library_counters.DFS_F_COUNTERS),
    "DAOS": (library_counters.DAOS_COUNTERS, library_counters.DAOS_F_COUNTERS),
    "BG/Q": (library_counters.BGQ_COUNTERS, library_counters.BGQ_F_COUNTERS),
    apmpi.MODULE: (apmpi.COUNTERS, apmpi.F_COUNTERS),
}
"""The counters of every module in `SHAPES`, and of AUTOPERF's, whose records stand behind a header."""


def read_rows(data: bytes, shape: Shape, byte_order: ByteOrder) -> Rows:
    """The whole records of `data`, in their own version's shape; a rest shorter than a record is left out.

    The counters are copied column by column: every question about a table goes through some of them, which in records
    are a cache line each.
    """
    mark = "<" if byte_order == "little" else ">"
    layout = np.dtype(
        [
            ("id", f"{mark}u8"),
            ("rank", f"{mark}i8"),
            ("file", f"{mark}u8", (int(shape.names_file),)),
            ("ints", f"{mark}i8", (shape.ints,)),
            ("floats", f"{mark}f8", (shape.floats,)),
            ("tail", np.void, shape.tail_bytes),
        ]
    )
    records = np.frombuffer(data, layout, count=len(data) // layout.itemsize)
    return Rows(
        records["id"].astype(np.uint64),
        records["rank"].astype(np.int64),
        _by_column(records["ints"], np.empty((len(records), shape.ints), np.int64, order="F")),
        _by_column(records["floats"], np.empty((len(records), shape.floats), np.float64, order="F")),
        records["file"][:, 0].astype(np.uint64) if shape.names_file else None,
    )


_AT_A_TIME = 256
"""Records that a processor's cache holds: copied all at once, they would be fetched for each column again."""


def _by_column(values: NDArray[Number], columns: NDArray[Number]) -> NDArray[Number]:
    """`columns`, filled with the `values` of the same shape."""
    for start in range(0, len(values), _AT_A_TIME):
        columns[start : start + _AT_A_TIME] = values[start : start + _AT_A_TIME]
    return columns


def as_table(module: str, rows: Rows, *, partial: bool) -> CounterTable:
    """`rows` in the current shape as evidence; arrays are made read-only."""
    for array in (rows.ids, rows.ranks, rows.ints, rows.floats, rows.file_ids):
        if array is not None:
            array.flags.writeable = False
    int_names, float_names = ALL_NAMES[module]
    return CounterTable(
        module, int_names, float_names, rows.ids, rows.ranks, rows.ints, rows.floats, partial, rows.file_ids
    )
