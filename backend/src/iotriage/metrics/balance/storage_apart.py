"""Whether the ranks that move a collective file's bytes are of two kinds, quick ones and slow ones, with as much to do.

Where a few are slow, the mean tells (`storage.py`). Where a third or half of them are, because their nodes are, nobody
is far from the mean, and all wait as long.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.balance.storage import NOT_BY_RANK, StorageTime, files_below, worst_file
from iotriage.metrics.core.about import About
from iotriage.metrics.core.families import MetricsOf
from iotriage.metrics.core.listing import first_listed
from iotriage.metrics.core.metric import NO_TIME, Absent, Outcome, Value
from iotriage.metrics.core.outcomes import quotient
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.tables.nodes import Nodes, nodes_of_log
from iotriage.metrics.tables.outliers import FEWEST_OF_A_KIND, NEARLY_ALL, quantile, slow_kind
from iotriage.metrics.tables.stages import over_stages
from iotriage_parsers.frozen import frozen

MOST_SLOW = 0.75
"""Share of them that are slow, up to which the others show how fast it goes."""

NAMED_AT_MOST = 3
"""Nodes whose names are told."""

NEEDS = "a Darshan log with MPI-IO and POSIX records, one a rank"


@frozen
class SlowMovers:
    """The slow `members` of the `movers`. Seconds: `waited_s` for the slowest beyond the others, `least_s` what nearly
    all slow ones take at least, `others_s` what nearly all of the others take at most. `nodes` are those that have slow
    ones only, of `every` node with movers; 0 where the slow ones are not distinguished from the others by their
    nodes."""

    members: tuple[int, ...]
    movers: int
    waited_s: float
    least_s: float
    others_s: float
    nodes: int
    every: int
    names: str | None


@cached_per_selection
def slow_movers(s: Selection) -> SlowMovers | Absent:
    """Of the worst file, with the seconds of all others in which the same ranks are the slow ones."""
    worst, files = worst_file(s), files_below(s)
    if isinstance(worst, Absent):
        return worst
    if isinstance(files, Absent):
        return files
    found = _of_file(s, worst)
    if isinstance(found, Absent):
        return found
    every = ((one.rows, of) for one in files if not isinstance(of := _of_file(s, one), Absent))
    waited = over_stages(s, [(rows, of.waited_s) for rows, of in every if of.members == found.members])
    return replace(found, waited_s=waited)


def _of_file(s: Selection, found: StorageTime) -> SlowMovers | Absent:
    if not found.busy:
        return Absent(NOT_BY_RANK)
    took = np.array(found.busy_s)
    work = [np.array(amounts, np.float64) for amounts in (found.busy_bytes, found.busy_calls)]
    slow = slow_kind(took, work, MOST_SLOW)
    if isinstance(slow, Absent):
        return slow
    least, most = quantile(took[slow], 1 - NEARLY_ALL), quantile(took[~slow], NEARLY_ALL)
    if most < NO_TIME:
        return Absent("the others show no time")
    nodes, every, names = _nodes(s, found, slow)
    members = tuple(rank for rank, is_slow in zip(found.busy, slow.tolist(), strict=True) if is_slow)
    slowest = float(took.max())
    return SlowMovers(
        members=members,
        movers=len(took),
        waited_s=slowest - most,
        least_s=least,
        others_s=most,
        nodes=nodes,
        every=every,
        names=names,
    )


def _nodes(s: Selection, found: StorageTime, slow: NDArray[np.bool_]) -> tuple[int, int, str | None]:
    """The nodes with slow ranks, all with movers, and names of the first, where no node has both kinds and some node
    has several: a slow one alone on its node may have a slow server as well."""
    nodes = nodes_of_log(s.whole, found.rows)
    if isinstance(nodes, Absent):
        return 0, 0, None
    place = [_node_of(nodes, rank, found.rows.nprocs or 1) for rank in found.busy]
    theirs = dict.fromkeys(p for p, is_slow in zip(place, slow.tolist(), strict=True) if is_slow)
    others = {p for p, is_slow in zip(place, slow.tolist(), strict=True) if not is_slow}
    if None in theirs or None in others or others & theirs.keys() or len(theirs) + len(others) == len(place):
        return 0, 0, None
    names = first_listed([name or "" for name in theirs], NAMED_AT_MOST) if nodes.of_rank else None
    return len(theirs), len(theirs) + len(others), names


def _node_of(nodes: Nodes, rank: int, nprocs: int) -> str | None:
    if nodes.of_rank:
        return nodes.of_rank.get(rank)
    return str(rank // -(-nprocs // nodes.count))


_metrics_of_slow_movers = MetricsOf(slow_movers, needs=NEEDS, scopes=["job"])
_metrics_of_slow_movers.value(
    "balance.storage_apart",
    "Time in the storage of the slow ranks that move bytes over that of the others",
    "ratio",
    lambda found: Value(found.least_s / found.others_s, "inferred"),
    about=About(time=True, seen_below=True),
    formula="of the file of balance.storage_time, where its ranks with at least half of the most bytes have as many "
    f"bytes and calls, and {FEWEST_OF_A_KIND} or more of them, but no more than {MOST_SLOW:.0%}, are nearer to the "
    f"slowest than to the quickest: the seconds that {NEARLY_ALL:.0%} of these take at least / what {NEARLY_ALL:.0%} "
    "of the others take at most",
)
_metrics_of_slow_movers.value(
    "balance.storage_apart_ranks",
    "Slow ranks among those that move bytes",
    "ranks",
    lambda found: Value(len(found.members), "inferred"),
    formula="the slow ones of balance.storage_apart",
)
_metrics_of_slow_movers.value(
    "balance.storage_apart_movers",
    "Ranks that move bytes, the slow ones and the others",
    "ranks",
    lambda found: Value(found.movers, "inferred"),
    formula="the ranks held against one another by balance.storage_apart",
)
_metrics_of_slow_movers.value(
    "balance.storage_apart_nodes",
    "Nodes on which all ranks that move bytes are slow",
    "nodes",
    lambda found: (
        Value(found.nodes, "inferred") if found.nodes else Absent("the slow ones are not told apart by their nodes")
    ),
    formula="nodes of balance.storage_apart_ranks, where none has one that is not slow, and some node has several that "
    "move the bytes",
    needs=f"{NEEDS}, and the nodes of the ranks, or their number",
)
_metrics_of_slow_movers.value(
    "balance.storage_apart_of_nodes",
    "Nodes with ranks that move bytes",
    "nodes",
    lambda found: (
        Value(found.every, "inferred") if found.nodes else Absent("the slow ones are not told apart by their nodes")
    ),
    formula="the nodes of which balance.storage_apart_nodes are some",
    needs=f"{NEEDS}, and the nodes of the ranks, or their number",
)
_metrics_of_slow_movers.value(
    "balance.storage_apart_names",
    "Names of the nodes on which all ranks that move bytes are slow",
    "word",
    lambda found: (
        Absent("no source names the nodes of all ranks") if found.names is None else Value(found.names, "inferred")
    ),
    formula=f"the nodes of balance.storage_apart_nodes, up to {NAMED_AT_MOST} of them by name",
    needs=f"{NEEDS}, and the nodes of the ranks",
)
_metrics_of_slow_movers.value(
    "balance.storage_apart_time",
    "Time that all wait for the slow ranks that move bytes",
    "s",
    lambda found: Value(found.waited_s, "inferred"),
    formula=f"seconds of the slowest − what {NEARLY_ALL:.0%} of the ranks that are not of balance.storage_apart_ranks "
    "take at most, in the file of balance.storage_time and all in which the same ranks are slow",
)


@metric(
    "balance.storage_apart_fraction",
    "Share of the I/O time in which all wait for the slow ranks that move bytes",
    "share",
    about=About(time=True, seen_below=True),
    formula="balance.storage_apart_time / job.io_time, at most 1",
    needs=NEEDS,
    scopes=["job"],
)
def storage_apart_fraction(s: Selection) -> Outcome:
    return quotient(
        outcome(s, "balance.storage_apart_time"),
        outcome(s, "job.io_time"),
        zero="the timers show no I/O time",
        confidence="inferred",
        at_most=1.0,
    )
