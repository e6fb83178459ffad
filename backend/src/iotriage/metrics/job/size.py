"""The ranks and the nodes of the job."""

from __future__ import annotations

from iotriage.metrics.core.listing import listed
from iotriage.metrics.core.metric import Absent, Outcome, Value, Where
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.core.text_statements import ranks_in_darshan_texts, sizes_of_benchmarks, sizes_of_launches
from iotriage.metrics.tables.nodes import Nodes, nodes_of
from iotriage_parsers.evidence import Lines


@metric(
    "job.ranks_told",
    "Whether any source states the ranks",
    "word",
    formula='"yes" where job.nprocs is known, else "no"',
    needs="nothing: without a source that states them it is no",
    scopes=["job"],
)
def ranks_told(s: Selection) -> Outcome:
    return Value("no" if s.nprocs is None else "yes")


@metric(
    "job.nprocs",
    "Ranks",
    "ranks",
    formula="nprocs of the job record, of several logs the most, or those of programs that ran at the same time and "
    "show I/O; else the larger of `ranks in communicator` of the STATS blocks and the ranks of CrayPAT, a benchmark "
    "(where all its runs have as many) or sacct; else those of the job script, or of the largest communicator of the "
    "TIMERS blocks (inferred). Communicators of one rank each say nothing of the job where there are several files. Of "
    "files that not all steps use, of the logs of those that do",
    needs="a Darshan log, or another source that states the ranks",
)
def nprocs(s: Selection) -> Outcome:
    if s.scope == "group" and not s.logs:
        return outcome(s.whole, "job.nprocs")
    if s.nprocs is None:
        sizes = sizes_of_launches(s.whole.parts)
        if sizes:
            of = listed([f"{n:,}" for n in sizes])
            return Absent(f"the statistics of MPI-IO are of launches of {of} ranks, and do not say which is whose")
        if runs := sizes_of_benchmarks(s.whole.parts):
            return Absent(f"the runs of the benchmark have {listed([f'{n:,}' for n in runs])} ranks")
        return Absent("no source states the number of ranks", (DARSHAN,))
    if any(rows.nprocs is not None for rows in s.logs) or ranks_in_darshan_texts(s.parts) is not None:
        return Value(s.nprocs)
    where = tuple(
        w
        for block in s.stats
        if block.block.ranks_in_communicator == s.nprocs
        for w in _line(block.source, block.block.line_of("ranks in communicator"))
    )
    if where or s.stated_ranks is None:
        return Value(s.nprocs, where=where[:1])
    return Value(s.nprocs, s.stated_ranks.confidence, s.stated_ranks.where)


@metric(
    "job.nnodes",
    "Nodes",
    "nodes",
    formula="distinct nodes of the ranks, where a source names the node of every rank (DXT traces, AUTOPERF MPI "
    "records); else as stated by Darshan, CrayPAT, a benchmark, sacct or scontrol, or (inferred) the job script, "
    "unless that starts another number of ranks than Darshan has. Of programs that ran side by side those of all, by "
    "name; of several steps, and of files that not all of them use, those of the largest. Darshan's other modules do "
    "not record it",
    needs="a Darshan log with DXT traces of all ranks, AUTOPERF MPI or Blue Gene/Q records, or a source that states it",
    of=nodes_of,
)
def nnodes(nodes: Nodes) -> Outcome:
    return nodes.number


@metric(
    "job.one_node",
    "Whether the job ran on one node",
    "word",
    formula='"yes" where job.nnodes is 1, "no" where it is more, "unknown" where no source says',
    needs="nothing: without a source that states the nodes it is unknown",
)
def one_node(s: Selection) -> Outcome:
    nodes = outcome(s, "job.nnodes")
    if isinstance(nodes, Absent):
        return Value("unknown", "inferred")
    return Value("yes" if nodes.value == 1 else "no", nodes.confidence, nodes.where)


@metric(
    "job.separate_processes",
    "Processes with a log each that ran at the same time",
    "ranks",
    formula="the most logs of one process that ran at the same time, by start and end of their job records",
    needs="Darshan logs of a program without MPI, one of each process",
    scopes=["job"],
)
def separate_processes(s: Selection) -> Outcome:
    known = [rows.nprocs for rows in s.logs if rows.owners is not None and rows.nprocs is not None]
    return Value(max(known)) if known else Absent("no logs of single processes ran at the same time")


def _line(source: int, line: int | None) -> tuple[Where, ...]:
    return () if line is None else (Where(source, Lines(line, line)),)
