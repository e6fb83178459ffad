"""On how many nodes the ranks are that move the bytes, and what share the busiest has: a node has one network link, and
is one client of the storage.

Where a library gathers, the ranks that write are those it or the program chose, and all of them, or most, may lie on
one node. Who waits for all of them waits for that one, however many others have a few.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Literal

import numpy as np

from iotriage.metrics.core.about import About
from iotriage.metrics.core.families import MetricsOf
from iotriage.metrics.core.metric import Absent, Confidence, Outcome, Value, Where
from iotriage.metrics.core.missing_evidence import DARSHAN, PLACEMENT
from iotriage.metrics.core.outcomes import quotient
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import LogRows, Selection, of_files, select_rows
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.tables.files.below_mpiio import moved_by_rank
from iotriage.metrics.tables.files.shared import movers
from iotriage.metrics.tables.mounts import OF_ONE_NODE
from iotriage.metrics.tables.nodes import Nodes, nodes_of_log, nodes_of_step
from iotriage.metrics.tables.rank_spread import bytes_of_log
from iotriage.metrics.tables.rank_times import rank_bytes
from iotriage.metrics.tables.stages import logs_by_stage
from iotriage.metrics.tables.steps import main_step, steps_of
from iotriage.metrics.tables.texts.aggregator_placement import placement_table
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.frozen import frozen

PART = 0.1
"""Of the bytes of the busiest node, from which a node moves a part: one that writes a log moves none."""
NEEDS = "a Darshan log that tells the ranks apart, or the placement table; and the nodes of the ranks"
SEVERAL = 2
_COLLECTIVE = tuple(f"MPIIO_{kind}_{way}S" for kind in ("COLL", "SPLIT") for way in ("READ", "WRITE"))
Chosen = Literal["library", "program"]


@frozen
class MovingNodes:
    """The bytes are moved on so many `nodes`, of which the busiest has the `fraction` of all and `ranks` that move it;
    `alike` are as many as would move what these nodes do if each moved as much as that one. `counted` where that is by
    its aggregators, of which each is taken to move as much. `chosen` says by whom: where other ranks make the same
    collective calls, the library has these move the bytes for all. `last`: they are the last ranks of all, beside one
    another. Of their step `of_nodes` are all nodes, and `of_ranks` all ranks, None where no source states them."""

    nodes: int
    ranks: float
    fraction: float
    alike: float
    chosen: Chosen
    confidence: Confidence
    of_nodes: Outcome
    of_ranks: int | None
    where: tuple[Where, ...] = ()
    last: bool = False
    counted: bool = False


@cached_per_selection
def moving_nodes(s: Selection) -> MovingNodes | Absent:
    """Of steps that followed one another that of most nodes, among those that move a part of the bytes."""
    steps = steps_of(s)
    if len(steps) < 2 or any(len(logs) > 1 for _, logs in logs_by_stage(s)):
        return _of_step(s, s.whole)
    moved = [bytes_of_log(step.logs[0]) for step in steps]
    found = [_of_step(step, s.whole) for step, amount in zip(steps, moved, strict=True) if amount >= PART * max(moved)]
    known = [one for one in found if isinstance(one, MovingNodes)]
    return max(known, key=lambda one: one.nodes) if len(known) == len(found) else _of_step(s, s.whole)


def _of_step(s: Selection, job: Selection) -> MovingNodes | Absent:
    rows = main_step(s)
    if rows is None or rows.owners is not None:
        return _of_placement(s) or Absent("there is no single log whose ranks are those of the nodes", (DARSHAN,))
    mount = outcome(s, "file.mount_type")
    if isinstance(mount, Value) and mount.value in OF_ONE_NODE:
        return Absent("the files are on the disk or in the memory of their node")
    nodes = nodes_of_log(job, rows)
    if isinstance(nodes, Absent):
        return _of_placement(s) or nodes
    moved = _bytes_of_ranks(s, rows)
    if moved is None or rows.nprocs is None:
        return _of_placement(s) or Absent("no source tells apart the ranks that move the bytes", (PLACEMENT,))
    every = nodes_of_step(job, rows)
    return _of_ranks(rows, moved, rows.nprocs, nodes, every if isinstance(every, Absent) else every.number)


def _of_ranks(
    rows: LogRows, moved: Mapping[int, int], nprocs: int, nodes: Nodes, every: Outcome
) -> MovingNodes | Absent:
    named = all(rank in nodes.of_rank for rank in moved)
    of_node: dict[str, list[int]] = {}
    for rank, amount in moved.items():
        of_node.setdefault(nodes.of_rank[rank] if named else str(rank * nodes.count // nprocs), []).append(amount)
    busiest = max(of_node.values(), key=sum, default=[])
    if not sum(busiest):
        return Absent("no bytes were moved")
    moving = [sum(amounts) for amounts in of_node.values() if sum(amounts) >= PART * sum(busiest)]
    return MovingNodes(
        nodes=len(moving),
        # One with most of the bytes is what is waited for, on whatever node.
        ranks=1.0 if max(busiest) > sum(busiest) / 2 else movers(busiest),
        fraction=sum(busiest) / sum(moved.values()),
        alike=sum(moving) / sum(busiest),
        chosen="library" if _who_hand_over(rows, nprocs) > len(moved) else "program",
        confidence="measured" if named else "inferred",
        of_nodes=every,
        of_ranks=nprocs,
        where=nodes.where,
        last=_are_last(moved, nprocs),
    )


def _moving(moved: Mapping[int, int]) -> list[int]:
    """The ranks that move a part."""
    most = max(moved.values(), default=0)
    return [rank for rank, amount in moved.items() if amount >= PART * most]


def _are_last(moved: Mapping[int, int], nprocs: int) -> bool:
    moving = _moving(moved)
    return max(moving) == nprocs - 1 and nprocs > len(moving) == nprocs - min(moving)


def _bytes_of_ranks(s: Selection, rows: LogRows) -> Mapping[int, int] | None:
    """Of the calls to the storage, by rank; None where no source tells the ranks apart."""
    found: dict[int, int] = {}
    if rows.posix is not None and rank_bytes(rows.posix).any():
        of_posix = next((moved for _, moved in moved_by_rank(s, rows, rows.posix) if moved), None)
        if of_posix is None:
            return None
        found.update(of_posix)
    for table in _others(rows):
        amounts = rank_bytes(table)
        if table.module == "MPI-IO" and amounts.any():
            return None
        if bool((amounts[table.ranks < 0] > 0).any()):
            return None
        for rank, amount in zip(table.ranks.tolist(), amounts.tolist(), strict=True):
            if amount > 0:
                found[rank] = found.get(rank, 0) + int(amount)
    return found


def _others(rows: LogRows) -> Iterable[CounterTable]:
    """The records of bytes that POSIX has not: of streams, of DAOS, and of MPI-IO what no record below it has."""
    for table in rows.highest:
        if table.module in ("STDIO", "DFS", "DAOS"):
            yield table
        elif table.module == "MPI-IO":
            seen = np.zeros(0, np.uint64) if rows.posix is None else rows.posix.ids
            yield select_rows(table, ~of_files(table, seen))


def _who_hand_over(rows: LogRows, nprocs: int) -> int:
    """Ranks that read or write with collective calls: in all others a rank moves its own bytes."""
    table = rows.mpiio_leading
    if table is None or not len(table):
        return 0
    collective = np.any([table.count(name) > 0 for name in _COLLECTIVE], axis=0)
    ranks = table.ranks[collective & (rank_bytes(table) > 0)]
    return nprocs if bool((ranks < 0).any()) else len(set(ranks.tolist()))


def _of_placement(s: Selection) -> MovingNodes | None:
    """By the table that Cray MPICH prints of a file that is accessed with collective calls."""
    shared, table = outcome(s, "io.pattern"), placement_table(s)
    if isinstance(shared, Absent) or shared.value != "shared-collective" or table is None:
        return None
    on_nodes = Counter({a.rank: a.node for a in table[1].aggregators}.values())
    most = max(on_nodes.values())
    moving = [ranks for ranks in on_nodes.values() if ranks >= PART * most]
    return MovingNodes(
        nodes=len(moving),
        ranks=float(most),
        fraction=most / on_nodes.total(),
        alike=sum(moving) / most,
        chosen="library",
        confidence="measured",
        of_nodes=outcome(s, "job.nnodes"),
        of_ranks=s.nprocs,
        where=(Where(table[0], table[1].lines),),
        counted=True,
    )


_metrics_of_moving_nodes = MetricsOf(moving_nodes, needs=NEEDS)
_metrics_of_moving_nodes.value(
    "balance.moving_nodes",
    "Nodes that move the bytes",
    "nodes",
    lambda found: Value(found.nodes, found.confidence, found.where),
    formula="nodes of the ranks that read and write in the calls to the storage, by Darshan's records of single ranks, "
    f"a trace or the heatmap; without those with less than {PART:.0%} of the bytes of the busiest. Where the nodes "
    "are only counted, ranks fill one after the other (inferred). Of steps the most that one has. Else those of the "
    "placement table, of files with collective calls, by their aggregators instead of bytes",
)
_metrics_of_moving_nodes.value(
    "balance.busiest_node_fraction",
    "Share of the bytes that the busiest node moves",
    "share",
    lambda found: Value(found.fraction, _confidence(found), found.where),
    about=About(time=False),
    formula="bytes of its ranks in the calls to the storage / of all; by the placement table its aggregators / all, as "
    "each is taken to move as much (inferred)",
)


def _for_each_alike(s: Selection, metric: str) -> Outcome:
    """Over their number and not by the part of one: a count over another is exact where it is whole."""
    return _for_each_node(s, metric, lambda found: found.alike)


def _for_each_node(s: Selection, metric: str, number: Callable[[MovingNodes], float]) -> Outcome:
    found = moving_nodes(s)
    bottom = found if isinstance(found, Absent) else Value(number(found), _confidence(found), found.where)
    return quotient(outcome(s, metric), bottom, zero="no node moves bytes")


def _confidence(found: MovingNodes) -> Confidence:
    """What each moves is not counted where its aggregators are."""
    return "inferred" if found.counted else found.confidence


_metrics_of_moving_nodes.value(
    "balance.ranks_per_moving_node",
    "Ranks that move the bytes on the busiest node",
    "ranks",
    lambda found: Value(found.ranks, found.confidence, found.where),
    formula="ranks of the busiest node that share its bytes in the calls to the storage, those with little beside the "
    "others left out, and 1 where one moves more than half; its ranks in the placement table",
)


@metric(
    "balance.moving_ranks_apart",
    "Distance between the ranks that move the bytes",
    "ranks",
    formula="(the last of the ranks that read and write in the calls to the storage − the first) / (their number − 1), "
    f"without those with less than {PART:.0%} of the bytes of the busiest: 1 where they lie beside one another",
    needs="a Darshan log that tells the ranks apart",
    scopes=["job"],
)
def moving_ranks_apart(s: Selection) -> Outcome:
    rows = main_step(s)
    moved = None if rows is None or rows.owners is not None else _bytes_of_ranks(s, rows)
    if moved is None:
        return Absent("no source tells apart the ranks that move the bytes", (DARSHAN,))
    moving = _moving(moved)
    if len(moving) < SEVERAL:
        return Absent("fewer than two ranks move the bytes")
    return Value((max(moving) - min(moving)) / (len(moving) - 1))


_metrics_of_moving_nodes.value(
    "balance.moving_step_nodes",
    "Nodes of the step whose ranks move the bytes",
    "nodes",
    lambda found: found.of_nodes,
    formula="nodes of the ranks of the log of balance.moving_nodes, but all of the job's where other programs ran "
    "beside it; else job.nnodes",
)
_metrics_of_moving_nodes.value(
    "balance.moving_step_ranks",
    "Ranks of the step whose ranks move the bytes",
    "ranks",
    lambda found: Absent("no source states the ranks") if found.of_ranks is None else Value(found.of_ranks),
    formula="nprocs of the log of balance.moving_nodes; else job.nprocs",
)


@metric(
    "balance.nodes_per_moving_node",
    "Nodes for each as busy as the busiest",
    "ratio",
    about=About(time=False),
    formula="balance.moving_step_nodes × bytes of the busiest node / those of the nodes of balance.moving_nodes",
    needs=NEEDS,
)
def nodes_per_moving_node(s: Selection) -> Outcome:
    return _for_each_alike(s, "balance.moving_step_nodes")


@metric(
    "balance.moving_node_rate",
    "Rate of the node that moves most",
    "B/s",
    formula="io.bandwidth × balance.busiest_node_fraction",
    needs=NEEDS,
)
def moving_node_rate(s: Selection) -> Outcome:
    return _for_each_node(s, "io.bandwidth", lambda found: 1 / found.fraction)


@metric(
    "balance.stripes_per_moving_node",
    "Stripes in use at once, for each node as busy as the busiest",
    "ratio",
    about=About(time=False),
    formula="file.stripes_at_once × bytes of the busiest node / those of the nodes of balance.moving_nodes",
    needs=f"{NEEDS}, and the striping of the files",
)
def stripes_per_moving_node(s: Selection) -> Outcome:
    return _for_each_alike(s, "file.stripes_at_once")


_metrics_of_moving_nodes.value(
    "balance.moved_by",
    "Who chose the ranks that move the bytes",
    "word",
    lambda found: Value(found.chosen, "inferred", found.where),
    formula='"library" where more ranks read and write with collective calls than in the calls to the storage, or the '
    'placement table names them; else "program"',
)
_metrics_of_moving_nodes.value(
    "balance.moving_nodes_told_by",
    "What tells how much each node moves",
    "word",
    lambda found: Value("aggregators" if found.counted else "bytes", "measured", found.where),
    formula='"aggregators" where the nodes are those of the placement table; else "bytes"',
)
_metrics_of_moving_nodes.value(
    "balance.movers_last",
    "Whether the ranks that move the bytes are the last ones",
    "word",
    lambda found: Value("yes" if found.last and found.chosen == "program" else "no", "inferred", found.where),
    formula='"yes" where the program chose them, they lie beside one another, and no rank comes after them; those with '
    f'less than {PART:.0%} of the bytes of the busiest left out; else "no"',
)
