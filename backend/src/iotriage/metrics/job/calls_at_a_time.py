"""How many I/O calls a process made at a time."""

from __future__ import annotations

from iotriage.metrics.core.about import About
from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage_parsers.evidence.darshan import note_missing


@metric(
    "job.calls_at_a_time",
    "I/O calls in progress in a process, on average",
    "ratio",
    about=About(time=False),
    formula="of the process with most of them: its seconds in I/O over those in which one of its files was in use, by "
    "the timestamps of its records, where the first is longer by a twentieth and a second; else 1. Files in calls for "
    "less than a tenth or a hundredth of the time in which they are in use are left out where more shows without. All "
    "its timers are taken to be as many times shorter, unless they do not fit in the run, files were in use for half "
    "of it and a call takes five seconds on average",
    needs="a Darshan log",
    scopes=["job"],
)
def calls_at_a_time(s: Selection) -> Outcome:
    if not s.logs:
        return Absent("no source says when files were in use", (DARSHAN,))
    for rows in s.logs:
        note_missing(rows.missing)
    return Value(max(rows.side_by_side for rows in s.logs), "inferred")
