"""HEATMAP records: bytes read and written by one rank at one layer, over bins of the run's time."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

import numpy as np

from iotriage_parsers.evidence import Heatmap, Problem
from iotriage_parsers.evidence.darshan import Int64s
from iotriage_parsers.frozen import frozen_identity
from iotriage_parsers.readers.darshan_log.container import ByteOrder
from iotriage_parsers.readers.darshan_log.values import LARGEST_COUNT, Run, heatmap_refusal

VERSIONS: Final = (1,)
_PREFIX: Final = "heatmap:"
_HEAD_BYTES: Final = 48
_WHERE: Final = "HEATMAP"

_IDS: Final[Mapping[int, str]] = {
    16592106915301738621: "POSIX",
    3668870418325792824: "MPIIO",
    3989511027826779520: "STDIO",
    1597927878319380788: "DFS",
    4131494093108637317: "DAOS",
}
"""Darshan's ids of the names "heatmap:POSIX" and so on, the same in every log; used where the names are lost."""


@frozen_identity
class HeatmapRow:
    """One rank at one layer: `width` seconds a bin, `written` and `read` (bins,) bytes."""

    layer: str
    rank: int
    width: float
    written: Int64s
    read: Int64s


def read_heatmaps(
    data: bytes, byte_order: ByteOrder, names: Mapping[int, str], run: Run
) -> tuple[tuple[Heatmap, ...], int, tuple[Problem, ...]]:
    """The heatmaps by layer, how many records were read, and what was refused."""
    problems: list[Problem] = []
    rows = _rows(data, "<" if byte_order == "little" else ">", names, run, problems)
    return heatmaps_of(rows, problems), len(rows), tuple(problems)


def heatmaps_of(rows: Iterable[HeatmapRow], problems: list[Problem]) -> tuple[Heatmap, ...]:
    """One table a layer, in the order in which the layers first appear."""
    layers: dict[str, list[HeatmapRow]] = {}
    for row in rows:
        layers.setdefault(row.layer, []).append(row)
    return tuple(_heatmap(layer, of_layer, problems) for layer, of_layer in layers.items())


def _rows(data: bytes, mark: str, names: Mapping[int, str], run: Run, problems: list[Problem]) -> list[HeatmapRow]:
    head = struct.Struct(f"{mark}Qqdq")
    rows: list[HeatmapRow] = []
    refused: Counter[str] = Counter()
    position = 0
    while position + _HEAD_BYTES <= len(data):
        record, rank, width, bins = head.unpack_from(data, position)
        first = position + _HEAD_BYTES
        end = first + 16 * bins
        if bins < 0 or end > len(data):
            problems.append(
                _problem(
                    f"the record at byte {position} claims {bins} bins, which do not fit its region of "
                    f"{len(data)} bytes; it and what follows are left out."
                )
            )
            return rows
        cells = np.frombuffer(data, f"{mark}i8", 2 * bins, first).astype(np.int64, copy=False)
        layer = layer_of(record, names)
        said = refusal(layer, rank, width, cells, run)
        if said or layer is None:
            refused[said] += 1
        else:
            rows.append(HeatmapRow(layer, rank, width, cells[:bins], cells[bins:]))
        position = end
    problems += refused_problems(refused)
    if position != len(data):
        problems.append(_problem(f"the last {len(data) - position} bytes of the region are no whole record."))
    return rows


def refused_problems(refused: Counter[str]) -> list[Problem]:
    """What to say of records that `refusal` refused, by its words."""
    return [_problem(f"{count} records {words}; they are left out.") for words, count in refused.items()]


def layer_of(record: int, names: Mapping[int, str]) -> str | None:
    """The layer of a heatmap record: by its name, else by its id; None for one that we do not know."""
    name = names.get(record, "")
    return name.removeprefix(_PREFIX) if name.startswith(_PREFIX) else _IDS.get(record)


def refusal(layer: str | None, rank: int, width: float, cells: Int64s, run: Run) -> str:
    """Why a record cannot be true, or an empty string."""
    if layer is None:
        return "belong to no layer that we know"
    if rank < 0 or (run.nprocs is not None and rank >= run.nprocs):
        return "name a rank that the job cannot have"
    return heatmap_refusal(width, cells, run)


def _heatmap(layer: str, rows: list[HeatmapRow], problems: list[Problem]) -> Heatmap:
    """One table a layer. Darshan 3.4.0 to 3.4.3 could write a bin more or less on some ranks when shared reductions
    were off (darshan-hpc/darshan issue 941): the shorter rows end in empty bins."""
    width = rows[0].width
    same = [row for row in rows if row.width == width]
    if len(same) != len(rows):
        problems.append(
            _problem(f"{len(rows) - len(same)} {layer} records have another bin width than the first and are left out.")
        )
    sums = [float(row.read.sum()) + float(row.written.sum()) for row in same]
    if sum(sums) > LARGEST_COUNT:
        kept = [row for row, moved in zip(same, sums, strict=True) if moved <= LARGEST_COUNT // len(same)]
        problems.append(
            _problem(f"{len(same) - len(kept)} {layer} records hold more bytes than a run can move and are left out.")
        )
        same = kept
    lengths = {len(row.written) for row in same}
    bins = max(lengths)
    if len(lengths) > 1:
        problems.append(
            Problem(
                "note",
                f"HEATMAP: {layer} records differ in their number of bins ({min(lengths)} to {bins}); "
                "shorter ones end in empty bins.",
                where=_WHERE,
            )
        )
    read, written = np.zeros((len(same), bins), np.int64), np.zeros((len(same), bins), np.int64)
    for index, row in enumerate(same):
        read[index, : len(row.read)] = row.read
        written[index, : len(row.written)] = row.written
    ranks = np.array([row.rank for row in same], np.int64)
    order = np.argsort(ranks, kind="stable")
    ranks, read, written = ranks[order], read[order], written[order]
    for array in (ranks, read, written):
        array.flags.writeable = False
    return Heatmap(layer, width, ranks, read, written)


def _problem(message: str) -> Problem:
    return Problem("damaged", f"HEATMAP: {message}", loses_data=True, where=_WHERE)
