"""The step of a job whose ranks and files are held against one another: those of another step have their own numbers,
and ran at another time."""

from __future__ import annotations

from iotriage.metrics.core.selection import LogRows, Selection
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.tables.rank_times import longest_possible_of_a_rank

MOST = 0.75
"""Of the I/O time of all steps, from which what is said of one of them is said of the job."""


@cached_per_selection
def longest_step(s: Selection) -> LogRows | None:
    """The only log, or of several the one whose slowest rank spends nearly all of the I/O time; None where there is no
    log, or where several spend much."""
    if len(s.logs) < 2:
        return next(iter(s.logs), None)
    spent = _spent(s)
    longest = max(spent)
    return log_of_slowest_rank(s) if longest > 0 and longest >= MOST * sum(spent) else None


def log_of_slowest_rank(s: Selection) -> LogRows | None:
    """The only log, or of several the one whose slowest rank spends most in I/O; None where there is no log."""
    return max(zip(_spent(s), s.logs, strict=True), key=lambda one: one[0])[1] if s.logs else None


def _spent(s: Selection) -> list[float]:
    """Seconds of the slowest rank of each log, at most."""
    return [longest_possible_of_a_rank(rows.highest, rows.nprocs) for rows in s.logs]


def steps_with_io(s: Selection) -> tuple[LogRows, ...]:
    """All logs, or that which spends nearly all of the I/O time: a rank that is slow in another costs next to
    nothing."""
    rows = longest_step(s)
    return s.logs if rows is None else (rows,)
