"""How the bytes of the same files change from MPI-IO to the POSIX calls below: amplification and read-modify-write."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from iotriage.metrics.core.metric import Absent
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.file_pairs import EXCESS, Pair, file_pairs
from iotriage_parsers.evidence import CounterTable

MOST_FILES = 5


@dataclass(frozen=True, slots=True)
class FileGrowth:
    """Bytes that MPI-IO was asked for and that POSIX calls moved, of one file. `unasked_read` are those that POSIX read
    on a file that MPI-IO writes, without or beyond an MPI-IO read: inferred to be read-modify-write."""

    file: str
    asked_written: int
    stored_written: int
    asked_read: int
    stored_read: int
    unasked_read: int


@dataclass(frozen=True, slots=True)
class LayerGrowth:
    """Of all files that both layers have; `files` has those that grow most, `rmw_reported` is the read-modify-write
    bytes of the MPICH_MPIIO_STATS blocks, None without them."""

    asked_written: int
    stored_written: int
    asked_read: int
    stored_read: int
    unasked_read: int
    files_compared: int
    files: tuple[FileGrowth, ...]
    rmw_reported: int | None


def layer_growth(job: Selection) -> LayerGrowth | None:
    """None where no file has both layers, or one of them is recorded in part."""
    pairs = file_pairs(job)
    if isinstance(pairs, Absent):
        return None
    found = [growth for pair in pairs for growth in _of_pair(pair)]
    reported = [b.block.rmw_bytes for b in job.writes if b.block.rmw_bytes is not None]
    grown = [f for f in found if f.unasked_read > 0 or f.stored_written > f.asked_written]
    grown.sort(key=lambda f: (-(f.unasked_read + f.stored_written - f.asked_written), f.file))
    return LayerGrowth(
        sum(f.asked_written for f in found),
        sum(f.stored_written for f in found),
        sum(f.asked_read for f in found),
        sum(f.stored_read for f in found),
        sum(f.unasked_read for f in found),
        len(found),
        tuple(grown[:MOST_FILES]),
        sum(reported) if reported else None,
    )


def _of_pair(pair: Pair) -> list[FileGrowth]:
    rows, above, below = pair
    asked = {way: _by_file(above, f"MPIIO_BYTES_{way}") for way in ("WRITTEN", "READ")}
    stored = {way: _by_file(below, f"POSIX_BYTES_{way}") for way in ("WRITTEN", "READ")}
    found = []
    for record, written in asked["WRITTEN"].items():
        read, fetched = asked["READ"][record], stored["READ"].get(record, 0)
        down = stored["WRITTEN"].get(record, 0)
        rewrites = written > 0 and (read == 0 or down > EXCESS * written)
        unasked = max(0, fetched - read) if rewrites else 0
        found.append(FileGrowth(rows.name_of(record) or f"(record {record})", written, down, read, fetched, unasked))
    return found


def _by_file(table: CounterTable, counter: str) -> dict[int, int]:
    ids, index = np.unique(table.ids, return_inverse=True)
    sums = np.zeros(len(ids), dtype=np.int64)
    np.add.at(sums, index, np.maximum(table.count(counter), 0))
    return dict(zip(ids.tolist(), sums.tolist(), strict=True))
