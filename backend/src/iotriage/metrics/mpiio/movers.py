"""How many ranks move the bytes of collective calls, by whatever source tells them apart."""

from __future__ import annotations

from iotriage.metrics.core.about import About
from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import STATS
from iotriage.metrics.core.outcomes import quotient
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.files.below_mpiio import ranks_below
from iotriage.metrics.tables.files.shared import movers
from iotriage.metrics.tables.nodes import MOST_ON_A_NODE, fewest_nodes


def _by_darshan(s: Selection) -> Value | None:
    found = ranks_below(s)
    if found is None:
        return None
    _, basis, moved = found
    return Value(movers(moved.values()), "inferred" if basis == "heatmap" else "measured")


@metric(
    "mpiio.movers",
    "Ranks that move the bytes of MPI-IO",
    "ranks",
    formula="mpiio.aggregators; else the ranks that share the bytes below MPI-IO, those with little beside the others "
    "left out, by Darshan's records of single ranks, its traces, or its heatmap where these files have nearly all of "
    "its bytes",
    needs="MPICH_MPIIO_STATS, or a Darshan log that tells the ranks apart",
)
def mpiio_movers(s: Selection) -> Outcome:
    printed = outcome(s, "mpiio.aggregators")
    if isinstance(printed, Value):
        return printed
    return _by_darshan(s) or Absent("no source tells the ranks apart that move the bytes", (STATS,))


@metric(
    "mpiio.movers_per_stripe",
    "Ranks that move the bytes of MPI-IO, per stripe",
    "ratio",
    about=About(time=False, seen_below=True),
    formula="mpiio.aggregators_per_stripe; else mpiio.movers / file.stripes_at_once",
    needs="MPICH_MPIIO_STATS, or a Darshan log that tells the ranks apart and the striping of the files",
)
def movers_per_stripe(s: Selection) -> Outcome:
    printed = outcome(s, "mpiio.aggregators_per_stripe")
    if isinstance(printed, Value):
        return printed
    return quotient(outcome(s, "mpiio.movers"), outcome(s, "file.stripes_at_once"), zero="the file has no stripes")


@metric(
    "mpiio.movers_per_node_at_most",
    "Ranks that move the bytes of MPI-IO, per node, at most",
    "ratio",
    about=About(time=False, seen_below=True),
    formula="mpiio.movers / the fewest nodes that hold the ranks, of as many cores as the site states, else of "
    f"{MOST_ON_A_NODE}, where no source states the nodes, nor the aggregators; at most that many a node",
    needs="a Darshan log that tells the ranks apart",
)
def movers_per_node_at_most(s: Selection) -> Outcome:
    if isinstance(outcome(s, "job.nnodes"), Value):
        return Absent("the nodes are known")
    if isinstance(outcome(s, "mpiio.aggregators"), Value):
        return Absent("the library counts the aggregators itself (mpiio.aggregators)")
    return quotient(outcome(s, "mpiio.movers"), fewest_nodes(s, s.nprocs), zero="the number of nodes is 0")


@metric(
    "mpiio.movers_per_node",
    "Ranks that move the bytes of MPI-IO, per node",
    "ratio",
    about=About(time=False, seen_below=True),
    formula="mpiio.movers / job.nnodes",
    needs="MPICH_MPIIO_STATS, or a Darshan log that tells the ranks apart; and the number of nodes",
)
def movers_per_node(s: Selection) -> Outcome:
    return quotient(outcome(s, "mpiio.movers"), outcome(s, "job.nnodes"), zero="the number of nodes is 0")
