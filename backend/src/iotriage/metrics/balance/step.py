"""The ranks of the step in which the slowest rank is: few of these, or many, do the I/O."""

from __future__ import annotations

from iotriage.metrics.core.metric import Outcome, Value
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.at_a_time import ranks_of_job
from iotriage.metrics.tables.stages import logs_by_stage
from iotriage.metrics.tables.steps import slowest_step


@metric(
    "balance.ranks",
    "Ranks of the step in which the slowest rank is",
    "ranks",
    formula="as job.nprocs, of the log whose slowest rank spends most seconds in I/O and those of programs that ran "
    "beside it; job.nprocs where there is no log",
    needs="a Darshan log, or another source that states the ranks",
    scopes=["job"],
)
def ranks(s: Selection) -> Outcome:
    beside = next((logs for _, logs in logs_by_stage(s) if slowest_step(s).logs[0] in logs), ())
    found = ranks_of_job(beside)
    return outcome(s, "job.nprocs") if found is None else Value(found)
