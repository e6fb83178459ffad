"""Which ranks are slow where some are: how many, and whether they are those of one node."""

from __future__ import annotations

import numpy as np

from iotriage.metrics.core.derived import derived
from iotriage.metrics.core.metric import NO_TIME, Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN, NODES
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import LogRows, Selection, numbered, only_rows
from iotriage.metrics.tables.nodes import nodes_of
from iotriage.metrics.tables.rank_times import rank_times, slowest_rank_time

SLOW = 0.5
"""Of the slowest rank's seconds, from which a rank is as slow."""

LITTLE = 0.05
"""Of the slowest rank's seconds, up to which those of any rank in files that all share change no order."""

ALL_OF_A_NODE = 0.75
"""Share of a node's ranks that are slow from which it is the node."""


@derived
def times_of_ranks(s: Selection) -> dict[int, float] | Absent:
    """Seconds in I/O of each rank that has any, where the records of one log show every rank's own."""
    if len(s.logs) != 1:
        return Absent("ranks are held against one another within one step", (DARSHAN,))
    tables = [t for t in s.logs[0].highest if len(t) and t.module not in s.logs[0].cut]
    if not tables:
        return Absent("the log shows no ranks with I/O", (DARSHAN,))
    shared = slowest_rank_time([only_rows(t, t.ranks < 0) for t in tables])
    of_own = [(t.ranks[t.ranks >= 0], rank_times(t)[t.ranks >= 0]) for t in tables]
    ranks, index = numbered(np.concatenate([ranks for ranks, _ in of_own]))
    took = np.bincount(index, np.concatenate([took for _, took in of_own]), minlength=len(ranks))
    if shared > LITTLE * float(took.max(initial=0.0)) or not _whole(s.logs[0]):
        return Absent("of a file that all ranks share, only the slowest and the fastest are recorded", (DARSHAN,))
    return dict(zip(ranks.tolist(), took.tolist(), strict=True))


def _whole(rows: LogRows) -> bool:
    return not any(t.module in rows.cut for t in rows.highest)


def _slow(s: Selection) -> list[int] | Absent:
    times = times_of_ranks(s)
    if isinstance(times, Absent):
        return times
    most = max(times.values(), default=0.0)
    if most < NO_TIME:
        return Absent("the timers show no time")
    return [rank for rank, took in times.items() if took >= SLOW * most]


@metric(
    "balance.slow_ranks",
    "Ranks about as slow as the slowest",
    "ranks",
    formula=f"ranks with at least {SLOW:.0%} of the slowest rank's seconds in I/O, where every rank has own records",
    needs="a Darshan log with one record a rank",
    scopes=["job"],
)
def slow_ranks(s: Selection) -> Outcome:
    found = _slow(s)
    return found if isinstance(found, Absent) else Value(len(found), "inferred")


@metric(
    "balance.others_time",
    "I/O time of the slowest rank but those that are slow",
    "s",
    formula="the most seconds in I/O of a rank that is not one of balance.slow_ranks",
    needs="a Darshan log with one record a rank",
    scopes=["job"],
)
def others_time(s: Selection) -> Outcome:
    slow, times = _slow(s), times_of_ranks(s)
    if isinstance(slow, Absent) or isinstance(times, Absent):
        return slow if isinstance(slow, Absent) else Absent("the ranks' times are not known", (DARSHAN,))
    are_slow = frozenset(slow)
    others = [took for rank, took in times.items() if rank not in are_slow]
    return Value(max(others), "inferred") if others else Absent("all ranks that do I/O are about as slow")


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
    slow, times, nodes = _slow(s), times_of_ranks(s), nodes_of(s)
    if isinstance(slow, Absent) or isinstance(times, Absent):
        return slow if isinstance(slow, Absent) else Absent("the ranks' times are not known", (DARSHAN,))
    if isinstance(nodes, Absent) or not nodes.of_rank:
        return Absent("no source names the nodes of all ranks", (NODES,))
    theirs = {nodes.of_rank.get(rank) for rank in slow}
    node = next(iter(theirs))
    there = sum(1 for rank in times if nodes.of_rank.get(rank) == node)
    if len(theirs) > 1 or node is None or nodes.count < 2 or len(slow) < max(2.0, ALL_OF_A_NODE * there):
        return Absent("the slow ranks are not those of one node")
    if _in_one_file_of_theirs(s.logs[0], slow):
        return Absent("the slow ranks share a file that no other uses: node and server cannot be told apart")
    return Value(node, "inferred")


MOSTLY = 0.5


def _in_one_file_of_theirs(rows: LogRows, slow: list[int]) -> bool:
    """Whether most of the time of the `slow` ranks passed in one file, and nobody else used it."""
    tables = [t for t in rows.highest if len(t)]
    ids, ranks = np.concatenate([t.ids for t in tables]), np.concatenate([t.ranks for t in tables])
    took, mine = np.concatenate([rank_times(t) for t in tables]), np.isin(ranks, slow)
    records, index = numbered(ids[mine])
    of_file = np.bincount(index, took[mine], minlength=len(records))
    users = set(ranks[ids == records[of_file.argmax()]].tolist())
    return bool(of_file.max() >= MOSTLY * of_file.sum()) and len(users) > 1 and users <= set(slow)
