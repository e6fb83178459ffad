"""Whether the nodes that write one file get into each other's way on its OSTs: a client of Lustre is a node."""

from __future__ import annotations

from math import ceil

from iotriage.metrics.core.about import About
from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.outcomes import joined
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import Selection, unique
from iotriage.metrics.tables.counters import no_table
from iotriage.metrics.tables.files.shared import largest_shared_file
from iotriage.metrics.tables.nodes import nodes_of_log


@metric(
    "file.writing_nodes",
    "Nodes that wrote to the largest shared file",
    "nodes",
    about=About(direction="write"),
    formula="nodes of the ranks that wrote it, where records name the ranks and a source names their nodes; else the "
    "ranks that moved its bytes over the ranks of a node, rounded up: at least so many. Where no source states the "
    "nodes, a node has as many ranks as a job has cores there by the site's profile, at most, and 512 where that is "
    "not known",
    needs="a Darshan log with a shared POSIX record, and the number of nodes or the site's cores, or more than 512 "
    "ranks",
)
def writing_nodes(s: Selection) -> Outcome:
    if not s.tables("POSIX"):
        return no_table(s, "POSIX")
    file = largest_shared_file(s)
    if file is None:
        return Absent("no file was shared by several ranks")
    written = file.records.count("POSIX_BYTES_WRITTEN")
    if not bool((written > 0).any()):
        return Absent("the largest shared file was not written")
    nodes = nodes_of_log(s.whole, file.rows)
    if isinstance(nodes, Absent):
        if s.site_cores is not None:
            return _at_least(s, s.site_cores)
        fewest = _at_least(s, MOST_RANKS)
        return nodes if isinstance(fewest, Absent) or fewest.value == 1 else fewest
    where = joined(nodes.where, file.rows.where(file.records, "POSIX_BYTES_WRITTEN", record=file.record))
    ranks = unique(file.records.ranks[written > 0]).tolist()
    if nodes.of_rank and all(rank in nodes.of_rank for rank in ranks):
        return Value(len({nodes.of_rank[rank] for rank in ranks}), where=where)
    if file.rows.nprocs is None:
        return Absent("the log does not state the number of ranks")
    movers = outcome(s, "mpiio.effective_aggregators")
    if isinstance(movers, Absent) or isinstance(movers.value, str):
        return movers
    of_a_node = ceil(file.rows.nprocs / nodes.count)
    least = min(nodes.count, max(1, ceil(movers.value / of_a_node - 1e-6)))
    return Value(least, "inferred", where, None if least == nodes.count else "lower")


MOST_RANKS = 512
"""Of a node: two processors of 128 cores with two threads each. Where more write and nobody knows the nodes, there are
several."""


def _at_least(s: Selection, of_a_node: int) -> Outcome:
    """The nodes that the ranks which move the bytes fill, with a core each."""
    movers = outcome(s, "mpiio.effective_aggregators")
    if isinstance(movers, Absent) or isinstance(movers.value, str):
        return movers
    return Value(max(1, ceil(movers.value / of_a_node - 1e-6)), "inferred", movers.where, "lower")


@metric(
    "file.writing_nodes_known",
    "Whether it is known how many nodes wrote the largest shared file",
    "word",
    about=About(direction="write"),
    formula="yes where file.writing_nodes is known; no where it is absent, or at least one, which any job has",
    needs="a Darshan log with a shared POSIX record that was written",
)
def writing_nodes_known(s: Selection) -> Outcome:
    file = largest_shared_file(s)
    if file is None or not bool((file.records.count("POSIX_BYTES_WRITTEN") > 0).any()):
        return Absent("no file was written that several ranks share")
    nodes = outcome(s, "file.writing_nodes")
    if isinstance(nodes, Absent) or (nodes.value == 1 and nodes.bound == "lower"):
        return Value("no")
    return Value("yes", where=nodes.where)


@metric(
    "file.writing_nodes_per_stripe",
    "Nodes that wrote, for each stripe of the file",
    "ratio",
    about=About(time=False, direction="write"),
    formula="file.writing_nodes / file.stripe_count",
    needs="a Darshan log with a shared POSIX record, the number of nodes and the striping of the file",
)
def writing_nodes_per_stripe(s: Selection) -> Outcome:
    nodes, stripes = outcome(s, "file.writing_nodes"), outcome(s, "file.stripe_count")
    if isinstance(nodes, Absent):
        return nodes
    if isinstance(stripes, Absent):
        return stripes
    if not isinstance(nodes.value, int) or not isinstance(stripes.value, int) or stripes.value < 1:
        return Absent("the file has no stripes")
    return Value(nodes.value / stripes.value, nodes.confidence, joined(nodes.where, stripes.where), nodes.bound)
