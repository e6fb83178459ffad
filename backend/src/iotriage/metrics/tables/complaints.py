"""What the MPI library complained of while it read and wrote."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from iotriage.metrics.core.metric import Absent, Outcome, Value, Where
from iotriage.metrics.core.selection import Selection
from iotriage_parsers.evidence import (
    AggregatorPlacement,
    DvsStripeWarning,
    InternalError,
    IoError,
    Lines,
    MpichAbort,
    MpichEnvironment,
    MpiioHints,
    MpiioStats,
    MpiioTimers,
)

NO_TEXT = Absent("no output of the job with lines of the MPI library was given")

Complaint: TypeAlias = IoError | InternalError | MpichAbort | DvsStripeWarning


def first_lines(found: Iterable[tuple[int, Complaint]]) -> tuple[Where, ...]:
    """Where each complaint stands for the first time."""
    return tuple(Where(i, Lines(complaint.line, complaint.line)) for i, complaint in found)


_OF_THE_LIBRARY = (
    MpiioStats,
    MpiioTimers,
    MpiioHints,
    MpichEnvironment,
    AggregatorPlacement,
    IoError,
    DvsStripeWarning,
    InternalError,
    MpichAbort,
)
"""What MPICH prints where it would complain too: a report, a script or a list of stripes says nothing of errors."""


def complaints_counted(s: Selection, kind: type[Complaint]) -> Outcome:
    """How often the library complained so; 0 only where its output is there to complain in."""
    if not any(isinstance(part, _OF_THE_LIBRARY) for _, part in s.parts):
        return NO_TEXT
    found = s.of(kind)
    return Value(sum(complaint.count for _, complaint in found), where=first_lines(found))
