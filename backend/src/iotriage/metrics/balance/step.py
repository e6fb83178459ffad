"""The ranks and the nodes of the step in which the slowest rank is: few of these, or many, do the I/O."""

from __future__ import annotations

from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.longest_step import log_of_slowest_rank
from iotriage.metrics.tables.nodes import nodes_of_step


@metric(
    "balance.ranks",
    "Ranks of the step in which the slowest rank is",
    "ranks",
    formula="nprocs of the log whose slowest rank spends most seconds in I/O; job.nprocs where there is no log",
    needs="a Darshan log, or another source that states the ranks",
    scopes=["job"],
)
def ranks(s: Selection) -> Outcome:
    rows = log_of_slowest_rank(s)
    return outcome(s, "job.nprocs") if rows is None or rows.nprocs is None else Value(rows.nprocs)


@metric(
    "balance.nodes",
    "Nodes of the step in which the slowest rank is",
    "nodes",
    formula="of several logs the nodes of the ranks of the one of balance.ranks, but all of the job's where other "
    "programs ran beside it; else job.nnodes",
    needs="a source that states the nodes",
    scopes=["job"],
)
def nodes(s: Selection) -> Outcome:
    rows = log_of_slowest_rank(s)
    if rows is None or len(s.logs) == 1:
        return outcome(s, "job.nnodes")
    found = nodes_of_step(s, rows)
    return found if isinstance(found, Absent) else found.number
