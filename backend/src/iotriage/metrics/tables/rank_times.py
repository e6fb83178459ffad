"""Seconds of ranks in reads, writes and metadata calls, by the records of a log."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import inf

import numpy as np

from iotriage.metrics.core.metric import Absent
from iotriage.metrics.core.prefix import prefix_of
from iotriage.metrics.core.selection import unique_inverse
from iotriage.metrics.core.table_cache import cached_per_table
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.evidence.darshan import Float64s, Int64s
from iotriage_parsers.evidence.mpiio_stats import Direction

SPARSE = 16
"""Ranks may be so many times as many as records before they are numbered anew to add up by them."""

TOLERANCE = 1.05
"""Runs and their timers end by two clocks; Darshan before 3.4 kept whole seconds, so that one is added besides."""


NO_END = Absent("the log has no usable end time: the program did not finish normally, or its clock was wrong")


def longest_possible(runtime_s: float | None) -> float:
    """Seconds that a rank may have spent in a run: without an end time, any."""
    return inf if runtime_s is None or runtime_s <= 0 else TOLERANCE * runtime_s + 1.0


def not_plausible(spent: float, runtime_s: float | None) -> Absent:
    """Why seconds of one process that are longer than its run, whose end is known, rank nothing."""
    times = spent / (runtime_s or spent)
    return Absent(f"the timers show {times:.3g} times as much I/O in one process as the run lasted: not plausible")


@cached_per_table
def rank_times(table: CounterTable) -> Float64s:
    """Read + write + metadata seconds of each record; what is not available counts as no time. Shape (n,)."""
    reads, writes, metadata = (timer(table, counter) for counter in ("READ_TIME", "WRITE_TIME", "META_TIME"))
    found: Float64s = reads + writes + metadata
    return found


@cached_per_table
def rank_bytes(table: CounterTable) -> Float64s:
    """Bytes read and written of each record; what is not available counts as none. Shape (n,)."""
    found: Float64s = bytes_in(table, "read") + bytes_in(table, "write")
    return found


def exact_bytes(table: CounterTable) -> Int64s:
    """As `rank_bytes`, in whole numbers."""
    read, written = (np.maximum(table.count(f"{prefix_of(table)}_BYTES_{way}"), 0) for way in ("READ", "WRITTEN"))
    found: Int64s = read + written
    return found


def bytes_in(table: CounterTable, way: Direction) -> Float64s:
    """Bytes read, or written, of each record; what is not available counts as none. Shape (n,)."""
    counter = f"{prefix_of(table)}_BYTES_{'READ' if way == 'read' else 'WRITTEN'}"
    found: Float64s = np.maximum(table.count(counter), 0).astype(np.float64)
    return found


@cached_per_table
def timer(table: CounterTable, counter: str) -> Float64s:
    """The timer of each record, "META_TIME" say, 0 where it is not available or not plausible. Shape (n,)."""
    name = f"{prefix_of(table)}_F_{counter}"
    at_once = len(table) <= MANY and _all_timers_recorded(table)
    return _known_columns(table)[name] if at_once else known_seconds(table.seconds(name))


def summed_timers(table: CounterTable) -> Float64s:
    """The seconds that `slowest_rank_time` adds up."""
    prefix, is_shared = prefix_of(table), table.ranks < 0
    own = [table.seconds(f"{prefix}_F_{way}_TIME")[~is_shared] for way in ("READ", "WRITE", "META")]
    return np.concatenate([*own, table.seconds(f"{prefix}_F_SLOWEST_RANK_TIME")[is_shared]])


@cached_per_table
def lacks_timers(table: CounterTable) -> bool:
    """Whether timers that were not plausible have been left out: the time is then at least what the others show."""
    return bool(np.isnan(summed_timers(table)).any())


MOST = 0.5
"""Of the seconds of all records, from which it counts what their records do not say."""


def lacks_slowest_rank(tables: Sequence[CounterTable]) -> bool:
    """Whether reduced records with most of the seconds do not say how long their slowest rank took: that is no 0, and
    nobody knows whether it was longer than the mean."""
    lacking = sum(_seconds_without_slowest(table) for table in tables)
    return lacking > 0 and lacking >= MOST * sum(map(total_time, tables))


@cached_per_table
def _seconds_without_slowest(table: CounterTable) -> float:
    without_time = (table.ranks < 0) & ~np.isfinite(table.seconds(f"{prefix_of(table)}_F_SLOWEST_RANK_TIME"))
    return float(rank_times(table)[without_time].sum()) if without_time.any() else 0.0


@cached_per_table
def total_time(table: CounterTable, counter: str | None = None) -> float:
    """The seconds of all records together: of a timer, or of reads, writes and metadata."""
    return float((rank_times(table) if counter is None else timer(table, counter)).sum())


@cached_per_table
def has_shared(table: CounterTable) -> bool:
    """Whether some record was reduced over all ranks."""
    return bool((table.ranks < 0).any())


MANY = 1_000
"""Records from which it takes longer to look at all timers at once than at those that are asked for."""


@cached_per_table
def _all_timers_recorded(table: CounterTable) -> bool:
    """Whether each record has all its timers: of one that lacks some each is read as what it is."""
    return bool((np.isfinite(table.floats) & (table.floats >= 0)).all())


@cached_per_table
def _known_columns(table: CounterTable) -> Mapping[str, Float64s]:
    """The known seconds of every timer, by its name."""
    return dict(zip(table.float_names, known_seconds(table.floats).T, strict=True))


def known_seconds(column: Float64s) -> Float64s:
    """The times of a column, 0 where they are not available or not plausible."""
    return np.where(np.isfinite(column) & (column > 0), column, 0.0)


def beyond_mean(table: CounterTable, ranks: int) -> Float64s:
    """Seconds of each record's slowest rank beyond the mean of all `ranks`, which share the record; below 0
    where it has none. Shape (n,)."""
    slowest = known_seconds(table.seconds(f"{prefix_of(table)}_F_SLOWEST_RANK_TIME"))
    found: Float64s = slowest - rank_times(table) / ranks
    return found


@cached_per_table
def _slowest(*tables: CounterTable) -> float:
    shared = 0.0
    own = []
    for table in tables:
        if not len(table):
            continue
        if has_shared(table):
            is_shared = table.ranks < 0
            slowest = table.seconds(f"{prefix_of(table)}_F_SLOWEST_RANK_TIME")[is_shared]
            shared += float(slowest[np.isfinite(slowest) & (slowest > 0)].sum())
            own.append((table.ranks[~is_shared], rank_times(table)[~is_shared]))
        else:
            own.append((table.ranks, rank_times(table)))
    return shared + largest_of_a_rank(own)


def largest_of_a_rank(own: Iterable[tuple[Int64s, Float64s]]) -> float:
    """The largest sum of one rank over all records: of each table their ranks, none below 0, and amounts."""
    some = [(ranks, amounts) for ranks, amounts in own if len(ranks)]
    if not some:
        return 0.0
    every = np.concatenate([ranks for ranks, _ in some])
    if int(every.max()) < SPARSE * len(every) + 1024:
        n, places = int(every.max()) + 1, [ranks for ranks, _ in some]
    else:
        ids, index = unique_inverse(every)
        n, places = len(ids), np.split(index, np.cumsum([len(ranks) for ranks, _ in some])[:-1])
    sums = np.zeros(n)
    for at, (_, amounts) in zip(places, some, strict=True):
        sums += np.bincount(at, weights=amounts, minlength=n)
    return float(sums.max())


def slowest_rank_time(tables: Sequence[CounterTable]) -> float:
    """Seconds: F_SLOWEST_RANK_TIME summed over shared records, plus the largest sum of one rank over its own."""
    return _slowest(*tables) if tables else 0.0


def slowest_rank_time_of(table: CounterTable, way: Direction, ranks: int | None) -> float:
    """Seconds of the rank that is the slowest in one direction, metadata split by what each record's calls move; no
    more than one rank can have spent in all."""
    reads, writes = timer(table, "READ_TIME"), timer(table, "WRITE_TIME")
    both = reads + writes
    part = np.divide(reads if way == "read" else writes, both, out=np.zeros(len(table)), where=both > 0)
    mine = table.ranks < 0
    shared = float((timer(table, "SLOWEST_RANK_TIME")[mine] * part[mine]).sum())
    own = largest_of_a_rank([(table.ranks[~mine], (rank_times(table) * part)[~mine])])
    return min(shared + own, longest_possible_of_a_rank((table,), ranks))


ROUNDED = 1e-6
"""Of the squares of seconds, by which sums of floating-point numbers differ."""


def longest_possible_of_a_rank(tables: Sequence[CounterTable], ranks: int | None) -> float:
    """Seconds that one rank can have spent at most: of files of which it is the slowest what their records say, of
    other shared ones what the variance over `ranks` leaves, and what its own records have. Never more than
    `slowest_rank_time`, which adds up the slowest ranks of all files, whoever they are."""
    some = [table for table in tables if len(table)]
    return _longest_possible(some[0], ranks, *some[1:]) if some else 0.0


@cached_per_table
def _longest_possible(table: CounterTable, ranks: int | None, *others: CounterTable) -> float:
    tables = (table, *others)
    shared = [_shared_bounds(t, ranks) for t in tables if has_shared(t)]
    if not shared:
        return slowest_rank_time(tables)
    named = [(slowest[slowest >= 0], beyond[slowest >= 0]) for slowest, _, beyond in shared]
    unnamed = sum(float(beyond[slowest < 0].sum()) for slowest, _, beyond in shared)
    own = [(t.ranks[mine := t.ranks >= 0], rank_times(t)[mine]) for t in tables]
    of_others = sum(float(seconds.sum()) for _, seconds, _ in shared)
    return min(slowest_rank_time(tables), of_others + unnamed + largest_of_a_rank([*named, *own]))


@cached_per_table
def _shared_bounds(table: CounterTable, ranks: int | None) -> tuple[Int64s, Float64s, Float64s]:
    """Of each reduced record its slowest rank (below 0 where no record says), the seconds that any other rank can have
    spent at most, and those that the slowest spent beyond these. The others have the rest of the sum and of the squares
    of the distances from the mean: none is farther above their mean than if all but it were alike. Squares that the
    slowest rank alone exceeds, or that no record has, are not believed: another can then have taken as long."""
    prefix, mine = prefix_of(table), table.ranks < 0
    slowest = timer(table, "SLOWEST_RANK_TIME")[mine]
    number, variance = f"{prefix}_SLOWEST_RANK", f"{prefix}_F_VARIANCE_RANK_TIME"
    if not ranks or ranks < 2 or number not in table.int_names or variance not in table.float_names:
        return np.full(len(slowest), -1), slowest, np.zeros(len(slowest))
    mean = rank_times(table)[mine] / ranks
    squares, above, n = ranks * known_seconds(table.seconds_as_recorded(variance))[mine], slowest - mean, ranks - 1
    left = squares - above**2 - above**2 / n
    believed = left >= -ROUNDED * squares
    others = mean - above / n + np.sqrt((n - 1) / n * np.maximum(0.0, left))
    others = np.where(believed, np.minimum(slowest, others), slowest)
    return table.as_recorded(number)[mine], others, slowest - others
