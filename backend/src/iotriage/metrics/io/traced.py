"""Whether the evidence has the job's calls themselves, one by one."""

from __future__ import annotations

from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage_parsers.evidence import DxtTrace


@metric(
    "io.traced",
    "Whether calls are traced",
    "word",
    formula="yes where DXT has calls of POSIX or MPI-IO, else no",
    needs="a Darshan log",
    scopes=["job"],
)
def traced(s: Selection) -> Outcome:
    if any(len(trace) for _, trace in s.of(DxtTrace)):
        return Value("yes")
    return Value("no") if s.logs else Absent("no Darshan log was given", (DARSHAN,))
