"""The stages of a job: the logs that ran at the same time. Stages follow one another, and their seconds add up."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import inf

from iotriage.metrics.core.selection import LogRows, Selection
from iotriage.metrics.core.selection_cache import cached_per_job, cached_per_selection
from iotriage.metrics.tables.at_a_time import logs_with_io, ranks_at_a_time, running_with
from iotriage.metrics.tables.running import Span, at_the_same_time, span_of
from iotriage_parsers.frozen import frozen_identity


@frozen_identity
class Stage:
    """Logs by their sources; `ranks` is the most that ran at a time, without what did next to no I/O, such as the shell
    that started the others. None is not known."""

    sources: frozenset[int]
    runtime_s: float | None
    ranks: int | None


@cached_per_job
def stages_of(job: Selection) -> tuple[Stage, ...]:
    """In the order of their start; a log that does not say when it began or ended is a stage of its own."""
    timed = _in_order(job.logs)
    if len(timed) < 2:
        return tuple(_stage_of_one_log(rows) for rows in job.logs)
    untimed = (_stage_of_one_log(rows) for rows in job.logs if span_of(rows.log.job) is None)
    return (*untimed, *map(_stage, at_the_same_time(timed)))


@cached_per_selection
def logs_by_stage(s: Selection) -> tuple[tuple[Stage, tuple[LogRows, ...]], ...]:
    """The stages of the whole job that have logs of the selection, with these."""
    found: dict[Stage, list[LogRows]] = {stage: [] for stage in stages_of(s)}
    for rows in s.logs:
        if (stage := _stage_of(s).get(rows.source)) is not None:
            found[stage].append(rows)
    return tuple([(stage, tuple(logs)) for stage, logs in found.items() if logs])


@cached_per_job
def _stage_of(job: Selection) -> Mapping[int, Stage]:
    """The stage of each log, by its source."""
    return {source: stage for stage in stages_of(job) for source in stage.sources}


def programs_side_by_side(s: Selection) -> list[list[LogRows]]:
    """The logs of each stage that show I/O."""
    return [[rows for _, rows in logs_with_io(_in_order(logs))] for _, logs in logs_by_stage(s)]


def programs_beside(s: Selection, rows: LogRows) -> list[LogRows]:
    """The log, and those that show I/O and ran at one moment with it: where there are several, that of most ranks."""
    stage = next((logs for _, logs in logs_by_stage(s) if rows in logs), (rows,))
    return running_with(rows, logs_with_io(_in_order(stage)))


def longest_chain(logs: Sequence[LogRows], seconds: Callable[[LogRows], float]) -> float:
    """The most seconds of any logs of one stage that follow one another."""
    if len(logs) == 1:
        return seconds(logs[0])
    ends, most = [-inf], [0.0]
    for ran, rows in sorted(_in_order(logs), key=lambda one: one[0].surely_until_s):
        before = most[bisect_right(ends, ran.start_s) - 1]
        ends.append(ran.surely_until_s)
        most.append(max(most[-1], before + seconds(rows)))
    return most[-1]


def over_stages(s: Selection, spent: Iterable[tuple[LogRows, float]]) -> float:
    """What logs of the selection spent, one after the other: seconds of logs that ran at the same time pass at once."""
    of_log: dict[int, float] = {}
    for rows, seconds in spent:
        of_log[rows.source] = of_log.get(rows.source, 0.0) + seconds
    return sum(longest_chain(logs, lambda rows: of_log.get(rows.source, 0.0)) for _, logs in logs_by_stage(s))


NO_START = "not all logs say when they began"


def since_first_log(s: Selection, source: int, seconds: float) -> float | None:
    """What a log counts in seconds from its own start, from that of the first log of the job; None where one of several
    does not say when it began."""
    starts = _starts(s)
    if len(starts) <= 1:
        return seconds
    own, first = starts.get(source), _first_start(s)
    return None if own is None or first is None else seconds + own - first


@cached_per_job
def _starts(job: Selection) -> Mapping[int, float | None]:
    return {rows.source: rows.log.job.start_time for rows in job.logs}


@cached_per_job
def _first_start(job: Selection) -> float | None:
    """None where one log does not say when it began."""
    known = [start for start in _starts(job).values() if start is not None]
    return min(known) if known and len(known) == len(_starts(job)) else None


def _in_order(logs: Sequence[LogRows]) -> list[tuple[Span, LogRows]]:
    """Those that say when they ran, by their start."""
    timed = [(ran, rows) for rows in logs if (ran := span_of(rows.log.job)) is not None]
    return sorted(timed, key=lambda one: (one[0].start_s, one[1].source))


def _stage_of_one_log(rows: LogRows) -> Stage:
    return Stage(frozenset({rows.source}), rows.log.job.runtime_s, rows.nprocs)


def _stage(logs: Sequence[tuple[Span, LogRows]]) -> Stage:
    if len(logs) == 1:
        return _stage_of_one_log(logs[0][1])
    return Stage(
        frozenset(rows.source for _, rows in logs),
        max(ran.end_s for ran, _ in logs) - min(ran.start_s for ran, _ in logs),
        ranks_at_a_time(logs),
    )
