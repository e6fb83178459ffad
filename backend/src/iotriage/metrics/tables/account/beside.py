"""Whose the seconds are of programs that ran side by side: the run waits for the one that takes longest.

While several are in I/O, their ranks share the time; what is left when some are done is of the others alone. So the
programs together take as long as the longest of them, and each adds what it makes that longer by.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf

from iotriage.metrics.core.metric import NO_TIME
from iotriage.metrics.core.selection import LogRows, Selection
from iotriage.metrics.core.selection_cache import cached_per_job
from iotriage.metrics.tables.account.from_logs import slowest_rank
from iotriage.metrics.tables.at_a_time import ranks_of_job
from iotriage.metrics.tables.running import span_of
from iotriage.metrics.tables.stages import Stage, logs_by_stage, longest_chain
from iotriage_parsers.frozen import frozen


def ranks_of_mean(s: Selection, rows: LogRows) -> float:
    """What seconds of all ranks of the log are divided by, for what they add to those of the mean rank of the job."""
    return _ranks_of_mean(s).get(rows.source) or max(1, rows.nprocs or 1)


@cached_per_job
def _ranks_of_mean(job: Selection) -> Mapping[int, float]:
    """What `ranks_of_mean` answers, by the source of the log."""
    return {source: of for stage, logs in logs_by_stage(job) for source, of in _of_stage(stage, logs).items()}


@frozen
class _Program:
    """Its logs, when it ran, the most ranks of it at a time, and the seconds that its slowest takes at least."""

    logs: tuple[LogRows, ...]
    start_s: float
    until_s: float
    ranks: int
    seconds: float


@frozen
class _Lane:
    """Programs that follow one another, with the most ranks of any and the seconds of all."""

    programs: tuple[_Program, ...]

    @property
    def ranks(self) -> int:
        return max(program.ranks for program in self.programs)

    @property
    def seconds(self) -> float:
        return sum(program.seconds for program in self.programs)


def _of_stage(stage: Stage, logs: Sequence[LogRows]) -> dict[int, float]:
    programs = _programs(logs)
    if len(programs) == 1:
        return {rows.source: max(stage.ranks or 0, rows.nprocs or 0, 1) for rows in logs}
    lanes = _lanes(programs)
    longest = max(lane.seconds for lane in lanes)
    times = max(1.0, _slowest_s(logs) / longest) if longest >= NO_TIME else 1.0
    found: dict[int, float] = {}
    for lane, adds in zip(lanes, _added(lanes), strict=True):
        part = times * adds / lane.seconds if lane.seconds >= NO_TIME else 1.0
        found |= {rows.source: program.ranks / part for program in lane.programs for rows in program.logs}
    return found


def _programs(logs: Sequence[LogRows]) -> list[_Program]:
    """Each log of several ranks is a program's; processes with a log each are one program's where they run the same."""
    found: dict[str | int | None, list[LogRows]] = {}
    for rows in logs:
        found.setdefault(rows.log.job.executable if rows.nprocs == 1 else rows.source, []).append(rows)
    return [_program(mine) for mine in found.values()]


def _program(logs: Sequence[LogRows]) -> _Program:
    spans = [ran for rows in logs if (ran := span_of(rows.log.job)) is not None]
    start = min((ran.start_s for ran in spans), default=0.0)
    until = max((ran.surely_until_s for ran in spans), default=inf)
    return _Program(tuple(logs), start, until, ranks_of_job(logs) or 1, _slowest_s(logs))


def _lanes(programs: Sequence[_Program]) -> list[_Lane]:
    """Each program goes on with the first lane that has ended when it starts."""
    found: list[list[_Program]] = []
    for program in sorted(programs, key=lambda one: one.start_s):
        ended = next((lane for lane in found if lane[-1].until_s <= program.start_s), None)
        if ended is None:
            found.append([program])
        else:
            ended.append(program)
    return [_Lane(tuple(lane)) for lane in found]


def _slowest_s(logs: Sequence[LogRows]) -> float:
    return longest_chain(logs, lambda rows: slowest_rank(rows).least_s)


def _added(lanes: Sequence[_Lane]) -> list[float]:
    """What each adds to the seconds of the longest."""
    found, before, of_a_rank = [0.0] * len(lanes), 0.0, 0.0
    ranks = sum(lane.ranks for lane in lanes)
    for i in sorted(range(len(lanes)), key=lambda i: lanes[i].seconds):
        of_a_rank += (lanes[i].seconds - before) / ranks
        found[i] = of_a_rank * lanes[i].ranks
        before, ranks = lanes[i].seconds, ranks - lanes[i].ranks
    return found
