"""What the MPI library complained of while it read and wrote, and whether statistics that were asked for came."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from iotriage.metrics.core.metric import Absent, Outcome, Value, Where
from iotriage.metrics.core.registry import metric
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


def _first_lines(found: Iterable[tuple[int, Complaint]]) -> tuple[Where, ...]:
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


def _has_text(s: Selection) -> bool:
    return len(s.parts) > len(s.logs)


def _counted(s: Selection, kind: type[Complaint]) -> Outcome:
    """How often the library complained so; 0 only where its output is there to complain in."""
    if not any(isinstance(part, _OF_THE_LIBRARY) for _, part in s.parts):
        return NO_TEXT
    found = s.of(kind)
    return Value(sum(complaint.count for _, complaint in found), where=_first_lines(found))


@metric(
    "errors.failed_calls",
    "Reads and writes that failed",
    "calls",
    formula="ADIOI_CRAY_READCONTIG and WRITECONTIG error lines",
    needs="the job's output",
    scopes=["job"],
)
def failed_calls(s: Selection) -> Outcome:
    return _counted(s, IoError)


@metric(
    "errors.failed_bytes",
    "Bytes of reads and writes that failed",
    "B",
    formula="`len` of the error lines, summed",
    needs="the job's output",
    scopes=["job"],
)
def failed_bytes(s: Selection) -> Outcome:
    errors = s.of(IoError)
    if not errors:
        return Absent("no failed read or write was reported")
    where = _first_lines(errors)
    return Value(sum(e.length_bytes for _, e in errors), where=where)


@metric(
    "errors.cause",
    "Why reads or writes failed",
    "word",
    formula="the errno of most of the error lines, by name",
    needs="the job's output",
    scopes=["job"],
)
def cause(s: Selection) -> Outcome:
    errors = s.of(IoError)
    if not errors:
        return Absent("no failed read or write was reported")
    source, worst = max(errors, key=lambda e: e[1].count)
    words = worst.name or worst.message or "errno not readable"
    return Value(words, where=(Where(source, Lines(worst.line, worst.line)),))


@metric(
    "errors.internal",
    "Internal errors of the MPI library in its I/O",
    "calls",
    formula="lines of failed assertions in ADIOI_CRAY functions",
    needs="the job's output",
    scopes=["job"],
)
def internal(s: Selection) -> Outcome:
    return _counted(s, InternalError)


@metric(
    "errors.internal_function",
    "Function of the MPI library that failed",
    "word",
    formula="the function of most of the internal errors",
    needs="the job's output",
    scopes=["job"],
)
def internal_function(s: Selection) -> Outcome:
    found = s.of(InternalError)
    if not found:
        return Absent("no internal error was reported")
    source, worst = max(found, key=lambda e: e[1].count)
    return Value(worst.function, where=(Where(source, Lines(worst.line, worst.line)),))


@metric(
    "errors.aborts",
    "Calls of MPI_Abort by the library",
    "calls",
    formula="`MPICH ERROR … Abort` lines",
    needs="the job's output",
    scopes=["job"],
)
def aborts(s: Selection) -> Outcome:
    return _counted(s, MpichAbort)


@metric(
    "warnings.dvs_stripe",
    "Warnings about the DVS stripe width",
    "calls",
    formula="`DVS stripe width of N was requested but DVS set it to M` lines",
    needs="the job's output",
    scopes=["job"],
)
def dvs_stripe(s: Selection) -> Outcome:
    return _counted(s, DvsStripeWarning)


@metric(
    "mpiio.stats_blocks",
    "MPICH_MPIIO_STATS blocks",
    "1",
    formula="trusted blocks of all texts",
    needs="the job's output",
    scopes=["job"],
)
def stats_blocks(s: Selection) -> Outcome:
    return Value(len(s.stats)) if _has_text(s) else NO_TEXT
