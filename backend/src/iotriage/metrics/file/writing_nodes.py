"""Whether the nodes that write one file get into each other's way on its OSTs: a client of Lustre is a node."""

from __future__ import annotations

from math import ceil

import numpy as np

from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.file.striping import stripe_count
from iotriage.metrics.mpiio.aggregators import effective_ranks, largest_shared_file
from iotriage.metrics.tables.counters import joined, no_table
from iotriage.metrics.tables.nodes import nodes_of


@metric(
    "file.writing_nodes",
    "Nodes that wrote to the largest shared file",
    "nodes",
    formula="nodes of the ranks that wrote it, where records name the ranks and a source names their nodes; else the "
    "ranks that moved its bytes over the ranks of a node, rounded up: at least so many",
    needs="a Darshan log with a shared POSIX record, and the number of nodes",
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
    nodes = nodes_of(s.whole)
    if isinstance(nodes, Absent):
        return nodes
    where = joined(nodes.where, file.rows.where(file.records, "POSIX_BYTES_WRITTEN", record=file.record))
    ranks = np.unique(file.records.ranks[written > 0]).tolist()
    if nodes.of_rank and all(rank in nodes.of_rank for rank in ranks):
        return Value(len({nodes.of_rank[rank] for rank in ranks}), where=where)
    if file.rows.nprocs is None:
        return Absent("the log does not state the number of ranks")
    movers = effective_ranks(file)
    if isinstance(movers, Absent) or isinstance(movers.value, str):
        return movers
    of_a_node = ceil(file.rows.nprocs / nodes.count)
    least = min(nodes.count, max(1, ceil(movers.value / of_a_node - 1e-6)))
    return Value(least, "inferred", where, None if least == nodes.count else "lower")


@metric(
    "file.writing_nodes_per_stripe",
    "Nodes that wrote, for each stripe of the file",
    "ratio",
    formula="file.writing_nodes / file.stripe_count",
    needs="a Darshan log with a shared POSIX record, the number of nodes and the striping of the file",
)
def writing_nodes_per_stripe(s: Selection) -> Outcome:
    nodes, stripes = writing_nodes(s), stripe_count(s)
    if isinstance(nodes, Absent):
        return nodes
    if isinstance(stripes, Absent):
        return stripes
    if not isinstance(nodes.value, int) or not isinstance(stripes.value, int) or stripes.value < 1:
        return Absent("the file has no stripes")
    return Value(nodes.value / stripes.value, nodes.confidence, joined(nodes.where, stripes.where), nodes.bound)


@metric(
    "file.ranks_with_own",
    "Ranks that have a file to themselves",
    "ranks",
    formula="distinct ranks of the files that one rank each opened",
    needs="a Darshan log with one record a rank",
)
def ranks_with_own(s: Selection) -> Outcome:
    if not any(len(t) for rows in s.logs for t in rows.highest):
        return no_table(s, "POSIX")
    most = 0
    for rows in s.logs:
        ranks: set[int] = set()
        for table in rows.highest:
            if len(table):
                _, index, records = np.unique(table.ids, return_inverse=True, return_counts=True)
                ranks.update(table.ranks[(records[index] == 1) & (table.ranks >= 0)].tolist())
        most = max(most, len(ranks))
    where = joined(*(rows.where(t, "POSIX_OPENS") for rows, t in s.tables("POSIX")))
    return Value(most, where=where)


@metric(
    "file.read_back_fraction",
    "Bytes that the rank which wrote them may have read again",
    "share",
    formula="Σ min(read, written) / Σ written, over the files that one rank each used",
    needs="a Darshan log with one record a rank",
)
def read_back(s: Selection) -> Outcome:
    written = again = 0
    for _, table in s.tables("POSIX"):
        _, index, records = np.unique(table.ids, return_inverse=True, return_counts=True)
        mine = table.rows((records[index] == 1) & (table.ranks >= 0))
        wrote = np.maximum(mine.count("POSIX_BYTES_WRITTEN"), 0)
        written += int(wrote.sum())
        again += int(np.minimum(wrote, np.maximum(mine.count("POSIX_BYTES_READ"), 0)).sum())
    if not s.tables("POSIX"):
        return no_table(s, "POSIX")
    if not written:
        return Absent("no file that one rank used was written")
    where = joined(*(rows.where(t, "POSIX_BYTES_READ", "POSIX_BYTES_WRITTEN") for rows, t in s.tables("POSIX")))
    return Value(again / written, "inferred", where)
