"""Which traces are of the calls that a log counts."""

from __future__ import annotations

from iotriage.metrics.core.selection import LogRows, Selection
from iotriage_parsers.evidence import DxtTrace, Job

SAME_START_S = 1.0
"""A text has the start of the run in whole seconds."""


def traces_of(s: Selection, rows: LogRows) -> tuple[DxtTrace, ...]:
    """The log's own; of one without, those that a text has of the same run, as darshan-dxt-parser prints them beside
    what darshan-parser does."""
    every = s.whole.of(DxtTrace)
    own = tuple(trace for source, trace in every if source == rows.source)
    return own or tuple(t for _, t in every if t.job is not None and _same_run(t.job, rows.log.job))


def _same_run(one: Job, other: Job) -> bool:
    if one.start_time is None or other.start_time is None:
        return False
    # A job may start several programs at once.
    alike = one.executable == other.executable and one.nprocs == other.nprocs
    of_job = (one.job_id, one.uid) == (other.job_id, other.uid)
    return alike and of_job and abs(one.start_time - other.start_time) <= SAME_START_S
