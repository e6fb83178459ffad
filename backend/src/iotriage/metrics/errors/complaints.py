"""The errors that the MPI library reports of its reads and writes."""

from __future__ import annotations

from iotriage.metrics.core.metric import Absent, Outcome, Value, Where
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.texts.complaints import (
    complaints_counted,
    first_lines,
    most_frequent,
    no_word_of_calls,
    no_word_of_failed_calls,
)
from iotriage_parsers.evidence import InternalError, IoError, Lines, MpichAbort, SystemErrors


@metric(
    "errors.failed_calls",
    "Failed reads and writes, by the lines that say so",
    "calls",
    formula="ADIOI_CRAY_READCONTIG and WRITECONTIG error lines; without any, lines in which a program or a command "
    "gives the system's words for it as the reason of an error",
    needs="the job's output",
    scopes=["job"],
    unless=no_word_of_failed_calls,
)
def failed_calls(s: Selection) -> Outcome:
    return complaints_counted(s, IoError if s.of(IoError) or not s.of(SystemErrors) else SystemErrors)


@metric(
    "errors.program_lines",
    "Lines in which a program or a command says that a read or write failed",
    "1",
    formula="lines with the system's words for EDQUOT, ENOSPC, EIO, ESTALE, ENOLCK, ESHUTDOWN, EMFILE, ENFILE, EROFS, "
    "EFBIG, ETXTBSY, EREMOTEIO, of a path ENOTCONN, ETIMEDOUT, EHOSTDOWN or ECOMM, of a file that a program opens "
    "EACCES or, of a lock, EAGAIN, ENOSYS, EOPNOTSUPP or ENOTSUPP as the reason "
    "of an error, or those of ROMIO for ENOMEM",
    needs="the job's output",
    scopes=["job"],
    unless=no_word_of_failed_calls,
)
def program_lines(s: Selection) -> Outcome:
    return complaints_counted(s, SystemErrors)


@metric(
    "errors.failed_bytes",
    "Bytes of reads and writes that failed",
    "B",
    formula="`len` of the error lines, summed; a lower bound where lines are cut before it",
    needs="the job's output",
    scopes=["job"],
)
def failed_bytes(s: Selection) -> Outcome:
    errors = s.of(IoError)
    if not errors:
        return Absent("no failed read or write was reported")
    cut = any(call.length_bytes is None for _, e in errors for call in e.calls)
    if cut and not any(e.length_bytes for _, e in errors):
        return Absent("the lines of the errors are cut off before the bytes that were to be moved")
    total = sum(e.length_bytes for _, e in errors)
    return Value(total, where=first_lines(errors), bound="lower" if cut else None)


@metric(
    "errors.cause",
    "Why reads or writes failed",
    "word",
    formula="the errno of most of the library's error lines, by name; without any, of the program's",
    needs="the job's output",
    scopes=["job"],
)
def cause(s: Selection) -> Outcome:
    complaints = s.of(SystemErrors)
    errors = s.of(IoError)
    if not errors and not complaints:
        return Absent("no failed read or write was reported")
    if not errors:
        source, most = most_frequent(complaints)
        return Value(most.name, where=(Where(source, Lines(most.line, most.line)),))
    source, worst = most_frequent(errors)
    words = worst.name or worst.message or "errno not readable"
    return Value(words, where=(Where(source, Lines(worst.line, worst.line)),))


@metric(
    "errors.internal",
    "Internal errors of the MPI library in its I/O",
    "calls",
    formula="lines of failed assertions in ADIOI_CRAY functions",
    needs="the job's output",
    scopes=["job"],
    unless=no_word_of_calls,
)
def internal(s: Selection) -> Outcome:
    return complaints_counted(s, InternalError)


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
    "Calls of MPI_Abort by the MPI library",
    "calls",
    formula="`MPICH ERROR … Abort` lines",
    needs="the job's output",
    scopes=["job"],
    unless=no_word_of_calls,
)
def aborts(s: Selection) -> Outcome:
    return complaints_counted(s, MpichAbort)
