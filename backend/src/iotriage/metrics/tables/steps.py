"""The steps of a job, each as a selection of its own: ranks are compared within one."""

from __future__ import annotations

from dataclasses import replace

from iotriage.metrics.core.selection import LogRows, Selection
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.tables.rank_spread import time_spread


@cached_per_selection
def steps_of(s: Selection) -> tuple[Selection, ...]:
    """One for each log; a selection with one log, or none, is its own only step."""
    return (s,) if len(s.logs) < 2 else tuple(_step_of(s, rows) for rows in s.logs)


@cached_per_selection
def slowest_step(s: Selection) -> Selection:
    """That whose slowest rank takes longest."""
    return max(steps_of(s), key=_longest, default=s)


MOST = 0.75
"""Of the I/O time of all steps, from which what is said of one of them is said of the job."""


@cached_per_selection
def main_step(s: Selection) -> LogRows | None:
    """The only log, or of several the one whose slowest rank spends nearly all of the I/O time; None where there is no
    log, or where several spend much."""
    if len(s.logs) < 2:
        return next(iter(s.logs), None)
    spent = [_longest(step) for step in steps_of(s)]
    longest = max(spent)
    return s.logs[spent.index(longest)] if longest > 0 and longest >= MOST * sum(spent) else None


def steps_with_io(s: Selection) -> tuple[LogRows, ...]:
    """All logs, or that which spends nearly all of the I/O time: a rank that is slow in another costs next to
    nothing."""
    rows = main_step(s)
    return s.logs if rows is None else (rows,)


def _step_of(s: Selection, rows: LogRows) -> Selection:
    """What other logs trace is of other ranks."""
    others = {one.source for one in s.whole.logs} - {rows.source}
    parts = tuple((source, part) for source, part in s.parts if source not in others)
    job = None if s.job is None else next((one for one in steps_of(s.job) if one.logs[0].source == rows.source), s.job)
    return replace(s, logs=(rows,), parts=parts, job=job, ranks_of_logs=rows.nprocs)


def _longest(step: Selection) -> float:
    found = time_spread(step.logs[0]) if step.logs else None
    return 0.0 if found is None else found.most
