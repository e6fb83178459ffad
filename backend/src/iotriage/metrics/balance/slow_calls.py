"""Whether the slow ranks make more calls than the others: then it is their own calls that take long, and no server.

Where ranks have no records of their own, the small calls that one of them makes beside the others of all are recognised
by the bytes that it moves beyond the mean.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.balance.slow_ranks import OwnRecords, own_records_of_step, slow_among_own
from iotriage.metrics.balance.slowest_file import slowest_file
from iotriage.metrics.core.about import About
from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.prefix import prefix_of
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import LogRows, Selection, select_rows, unique_inverse
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.tables.calls.single_calls import (
    alone_in_reduced,
    other_calls,
    small_independent,
    small_of_slowest,
)
from iotriage.metrics.tables.calls.size_bins import DIRECTIONS
from iotriage.metrics.tables.calls.stream_calls import telling_calls
from iotriage.metrics.tables.counters import sum_counters
from iotriage.metrics.tables.files.names import file_named
from iotriage.metrics.tables.outliers import ALIKE, first_of_longest, median
from iotriage.metrics.tables.steps import slowest_step
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.frozen import frozen

COUNTED = ("POSIX", "STDIO")
"""Modules whose calls are held against one another; those of MPI-IO become calls of POSIX."""


QUICK_S = 0.05
"""Seconds of a small access in a shared file, from which its number is not what takes the time: a disk takes some
milliseconds, and a lock some more."""


@frozen
class SlowCalls:
    """Reads and writes of the slowest rank, of the median one of those that are not slow, of as many bytes or the
    most, and the record in which the slowest rank makes most of its own."""

    slowest: float
    others: float
    record: int


@cached_per_selection
def slow_calls(s: Selection) -> SlowCalls | Absent:
    s = slowest_step(s)
    own, slow = own_records_of_step(s), slow_among_own(s)
    if isinstance(own, Absent):
        return _beside_mpiio_calls(s) or _beside_larger_calls(s) or own
    if isinstance(slow, Absent):
        return slow
    if slow.all():
        return Absent("all ranks that do I/O are about as slow")
    tables = [t for module in COUNTED if (t := s.logs[0].table(module)) is not None and len(t)]
    if not tables:
        return Absent("the log shows no calls of single ranks", (DARSHAN,))
    ranks = np.concatenate([t.ranks for t in tables])
    records = np.concatenate([t.ids for t in tables])
    calls = np.concatenate([_calls(s.logs[0], t) for t in tables])
    every, place = unique_inverse(ranks)
    first = first_of_longest(own.seconds)
    slowest = int(own.ranks[first])
    of_others = np.bincount(place, calls).astype(np.float64)[np.isin(every, _held_against(own, slow, first))]
    mine = np.flatnonzero(ranks == slowest)
    if not len(mine) or not len(of_others):
        return Absent("the log shows no calls of the slowest rank, or of the others", (DARSHAN,))
    most = int(mine[calls[mine].argmax()])
    return SlowCalls(float(calls[mine].sum()), median(of_others), int(records[most]))


def _held_against(own: OwnRecords, slow: NDArray[np.bool_], slowest: int) -> NDArray[np.int64]:
    """The ranks that are not slow and have as much to move, or the most of these: calls that such a one makes too, in
    less time, are not what takes long."""
    as_much = min(float(own.bytes[slowest]), float(own.bytes[~slow].max()))
    return own.ranks[~slow & (own.bytes >= ALIKE * as_much)]


def _beside_mpiio_calls(s: Selection) -> SlowCalls | None:
    """Of a reduced record: the independent calls of up to 1 KiB, where the slowest rank makes them and no other, beside
    those of the mean rank. None where the bytes over ranks do not show that, or so few would have to take its time that
    it is slow for another reason."""
    found = slowest_file(s)
    if isinstance(found, Absent) or found.table.module != "MPI-IO":
        return None
    file, ranks = select_rows(found.table, found.table.ids == found.record), found.rows.nprocs
    alone = int(sum(small_independent(file, way).sum() for way in DIRECTIONS))
    if ranks is None or len(file) != 1 or int(file.ranks[0]) >= 0 or not alone:
        return None
    if found.apart_s >= QUICK_S * alone or not alone_in_reduced(file, alone, ranks):
        return None
    others = other_calls(file, alone) / ranks
    return SlowCalls(alone + others, others, found.record)


def _beside_larger_calls(s: Selection) -> SlowCalls | None:
    """Of a reduced record of POSIX: the accesses of up to 100 KiB, where the slowest rank makes them and no other,
    beside the larger ones of the mean rank. None where the bytes over ranks do not show that, or the few header writes
    of a rank that is slow for another reason would have to take its time."""
    found = slowest_file(s)
    if isinstance(found, Absent) or found.table.module != "POSIX":
        return None
    file, ranks = select_rows(found.table, found.table.ids == found.record), found.rows.nprocs
    if ranks is None or len(file) != 1 or int(file.ranks[0]) >= 0:
        return None
    alone = small_of_slowest(file, ranks)
    if not alone or found.apart_s >= QUICK_S * alone:
        return None
    larger = max(0.0, sum_counters(file, *(f"POSIX_{way.upper()}S" for way in DIRECTIONS)) - alone)
    return SlowCalls(alone + larger / ranks, larger / ranks, found.record)


def _calls(rows: LogRows, table: CounterTable) -> NDArray[np.float64]:
    if table.module == "STDIO":
        return telling_calls(rows, table)
    names = (f"{prefix_of(table)}_READS", f"{prefix_of(table)}_WRITES")
    return sum((np.maximum(table.count(name), 0) for name in names), np.zeros(len(table)))


@metric(
    "balance.calls",
    "Reads and writes of the slowest rank",
    "calls",
    formula="POSIX_READS + POSIX_WRITES + STDIO_READS + STDIO_WRITES of the slowest of balance.slow_ranks, of a stream "
    "that waits in few of them, as stdio.system_call_time shows, those that pass its buffer; of a file "
    "that all ranks share, its independent MPI-IO calls of up to 1 KiB, where one rank moves as much more than the "
    "mean as these can and no other lies as far from it, and the other calls of the mean rank; or its POSIX "
    "accesses of up to 100 KiB, where one rank moves by as much more as their commonest sizes make and takes less than "
    f"{QUICK_S:g} s longer for each, and the larger accesses of the mean rank",
    needs="a Darshan log with one record a rank, or one that all share with MPI-IO or POSIX calls",
    scopes=["job"],
    of=slow_calls,
)
def calls(found: SlowCalls) -> Outcome:
    return Value(found.slowest, "inferred")


@metric(
    "balance.calls_over_others",
    "Reads and writes of the slowest rank over those of ranks that are not slow",
    "ratio",
    about=About(time=False),
    formula="balance.calls / the median of the same sum over the ranks that do I/O and are not slow and move at "
    f"least {ALIKE:.0%} of the slowest rank's bytes, or of the most that one of these moves; of a file that "
    "all ranks share, over the other MPI-IO calls of the mean rank, or its larger accesses",
    needs="a Darshan log with one record a rank, or one that all share with MPI-IO or POSIX calls",
    scopes=["job"],
    of=slow_calls,
)
def calls_over_others(found: SlowCalls) -> Outcome:
    if not found.others:
        return Absent("the other ranks made no calls")
    return Value(found.slowest / found.others, "inferred")


@metric(
    "balance.calls_file",
    "File in which the slowest rank makes most calls",
    "word",
    formula="the file of the record with most of balance.calls",
    needs="a Darshan log with one record a rank, or one that all share with MPI-IO or POSIX calls",
    scopes=["job"],
)
def calls_file(s: Selection) -> Outcome:
    found = slow_calls(s)
    return found if isinstance(found, Absent) else file_named(slowest_step(s).logs[0], found.record)
