"""What the MPI library complained of while it read and wrote."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeAlias, TypeVar

from iotriage.metrics.core.metric import Absent, Outcome, Value, Where
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.core.selection_cache import cached_per_selection
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
    SystemErrors,
    UsedUp,
)

NO_TEXT = Absent("no output of the job with lines of the MPI library was given")

C = TypeVar("C", IoError, SystemErrors)

Complaint: TypeAlias = IoError | SystemErrors | InternalError | MpichAbort | DvsStripeWarning


def first_lines(found: Iterable[tuple[int, Complaint | UsedUp]]) -> tuple[Where, ...]:
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


@cached_per_selection
def no_output(s: Selection) -> Absent | None:
    """Why it is not known whether the library complained: its output is not there to complain in."""
    return None if any(isinstance(part, _OF_THE_LIBRARY) for _, part in s.parts) else NO_TEXT


_OF_CALLS = (MpiioStats, MpiioTimers, IoError, InternalError, MpichAbort)
"""What is printed of reads and writes, or after them: hints and settings stand before."""
BEFORE_CALLS = Absent(
    "the output that was given has what is printed before files are read and written, where no error of that stands"
)


@cached_per_selection
def no_word_of_calls(s: Selection) -> Absent | None:
    """Why it is not known whether the library complained of reads and writes."""
    if any(isinstance(part, _OF_CALLS) for _, part in s.parts):
        return None
    return no_output(s) or BEFORE_CALLS


def no_word_of_failed_calls(s: Selection) -> Absent | None:
    """Why it is not known whether calls failed, of which the program may tell as well as the library."""
    return None if s.of(SystemErrors) else no_word_of_calls(s)


def _reason(of: IoError | SystemErrors) -> str | int | None:
    """What the lines of reads and those of writes have in common that failed for one reason."""
    return of.name or of.errno or of.message


def most_frequent(found: Sequence[tuple[int, C]]) -> tuple[int, C]:
    """Of the reason that most lines give, of all kinds of calls and all sources, the part that has most of them."""
    lines: Counter[str | int | None] = Counter()
    for _, of in found:
        lines[_reason(of)] += of.count
    most = max(lines, key=lambda one: lines[one])
    return max(((i, of) for i, of in found if _reason(of) == most), key=lambda one: one[1].count)


def complaints_counted(s: Selection, kind: type[Complaint]) -> Outcome:
    """How often the library complained so, where its output is there (`no_output`)."""
    found = s.of(kind)
    return Value(sum(complaint.count for _, complaint in found), where=first_lines(found))
