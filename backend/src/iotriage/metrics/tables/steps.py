"""The steps of a job, each as a selection of its own: ranks are compared within one."""

from __future__ import annotations

from dataclasses import replace

from iotriage.metrics.core.selection import LogRows, Selection
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.tables.rank_spread import time_spread


@cached_per_selection
def steps_of(s: Selection) -> tuple[Selection, ...]:
    """One for each log; a selection with one log, or none, is its own only step."""
    return (s,) if len(s.logs) < 2 else tuple(_alone(s, rows) for rows in s.logs)


@cached_per_selection
def slowest_step(s: Selection) -> Selection:
    """That whose slowest rank takes longest."""
    return max(steps_of(s), key=_longest, default=s)


def _alone(s: Selection, rows: LogRows) -> Selection:
    job = None if s.job is None else next((one for one in steps_of(s.job) if one.logs[0].source == rows.source), s.job)
    return replace(s, logs=(rows,), job=job, ranks_of_logs=rows.nprocs)


def _longest(step: Selection) -> float:
    found = time_spread(step.logs[0]) if step.logs else None
    return 0.0 if found is None else found.most
