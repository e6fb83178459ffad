"""How many ranks ran at the same time, for logs of several programs."""

from __future__ import annotations

from collections.abc import Sequence

from iotriage.metrics.core.selection import LogRows
from iotriage.metrics.tables.rank_times import longest_possible_of_a_rank
from iotriage.metrics.tables.running import Span, at_the_same_time, span_of

NEXT_TO_NOTHING = 0.01
"""Share of the I/O time of the log with most of it below which another log's ranks are not counted among those that
wait for the I/O."""


def ranks_of_job(logs: Sequence[LogRows]) -> int | None:
    """The ranks of the largest program, or of all programs that ran at the same time, whichever is more."""
    stated = [n for rows in logs if (n := rows.nprocs) is not None]
    timed = [(ran, rows) for rows in logs if (ran := span_of(rows.log.job)) is not None]
    timed.sort(key=lambda one: one[0].start_s)
    together = (ranks_at_a_time(logs) or 0 for logs in at_the_same_time(timed) if len(logs) > 1)
    return max((*stated, *together), default=None) or None


def ranks_at_a_time(timed: Sequence[tuple[Span, LogRows]]) -> int | None:
    """The most ranks of these logs that ran at the same time, without logs with next to no I/O, such as that of the
    shell that started the others. None where a log does not state its ranks."""
    if any(rows.nprocs is None for _, rows in timed):
        return None
    return most_at_a_time([(ran, rows.nprocs or 0) for ran, rows in logs_with_io(timed)])


def most_at_a_time(counts: Sequence[tuple[Span | None, int]]) -> int:
    """The largest sum over programs that ran at the same moment. A program whose times are not known is taken to have
    run throughout."""
    now = most = sum(number for ran, number in counts if ran is None)
    for _, more in sorted(moment for ran, number in counts if ran is not None for moment in _moments(ran, number)):
        now += more
        most = max(most, now)
    return most


def running_with(rows: LogRows, timed: Sequence[tuple[Span, LogRows]]) -> list[LogRows]:
    """The logs that ran at the moment when most ranks did, of those at which this one ran, with it."""
    own = next((ran for ran, one in timed if one is rows), None)
    if own is None:
        return [rows]
    now, most, at = 0, 0, own.start_s
    for when, more in sorted(moment for ran, one in timed for moment in _moments(ran, one.nprocs or 0)):
        now += more
        if now > most and own.start_s <= when < own.surely_until_s:
            most, at = now, when
    return [one for ran, one in timed if one is rows or ran.start_s <= at < ran.surely_until_s]


def logs_with_io(timed: Sequence[tuple[Span, LogRows]]) -> list[tuple[Span, LogRows]]:
    if len(timed) < 2:
        return [*timed]
    spent = [longest_possible_of_a_rank(rows.highest, rows.nprocs) for _, rows in timed]
    most = max(spent, default=0.0)
    return [one for one, seconds in zip(timed, spent, strict=True) if seconds >= NEXT_TO_NOTHING * most]


def _moments(ran: Span, number: int) -> tuple[tuple[float, int], tuple[float, int]]:
    return (ran.start_s, number), (ran.surely_until_s, -number)
