"""Which ranks are slow where some are: how many, and whether they are those of one node."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.core.about import About
from iotriage.metrics.core.metric import NO_TIME, Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.prefix import prefix_of
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import LogRows, Selection, select_rows, unique_inverse
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.tables.nodes import ALL_OF_A_NODE, node_of_all
from iotriage.metrics.tables.outliers import ALIKE, FEW, NEARLY_ALL, median, quantile, slow_cutoff, slow_outliers
from iotriage.metrics.tables.rank_times import known_seconds, longest_possible_of_a_rank, rank_bytes, rank_times
from iotriage.metrics.tables.steps import slowest_step
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.evidence.darshan import Float64s
from iotriage_parsers.frozen import frozen

AS_SLOW_AS_THE_SLOWEST = 0.75
"""Of the slowest rank's seconds, from which a rank is as slow."""

AS_THE_OTHERS = 0.7
"""Of the seconds that the ranks but the slow ones are taken to need alike, the least that the fastest needs."""

LITTLE = 0.05
"""Of the slowest rank's seconds, up to which those of any rank in files that all share change no order."""


@frozen
class OwnRecords:
    """Of each rank with records of its own, in any order, shape (n,) each: its seconds in I/O and its bytes, at the
    highest layer."""

    ranks: NDArray[np.int64]
    seconds: Float64s
    bytes: Float64s


@cached_per_selection
def own_records_of_step(s: Selection) -> OwnRecords | Absent:
    """Every rank of the slowest step that does I/O, where the records show nearly all of it as the rank's own."""
    s = slowest_step(s)
    own = own_records_beside_shared(s)
    if isinstance(own, Absent):
        return own
    rows = s.logs[0]
    reduced = tuple(select_rows(t, t.ranks < 0) for t in _whole_tables(rows))
    shared = longest_possible_of_a_rank(reduced, rows.nprocs)
    if shared > LITTLE * float(own.seconds.max(initial=0.0)):
        return Absent("of a file that all ranks share, only the slowest and the fastest are recorded", (DARSHAN,))
    return own


@cached_per_selection
def own_records_beside_shared(s: Selection) -> OwnRecords | Absent:
    """What the records of the slowest step show as the ranks' own, whatever all of them do in files that they share."""
    s = slowest_step(s)
    if not s.logs:
        return Absent("no log shows the ranks one by one", (DARSHAN,))
    tables = _whole_tables(s.logs[0])
    if not tables:
        return Absent("the log shows no ranks with I/O", (DARSHAN,))
    of_own = [(t.ranks[mine], rank_times(t)[mine], rank_bytes(t)[mine]) for t in tables for mine in [t.ranks >= 0]]
    ranks, index = unique_inverse(np.concatenate([ranks for ranks, _, _ in of_own]))
    took, moved = (
        np.bincount(index, np.concatenate(of_tables), minlength=len(ranks)).astype(np.float64)
        for of_tables in ([took for _, took, _ in of_own], [moved for _, _, moved in of_own])
    )
    if not _is_complete(s.logs[0]):
        return Absent("of a file that all ranks share, only the slowest and the fastest are recorded", (DARSHAN,))
    return OwnRecords(ranks, took, moved)


def _whole_tables(rows: LogRows) -> list[CounterTable]:
    return [t for t in rows.highest if t.module not in rows.cut]


def _is_complete(rows: LogRows) -> bool:
    return not rows.cut


def slow_among_own(s: Selection) -> NDArray[np.bool_] | Absent:
    """Which of `own_records_of_step` are slow, shape (n,)."""
    own = own_records_of_step(s)
    if isinstance(own, Absent):
        return own
    if own.seconds.max(initial=0.0) < NO_TIME:
        return Absent("the timers show no time")
    least = min(AS_SLOW_AS_THE_SLOWEST * float(own.seconds.max()), _slow_from(own.seconds))
    found: NDArray[np.bool_] = own.seconds >= least
    return found


def _slow_from(took: Float64s) -> float:
    return slow_cutoff(float(took.max()), median(took))


@metric(
    "balance.slow_ranks",
    "Ranks about as slow as the slowest",
    "ranks",
    formula="ranks whose seconds in I/O lie nearer to the slowest rank's than to the median of those that do I/O, or "
    f"are at least {AS_SLOW_AS_THE_SLOWEST:.0%} of them, where every rank has own records",
    needs="a Darshan log with one record a rank",
    scopes=["job"],
    of=slow_among_own,
)
def slow_ranks(found: NDArray[np.bool_]) -> Outcome:
    return Value(int(found.sum()), "inferred")


@metric(
    "balance.others_time",
    "I/O time of the slowest of the ranks that are not slow",
    "s",
    formula="the most seconds in I/O of a rank that is not one of balance.slow_ranks; of a group of files, in these",
    needs="a Darshan log with one record a rank",
)
def others_time(s: Selection) -> Outcome:
    own, slow = own_records_of_step(s), slow_among_own(s)
    if isinstance(own, Absent):
        return own
    if isinstance(slow, Absent):
        return slow
    if slow.all():
        return Absent("all ranks that do I/O are about as slow")
    return Value(float(own.seconds[~slow].max()), "inferred")


ABOUT_AS_MUCH = 0.5
"""Of the busiest rank's bytes, as balance.busy_ranks has it."""


@metric(
    "balance.slowest_pace",
    "Time for a byte of the slowest rank over that of ranks with about as much",
    "ratio",
    about=About(time=True),
    formula="seconds in I/O / bytes of the slowest rank / the median of the same over the other ranks with at least "
    f"{ABOUT_AS_MUCH:.0%} of the busiest's bytes that are none of balance.slow_ranks",
    needs="a Darshan log with one record a rank",
    scopes=["job"],
)
def slowest_pace(s: Selection) -> Outcome:
    own, slow = own_records_of_step(s), slow_among_own(s)
    if isinstance(own, Absent):
        return own
    if isinstance(slow, Absent):
        return slow
    others = ~slow & (own.bytes >= ABOUT_AS_MUCH * float(own.bytes.max(initial=0.0))) & (own.bytes > 0)
    slowest = int(own.seconds.argmax())
    if not others.any() or not own.bytes[slowest]:
        return Absent("no other rank moves about as much, or the slowest moves nothing")
    usual = median(own.seconds[others] / own.bytes[others])
    if usual <= 0:
        return Absent("the timers show no time of the others")
    return Value(float(own.seconds[slowest] / own.bytes[slowest]) / usual, "inferred")


@metric(
    "balance.apart",
    "I/O time of the slow ranks over the longest of the others",
    "ratio",
    about=About(time=True),
    formula=f"of ranks with at least {ALIKE:.0%} of the busiest rank's bytes, those nearer to the slowest than to the "
    f"median: the least of their seconds / what {NEARLY_ALL:.0%} of the others take at most; not where more than "
    f"{FEW:.0%} are slow, or one alone. Of files that all ranks share and moved as much of, and whose slowest rank is "
    "the same, its seconds over those of the others, if these were alike and so many as slow as the slowest that mean "
    "and variance come out, and the fastest is "
    f"no faster than {AS_THE_OTHERS:.0%} of these",
    needs="a Darshan log",
    scopes=["job"],
)
def apart(s: Selection) -> Outcome:
    step = slowest_step(s)
    own = own_records_of_step(step)
    if isinstance(own, Absent):
        return _apart_in_shared(step.logs[0]) if step.logs else own
    took = own.seconds[own.bytes >= ALIKE * own.bytes.max(initial=0.0)]
    if len(took) < 2 or took.max() < NO_TIME:
        return Absent("fewer than two ranks have as much to do")
    slow = slow_outliers(took)
    if slow.sum() < 2:
        return Absent("of the ranks with as much to do, no few are slower than the others")
    others = quantile(took[~slow], NEARLY_ALL)
    if others < NO_TIME:
        return Absent("the others show no time")
    return Value(float(took[slow].min()) / others, "inferred")


EVEN = 0.1
"""Of the mean rank's bytes, up to which their standard deviation leaves all ranks with as much to do."""

MOST_OF_IT = 0.5
"""Of the slowest rank's seconds, from which those in one file decide them."""


def _apart_in_shared(rows: LogRows) -> Outcome:
    nothing = Absent("no file that all ranks share, as much each, has a few ranks that stand apart")
    n, tables = rows.nprocs, [t for t in rows.highest if t.module not in rows.cut]
    found = [one for t in tables for one in _shared_alike(t, n)] if n is not None and n > 1 else []
    if not found:
        return nothing
    one = max(found, key=lambda one: one.slowest_s - one.mean_s)
    slowest, mean = one.slowest_s, one.mean_s
    if slowest < MOST_OF_IT * longest_possible_of_a_rank(tables, n) or slowest - mean < max(NO_TIME, LITTLE * slowest):
        return nothing
    # With a share p of the ranks as slow as the slowest and the others alike, d apart, the mean is p · d above the
    # others, and the variance p · (1 − p) · d².
    below = one.variance_s2 / (slowest - mean)
    others, few = mean - below, below / (slowest - mean + below) <= FEW
    # Of ranks that scatter, one is as far below the mean as the slowest is above it.
    as_said = few and others > NO_TIME and one.fastest_s >= AS_THE_OTHERS * others
    return Value(slowest / others, "inferred") if as_said else nothing


@frozen
class _SharedTimes:
    """Seconds of the slowest, the mean and the fastest rank in some files that all share, and their variance in
    seconds²."""

    slowest_s: float
    mean_s: float
    variance_s2: float
    fastest_s: float


def _shared_alike(table: CounterTable, nprocs: int) -> Iterator[_SharedTimes]:
    """Of files that all ranks share and moved as much of, those with the same slowest rank together. Modules other than
    POSIX, MPI-IO and STDIO count no variance."""
    prefix = prefix_of(table)
    if f"{prefix}_F_VARIANCE_RANK_TIME" not in table.float_names:
        return
    columns = [
        known_seconds(table.seconds(f"{prefix}_F_{name}"))
        for name in ("SLOWEST_RANK_TIME", "VARIANCE_RANK_TIME", "FASTEST_RANK_TIME", "VARIANCE_RANK_BYTES")
    ]
    mean_bytes, mean = rank_bytes(table) / nprocs, rank_times(table) / nprocs
    slowest, of_time, fastest, of_bytes = columns
    alike = (table.ranks < 0) & (mean_bytes > 0) & (of_bytes <= (EVEN * mean_bytes) ** 2)
    # The ranks that are slow in one of these files are taken to be so in the others; not where the slowest has no name.
    who = table.count(f"{prefix}_SLOWEST_RANK")[alike]
    who = np.where(who >= 0, who, -1 - np.arange(len(who)))
    seconds = [column[alike] for column in (slowest, mean, np.sqrt(np.maximum(of_time, 0.0)), fastest)]
    ranks, file_of = unique_inverse(who)
    of_rank = [np.bincount(file_of, column, minlength=len(ranks)).tolist() for column in seconds]
    for longest, usual, deviation, quickest in zip(*of_rank, strict=True):
        yield _SharedTimes(longest, usual, deviation**2, quickest)


@metric(
    "balance.slow_node",
    "Node on which all slow ranks are",
    "word",
    formula="the node of all ranks of balance.slow_ranks, where these are two or more, and "
    f"{ALL_OF_A_NODE:.0%} of those there that do I/O; not where their time passed in one file that only they use",
    needs="a Darshan log with one record a rank, and the nodes of the ranks",
    scopes=["job"],
)
def slow_node(s: Selection) -> Outcome:
    own, are_slow = own_records_of_step(s), slow_among_own(s)
    if isinstance(own, Absent):
        return own
    if isinstance(are_slow, Absent):
        return are_slow
    slow = own.ranks[are_slow].tolist()
    step = slowest_step(s)
    node = node_of_all(s, step.logs[0], slow, own.ranks.tolist())
    if isinstance(node, Value) and in_one_own_file(step.logs[0], slow):
        return Absent("the slow ranks share a file that no other uses: node and server cannot be told apart")
    return node


MOSTLY = 0.5


def in_one_own_file(rows: LogRows, slow: list[int]) -> bool:
    """Whether most of the time of the `slow` ranks passed in one file, and nobody else used it."""
    tables = rows.highest
    ids, ranks = np.concatenate([t.ids for t in tables]), np.concatenate([t.ranks for t in tables])
    took, mine = np.concatenate([rank_times(t) for t in tables]), np.isin(ranks, slow)
    records, index = unique_inverse(ids[mine])
    of_file = np.bincount(index, took[mine], minlength=len(records))
    users = set(ranks[ids == records[of_file.argmax()]].tolist())
    return bool(of_file.max() >= MOSTLY * of_file.sum()) and len(users) > 1 and users <= set(slow)
