"""Whose the seconds are of programs that ran side by side: the run waits for the one that takes longest.

While several are in I/O, their ranks share the time; what the others do not take as long as is of those alone that do.
So the programs together take as long as the longest of them, and each adds what it makes that longer by.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from iotriage.metrics.core.selection import LogRows, Selection
from iotriage.metrics.core.selection_cache import cached_per_job
from iotriage.metrics.tables.account.from_logs import mean_rank
from iotriage.metrics.tables.at_a_time import ranks_of_job
from iotriage.metrics.tables.stages import Stage, logs_by_stage, longest_chain
from iotriage_parsers.frozen import frozen


def ranks_of_mean(s: Selection, rows: LogRows) -> float:
    """What seconds of all ranks of the log are divided by, for what they add to those of the mean rank of the job."""
    return _ranks_of_mean(s).get(rows.source) or max(1, rows.nprocs or 1)


@cached_per_job
def _ranks_of_mean(job: Selection) -> Mapping[int, float]:
    """By the source of the log."""
    return {source: of for stage, logs in logs_by_stage(job) for source, of in _of_stage(stage, logs).items()}


@frozen
class _Program:
    """Its logs, the most ranks of it at a time, and the seconds of its mean rank."""

    logs: tuple[LogRows, ...]
    ranks: int
    seconds: float


def _of_stage(stage: Stage, logs: Sequence[LogRows]) -> dict[int, float]:
    programs = _programs(logs)
    if len(programs) == 1:
        return {rows.source: max(stage.ranks or 0, rows.nprocs or 0, 1) for rows in logs}
    ranks = {rows.source: program.ranks for program in programs for rows in program.logs}
    after_one_another = longest_chain(logs, lambda rows: _seconds(rows, ranks[rows.source]))
    longest = max(program.seconds for program in programs)
    times = max(1.0, after_one_another / longest) if longest > 0 else 1.0
    found: dict[int, float] = {}
    for program, adds in zip(programs, _added(programs), strict=True):
        part = times * adds / program.seconds if program.seconds > 0 else 1.0
        found |= {rows.source: program.ranks / part for rows in program.logs}
    return found


def _programs(logs: Sequence[LogRows]) -> list[_Program]:
    """Each log of several ranks is a program's; processes with a log each are one program's where they run the same."""
    found: dict[str | int | None, list[LogRows]] = {}
    for rows in logs:
        found.setdefault(rows.log.job.executable if rows.nprocs == 1 else rows.source, []).append(rows)
    programs = []
    for mine in found.values():
        ranks = ranks_of_job(mine) or 1
        programs.append(_Program(tuple(mine), ranks, sum(_seconds(rows, ranks) for rows in mine)))
    return programs


def _seconds(rows: LogRows, ranks: int) -> float:
    return mean_rank(rows).total * max(1, rows.nprocs or 1) / ranks


def _added(programs: Sequence[_Program]) -> list[float]:
    """What each adds to the seconds of the longest."""
    found, before = [0.0] * len(programs), 0.0
    left = sorted(range(len(programs)), key=lambda i: programs[i].seconds)
    ranks = sum(program.ranks for program in programs)
    of_a_rank = 0.0
    for i in left:
        of_a_rank += (programs[i].seconds - before) / ranks
        found[i] = of_a_rank * programs[i].ranks
        before, ranks = programs[i].seconds, ranks - programs[i].ranks
    return found
