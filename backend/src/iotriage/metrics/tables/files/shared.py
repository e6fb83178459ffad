"""The shared file that moved most bytes, and how many ranks moved them."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.core.by_file import summed, sums_by_file
from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.selection import LogRows, Selection, isin, select_rows, unique_inverse
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.tables.counters import is_partial
from iotriage.metrics.tables.rank_times import exact_bytes
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.frozen import frozen_identity


@frozen_identity
class SharedFile:
    """The POSIX records of one file that several ranks opened. `moved` in bytes, read and written."""

    rows: LogRows
    records: CounterTable
    record: int
    moved: int


@cached_per_selection
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
        if table is below and not is_partial(rows, "POSIX"):
            shared |= isin(known.ids, _opened_by_several(rows))
        largest = int(np.where(shared, of_file, 0).argmax())
        if shared[largest] and of_file[largest] > (0 if best is None else best.moved):
            record = known.ids[largest]
            best = SharedFile(rows, select_rows(table, table.ids == record), int(record), int(of_file[largest]))
    return best


def _opened_by_several(rows: LogRows) -> NDArray[np.uint64]:
    """The files that several ranks opened with MPI-IO: only those of them that move bytes may open a file below it."""
    above = rows.mpiio_seen_below
    if above is None or not len(above):
        return np.zeros(0, np.uint64)
    known = above.by_id
    several = known.records > 1
    several[known.index[above.ranks < 0]] = True
    found: NDArray[np.uint64] = known.ids[several]
    return found


def effective_ranks(file: SharedFile) -> Outcome:
    """Among how many ranks the file's bytes were shared: (Σb)² / Σb² of the ranks' bytes. A reduced record has it as
    B² / (N·V + B²/N), with B the bytes, N the ranks of the job, V the variance of bytes over the ranks. A rank that
    read a header beside aggregators that wrote gigabytes is none of them."""
    table = file.records
    moved = exact_bytes(table)
    if bool((table.ranks >= 0).all()):
        who, index = unique_inverse(table.ranks)
        among = participation(summed([moved], index, len(who)).tolist())
        return Value(
            0 if among is None else among,
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


def participation(moved: Iterable[int]) -> float | None:
    """(Σb)² / Σb² of the bytes of ranks: the count of ranks that shared them equally, a lower figure where the shares
    are unequal. A whole number stays one. None where there are no bytes."""
    amounts = list(moved)
    every, squares = sum(amounts), sum(b * b for b in amounts)
    if not squares:
        return None
    whole, rest = divmod(every * every, squares)
    return whole if not rest else every * every / squares


def ranks_beside_the_busiest(everything: float, squares: float, most: float, nprocs: int) -> float:
    """Among how many ranks the bytes were shared, the busiest counted as one however much it moved: 16 of 1,024 that
    write alike are 16, and one with ten times the bytes of 7 others is one of 8. `squares` is Σb², in bytes². Between 1
    and `nprocs`, and that where the figures contradict each other."""
    others, theirs = everything - most, squares - most * most
    if others <= 0:
        return 1.0
    return float(nprocs) if theirs <= 0 else min(float(nprocs), 1.0 + others * others / theirs)


NEARLY_ALL = 0.99
"""Of the bytes: beside a rank that moves so many, those that read a header are none of those that move them."""

EVEN = 0.9
"""Of the ranks that moved any: where so many shared the bytes, all of them did."""


def movers(moved: Iterable[int]) -> float:
    """How many ranks move the bytes, of ranks that are told apart: those that share them evenly enough, however much
    the busiest moved, and not those that moved little beside them. 0 where there are no bytes."""
    amounts = [b for b in moved if b > 0]
    everything, most = sum(amounts), max(amounts, default=0)
    if most >= NEARLY_ALL * everything:
        return min(1, len(amounts))
    among = ranks_beside_the_busiest(everything, sum(b * b for b in amounts), most, len(amounts))
    return len(amounts) if among >= EVEN * len(amounts) else among


def movers_of_variance(moved: int, variance: float, of_slowest: int, nprocs: int) -> float | None:
    """How many ranks move the `moved` bytes of a reduced record, its slowest rank as one of them, however much of the
    bytes that has. `variance` in bytes², over all `nprocs` ranks. None where there is no variance or no bytes."""
    alike = ranks_of_variance(moved, variance, nprocs)
    if alike is None or of_slowest * alike <= moved:
        return alike
    if of_slowest >= NEARLY_ALL * moved:
        return 1.0
    squares = float(moved) * float(moved) / alike
    return ranks_beside_the_busiest(float(moved), squares, float(of_slowest), nprocs)


def ranks_of_variance(moved: int, variance: float, nprocs: int) -> float | None:
    """B² / (N·V + B²/N): the count of ranks among which `moved` bytes were shared equally, a lower figure where the
    shares are unequal. `variance` in bytes², over all `nprocs` ranks. None where there is no variance or no bytes.
    """
    if not math.isfinite(variance) or variance < 0 or moved <= 0 or nprocs < 1:
        return None
    b = float(moved)
    return b * b / (nprocs * variance + b * b / nprocs)
