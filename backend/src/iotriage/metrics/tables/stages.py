"""The stages of a job: the logs that ran at the same time. Stages follow one another, and their seconds add up."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from math import inf

from iotriage.metrics.core.selection import LogRows, Selection
from iotriage.metrics.core.selection_cache import cached_per_job
from iotriage.metrics.tables.at_a_time import logs_with_io, ranks_at_a_time
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
        return tuple(_alone(rows) for rows in job.logs)
    untimed = (_alone(rows) for rows in job.logs if span_of(rows.log.job) is None)
    return (*untimed, *map(_stage, at_the_same_time(timed)))


def logs_by_stage(s: Selection) -> list[tuple[Stage, list[LogRows]]]:
    """The stages of the whole job that have logs of the selection, with these."""
    found = ((stage, [rows for rows in s.logs if rows.source in stage.sources]) for stage in stages_of(s))
    return [(stage, logs) for stage, logs in found if logs]


def programs_side_by_side(s: Selection) -> list[list[LogRows]]:
    """Of each stage the logs that show I/O."""
    return [[rows for _, rows in logs_with_io(_in_order(logs))] for _, logs in logs_by_stage(s)]


def longest_chain(logs: Sequence[LogRows], seconds: Callable[[LogRows], float]) -> float:
    """Of logs of one stage, the most seconds of any that follow one another."""
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
    starts = {rows.source: rows.log.job.start_time for rows in s.whole.logs}
    if len(starts) <= 1:
        return seconds
    known = [start for start in starts.values() if start is not None]
    own = starts.get(source)
    return None if own is None or len(known) < len(starts) else seconds + own - min(known)


def ranks_beside(s: Selection, rows: LogRows) -> int | None:
    """The most ranks that ran at a time in the log's stage, its own among them, however little these do."""
    of_stage = next((stage.ranks for stage in stages_of(s) if rows.source in stage.sources), None)
    return max(of_stage or 0, rows.nprocs or 0) or None


def _in_order(logs: Sequence[LogRows]) -> list[tuple[Span, LogRows]]:
    """Those that say when they ran, by their start."""
    timed = [(ran, rows) for rows in logs if (ran := span_of(rows.log.job)) is not None]
    return sorted(timed, key=lambda one: (one[0].start_s, one[1].source))


def _alone(rows: LogRows) -> Stage:
    return Stage(frozenset({rows.source}), rows.log.job.runtime_s, rows.nprocs)


def _stage(logs: Sequence[tuple[Span, LogRows]]) -> Stage:
    if len(logs) == 1:
        return _alone(logs[0][1])
    return Stage(
        frozenset(rows.source for _, rows in logs),
        max(ran.end_s for ran, _ in logs) - min(ran.start_s for ran, _ in logs),
        ranks_at_a_time(logs),
    )
