"""Which node each rank ran on, where a source states it for all ranks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import field

from iotriage.metrics.core.metric import Absent, Confidence, Outcome, Value, Where
from iotriage.metrics.core.missing_evidence import NODES
from iotriage.metrics.core.selection import LogRows, Selection
from iotriage.metrics.core.selection_cache import cached_per_job
from iotriage.metrics.core.text_statements import (
    ranks_in_darshan_texts,
    sizes_of_benchmarks,
    sizes_of_launches,
    stated_nodes,
)
from iotriage.metrics.tables.records.own_traces import traces_of
from iotriage.metrics.tables.stages import programs_side_by_side, stages_of
from iotriage_parsers.evidence import AggregatorPlacement, DxtTrace
from iotriage_parsers.frozen import frozen

MOST_ON_A_NODE = 256
"""The most ranks on a node where nobody states its cores: two sockets of 128."""


@frozen
class Nodes:
    """`count` nodes in the job's largest step; `of_rank` names the node of each of its ranks, and is empty where only
    their number is stated: then `where`."""

    count: int
    of_rank: Mapping[int, str] = field(default_factory=dict)
    confidence: Confidence = "measured"
    where: tuple[Where, ...] = ()

    @property
    def number(self) -> Value:
        return Value(self.count, self.confidence, self.where)


def nodes_of(s: Selection) -> Nodes | Absent:
    """The nodes of the job; of files that not all of its steps use, of the largest step that does: by name where DXT
    traces or AUTOPERF MPI records name the node of all ranks, else the number that a Darshan log states, else another
    source."""
    job = s.whole
    if not s.logs or len(s.logs) == len(job.logs):
        return _of_job(job)
    return nodes_of_step(job, max(s.logs, key=lambda rows: rows.nprocs or 0))


def nodes_of_step(job: Selection, rows: LogRows) -> Nodes | Absent:
    """The nodes of the log's ranks; the job's where other programs ran beside it."""
    beside = any(rows.source in stage.sources and len(stage.sources) > 1 for stage in stages_of(job))
    return _of_job(job) if beside else nodes_of_log(job, rows)


@cached_per_job
def _of_job(job: Selection) -> Nodes | Absent:
    of_source, seen = _by_name(job)
    beside = _side_by_side(job, of_source)
    most = _most_ranks(job)
    known = [*_named(of_source, most), *(Nodes(n) for n in _stated(job, most))] if beside is None else beside
    if known:
        return max(known, key=lambda nodes: (nodes.count, len(nodes.of_rank)))
    logged = most if beside is None and most else None
    elsewhere = stated_nodes(job.parts, ranks_in_darshan_texts(job.parts) if logged is None else logged)
    if elsewhere is not None:
        return Nodes(elsewhere.value, {}, elsewhere.confidence, elsewhere.where)
    if beside is not None:
        return Absent("programs ran side by side, and no source says whether on the same nodes", (NODES,))
    if seen:
        ranks = "all ranks" if job.nprocs is None else f"{job.nprocs:,} ranks"
        return Absent(
            f"the log names the nodes of {seen:,} of {ranks} only: the others did no I/O that was traced", (NODES,)
        )
    if sizes_of_launches(job.parts):
        return Absent("the statistics of MPI-IO are of launches of several sizes, and do not say which is whose")
    if sizes_of_benchmarks(job.parts):
        return Absent("the runs of the benchmark are of several sizes")
    return Absent("Darshan does not record the number of nodes", (NODES,))


def nodes_of_log(job: Selection, rows: LogRows) -> Nodes | Absent:
    """The nodes of the ranks of one log: the job's where it is the only one, else those that it names or states, and of
    a log of as many ranks as any the number of the job's; other logs number other ranks."""
    if len(job.logs) == 1:
        return _of_job(job)
    named = _by_name(job)[0].get(rows.source)
    if named is not None:
        return named
    if stated := _stated_by(rows):
        return Nodes(max(stated))
    of_job = _of_job(job)
    if isinstance(of_job, Absent) or rows.nprocs is None or rows.nprocs < (job.nprocs or 0):
        return Absent("the log does not name the nodes of all of its ranks", (NODES,))
    return Nodes(of_job.count, {}, "inferred", of_job.where)


ALL_OF_A_NODE = 0.75
"""Share of a node's ranks that must be slow for the node to be the cause."""


def node_of_all(s: Selection, rows: LogRows, slow: Sequence[int], ranks: Sequence[int]) -> Outcome:
    """The node on which all of two or more `slow` ranks of a log are, and of the `ranks` held against one another few
    others."""
    nodes = nodes_of_log(s.whole, rows)
    if isinstance(nodes, Absent) or not nodes.of_rank:
        return Absent("no source names the nodes of all ranks")
    theirs = {nodes.of_rank.get(rank) for rank in slow}
    node = next(iter(theirs), None)
    there = sum(1 for rank in ranks if nodes.of_rank.get(rank) == node)
    alone = len(theirs) == 1 and len(slow) >= max(2.0, ALL_OF_A_NODE * there)
    if node is None or nodes.count < 2 or not alone:
        return Absent("the slow ranks are not those of one node")
    return Value(node, "inferred")


@cached_per_job
def nodes_by_rank(job: Selection) -> Mapping[int, str]:
    """The node of each rank of which a source names it: DXT's calls, AUTOPERF, and the table of aggregators. Only of a
    job of one log, since the steps of a job number their ranks anew."""
    if len(job.logs) > 1:
        return {}
    found = {a.rank: a.node for _, placed in job.of(AggregatorPlacement) for a in placed.aggregators}
    for _, trace in job.of(DxtTrace):
        found.update({rank: host for rank, host in trace.hostnames.items() if host})
    for rows in job.logs:
        found.update(rows.log.hostnames)
    return found


def nodes_of_source(job: Selection, source: int) -> dict[int, str]:
    """The node of each rank that a log or its traces name."""
    found: dict[int, str] = {}
    for rows in job.logs:
        if rows.source == source:
            found.update(rows.log.hostnames)
    for i, trace in job.of(DxtTrace):
        if i == source:
            found.update({rank: host for rank, host in trace.hostnames.items() if host})
    return found


def named_nodes(job: Selection, rows: LogRows) -> Mapping[int, str]:
    """The node of each rank of a log of which it, or another source of a job of one log, names it."""
    return nodes_by_rank(job) if len(job.logs) == 1 else _named_by(rows, traces_of(job, rows))


def _side_by_side(job: Selection, of_source: Mapping[int, Nodes]) -> list[Nodes] | None:
    """Where several programs ran at the same time, the nodes of each such stage: none where one of them does not name
    its nodes, of which the others may have the same. None where there is no such stage."""
    stages = [logs for logs in programs_side_by_side(job) if len(logs) > 1]
    if not stages:
        return None
    if any(rows.source not in of_source for logs in stages for rows in logs):
        return []
    named = ({node for rows in logs for node in of_source[rows.source].of_rank.values()} for logs in stages)
    alone = (of_source[rows.source].count for rows in job.logs if rows.source in of_source)
    return [*(Nodes(len(nodes)) for nodes in named), *(Nodes(n) for n in alone)]


@cached_per_job
def _by_name(s: Selection) -> tuple[Mapping[int, Nodes], int]:
    """The nodes of every source that names them for all ranks, and the most ranks of one that does not."""
    found, seen = dict[int, Nodes](), 0
    traces = s.of(DxtTrace)
    for source in dict.fromkeys((*(rows.source for rows in s.logs), *(i for i, _ in traces))):
        of_rank = nodes_of_source(s, source)
        ranks = [t.job.nprocs for i, t in traces if i == source and t.job is not None]
        ranks += [rows.nprocs for rows in s.logs if rows.source == source]
        nprocs = max((n for n in ranks if n is not None), default=s.nprocs)
        if of_rank and nprocs is not None and len(of_rank) >= nprocs:
            found[source] = Nodes(len(set(of_rank.values())), of_rank)
        seen = max(seen, len(of_rank))
    return found, seen


def _named_by(rows: LogRows, traces: Sequence[DxtTrace]) -> Mapping[int, str]:
    of_traces = {rank: host for trace in traces for rank, host in trace.hostnames.items() if host}
    return {**rows.log.hostnames, **of_traces}


def _most_ranks(job: Selection) -> int:
    """The most ranks of any log; 0 where none states them."""
    return max((rows.nprocs or 0 for rows in job.logs), default=0)


def _named(of_source: Mapping[int, Nodes], most: int) -> list[Nodes]:
    """Without those of smaller steps: the job has as many at least, and may have more."""
    return [nodes for nodes in of_source.values() if len(nodes.of_rank) >= most]


def _stated(job: Selection, most: int) -> list[int]:
    return [n for rows in job.logs if (rows.nprocs or 0) >= most for n in _stated_by(rows)]


def _stated_by(rows: LogRows) -> list[int]:
    of_job, bgq = rows.log.job.nnodes, rows.log.bgq
    of_bgq = [] if bgq is None else [n for n in bgq.count("BGQ_NNODES").tolist() if n > 0]
    return of_bgq if of_job is None else [of_job, *of_bgq]


def nodes_at_least(s: Selection) -> Outcome:
    """The nodes of the job as a source states them, else the fewest that hold its ranks."""
    nodes = nodes_of(s)
    return fewest_nodes(s, s.nprocs) if isinstance(nodes, Absent) else nodes.number


def fewest_nodes(s: Selection, ranks: int | None) -> Outcome:
    """The fewest nodes that hold so many ranks, a lower bound: of as many cores as the site states, else of
    `MOST_ON_A_NODE`. Absent where no source states the ranks."""
    if ranks is None:
        return Absent("no source states the ranks")
    return Value(math.ceil(ranks / (s.site_cores or MOST_ON_A_NODE)), "inferred", bound="lower")


def most_on_a_node(s: Selection) -> int:
    """Ranks that a node holds at most: where the nodes are known, as many as come on each of them."""
    nodes = nodes_of(s)
    if s.nprocs is None or isinstance(nodes, Absent):
        return s.site_cores or MOST_ON_A_NODE
    return math.ceil(s.nprocs / nodes.count)
