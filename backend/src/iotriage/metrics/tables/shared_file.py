"""The shared file that moved most bytes, and how many ranks moved them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from iotriage.metrics.core.derived import derived
from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.selection import LogRows, Selection
from iotriage.metrics.tables.by_file import sums_by_file
from iotriage_parsers.evidence import CounterTable


@dataclass(frozen=True, eq=False)
class SharedFile:
    """The POSIX records of one file that several ranks opened. `moved` in bytes, read and written."""

    rows: LogRows
    records: CounterTable
    record: int
    moved: int


@derived
def largest_shared_file(s: Selection) -> SharedFile | None:
    """The shared file whose POSIX records moved most bytes; of files MPI-IO opened, where there are any."""
    best: SharedFile | None = None
    for rows in s.logs:
        below = rows.posix_below_mpiio
        table = below if below is not None and len(below) else rows.posix
        if table is None or not len(table):
            continue
        known, of_file = table.by_id, sums_by_file(table, "POSIX_BYTES_READ", "POSIX_BYTES_WRITTEN")
        shared = known.records > 1
        shared[known.index[table.ranks < 0]] = True
        largest = int(np.where(shared, of_file, 0).argmax())
        if shared[largest] and of_file[largest] > (0 if best is None else best.moved):
            record = known.ids[largest]
            best = SharedFile(rows, table.rows(table.ids == record), int(record), int(of_file[largest]))
    return best


def effective_ranks(file: SharedFile) -> Outcome:
    """How many ranks moved the file's bytes. Exact from per-rank records; from a reduced record
    B² / (N·V + B²/N), with B the bytes, N the ranks of the job, V the variance of bytes over the ranks."""
    table = file.records
    moved = np.maximum(table.count("POSIX_BYTES_READ"), 0) + np.maximum(table.count("POSIX_BYTES_WRITTEN"), 0)
    if bool((table.ranks >= 0).all()):
        return Value(
            len(np.unique(table.ranks[moved > 0])),
            where=file.rows.where(table, "POSIX_BYTES_WRITTEN", "POSIX_BYTES_READ", record=file.record),
        )
    n = file.rows.nprocs
    if n is None:
        return Absent("the log does not state the number of ranks")
    reduced = table.ranks < 0
    variance = float(table.seconds("POSIX_F_VARIANCE_RANK_BYTES")[reduced][0])
    ranks = ranks_of_variance(int(moved[reduced][0]), variance, n)
    if ranks is None:
        return Absent("POSIX_F_VARIANCE_RANK_BYTES is not available in this record")
    where = file.rows.where(
        table, "POSIX_F_VARIANCE_RANK_BYTES", "POSIX_BYTES_WRITTEN", "POSIX_BYTES_READ", record=file.record
    )
    return Value(ranks, "inferred", where)


def ranks_of_variance(moved: int, variance: float, nprocs: int) -> float | None:
    """B² / (N·V + B²/N): the count of ranks among which `moved` bytes were shared equally, a lower figure where the
    shares are unequal. `variance` in bytes², over all `nprocs` ranks. None where there is no variance or no bytes.
    """
    if not math.isfinite(variance) or variance < 0 or moved <= 0 or nprocs < 1:
        return None
    b = float(moved)
    return b * b / (nprocs * variance + b * b / nprocs)
