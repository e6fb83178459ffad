"""Reads a whole text into evidence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import BinaryIO, Final

from iotriage_parsers.evidence import (
    BenchmarkRates,
    BenchmarkRun,
    DarshanLog,
    DxtTrace,
    Evidence,
    Failure,
    JobContext,
    MpichEnvironment,
    MpiioHints,
    Part,
    Problem,
)
from iotriage_parsers.reader import HEAD_BYTES, Limits
from iotriage_parsers.text.blocks import BlockReader
from iotriage_parsers.text.changed_letters import changed_letters
from iotriage_parsers.text.double_spaced import is_double_spaced
from iotriage_parsers.text.endings import end_of_job_in, ending, note_of_ending
from iotriage_parsers.text.known.errors import ERRORS
from iotriage_parsers.text.known.kind import RUN
from iotriage_parsers.text.known.unsupported_formats import unsupported_format
from iotriage_parsers.text.lines import LineSource, decoded, printable
from iotriage_parsers.text.prefix import numbers_lines
from iotriage_parsers.text.scan import scan
from iotriage_parsers.text.several_runs import several_runs, without_quoted_runs

MOST_SHOWN: Final = 80
FIRST_BYTES: Final = 4096
"""Number of bytes in which numbered lines are recognised."""
_HINTS: Final = b"MPIIO hints for "
_STATISTICS: Final = {"mpiio_stats", "mpiio_timers"}
_SWITCHED_ON: Final = (b"MPICH_MPIIO_STATS=1", b"MPICH_MPIIO_STATS=2")

_SWITCH_ON: Final = (
    "Set MPICH_MPIIO_STATS=1 in the job script (export MPICH_MPIIO_STATS=1), keep the job's standard error, "
    "and run the job again."
)
_SET_BUT_ABSENT: Final = "no MPI-IO statistics block found, though MPICH_MPIIO_STATS is set in it"
_LOOK_WHETHER: Final = (
    "Look whether the job closed a file through MPI-IO (not POSIX alone) and came to its end, and whether its "
    "standard error went elsewhere."
)

_AS_IT_IS: Final = "Give the file that the job wrote its output to, or copy its text; what is retyped is not that."

_OF_ITS_END: Final = "job_context"
"""The id of the reader under which a text is known that tells how its job was ended, and nothing else."""
_LEFT_OUT: Final = ("line-too-long", "damaged", "torn", "unterminated", "unrecognised-number")


def read_text(stream: BinaryIO, readers: Sequence[BlockReader], limits: Limits, is_text: bool) -> Evidence | Failure:
    """The evidence of all readers' blocks in `stream` (seekable). It is named after the kind with the highest
    precedence."""
    stream.seek(0)
    # A label too runs on from line to line where each rank greets in turn, but not for long.
    head = stream.read(FIRST_BYTES)
    first = [decoded(raw)[0] for raw in head[: head.rfind(b"\n") + 1].splitlines()]
    stream.seek(0)
    spaced = is_double_spaced(first)
    blocks, problems = scan(stream, readers, limits, numbered_lines=numbers_lines(first), double_spaced=spaced)
    held = sorted((b for b in blocks if b.found.parts), key=lambda b: -b.reader.precedence)
    if not any(b.reader.suffices(b.found.parts) for b in held):
        reasons = (*problems, *(p for b in blocks for p in b.found.problems))
        told = tuple(p for b in blocks if not b.found.parts for p in b.found.problems if p.code == "note")
        failure = _nothing(stream, readers, limits, is_text)
        end_of_job = end_of_job_in(stream, limits.line_bytes) if is_text and failure.next_step != _AS_IT_IS else None
        if end_of_job is not None:
            return Evidence(_OF_ITS_END, (end_of_job[0],), (*problems, end_of_job[1], *_known_error(stream, limits)))
        return _with_reasons(failure, reasons, told) if is_text else failure
    parts, earlier = without_quoted_runs(tuple(p for b in held for p in b.found.parts), stream, limits.line_bytes)
    named = next(b for b in held if b.reader.suffices(b.found.parts))
    found = (p for b in held for p in b.found.problems)
    # What could not be read of a block is told, though nothing of it is left.
    dropped = (p for b in blocks if not b.found.parts for p in b.found.problems)
    notes = (p for p in dropped if p.code in ("note", "ended") or p.loses_data)
    without = _without_statistics(parts, stream, limits)
    # What Darshan's texts are of has come to its end; they are long.
    whole = any(isinstance(p, DarshanLog | DxtTrace) for p in parts) or any(p.code == "unterminated" for p in without)
    ended = None if whole else note_of_ending(stream, limits.line_bytes)
    about_all = (
        *without,
        *_without_figures(parts),
        *(() if ended is None else (ended,)),
        *several_runs(parts, stream, limits.line_bytes),
    )
    return Evidence(named.reader.id, parts, (*problems, *found, *notes, *earlier, *about_all))


def _without_figures(parts: Sequence[Part]) -> Iterator[Problem]:
    """A note for output of a benchmark that ran to its end but has no result in a known form."""
    for part in parts:
        if not isinstance(part, BenchmarkRates | BenchmarkRun) or not part.complete:
            continue
        if not (part.rates if isinstance(part, BenchmarkRates) else part.results):
            where = f"lines {part.lines.first}-{part.lines.last}"
            message = f"the output of {part.tool} at {where} has no figure in a form that is read"
            yield Problem("unknown-field", message, loses_data=True, line=part.lines.first)


def _known_error(stream: BinaryIO, limits: Limits) -> tuple[Problem, ...]:
    """The error of a library that stands beside the message about the job's end and may explain it."""
    texts = _ends(stream, limits)
    kind = next((kind for kind in ERRORS if any(kind.cue.search(text) for text in texts)), None)
    if kind is None:
        return ()
    what_to_do = kind.instead.removesuffix(RUN).strip()
    return (Problem("note", f"it has {kind.named}: {kind.holds}. {what_to_do}"),)


def _without_statistics(parts: Sequence[Part], stream: BinaryIO, limits: Limits) -> tuple[Problem, ...]:
    """A note for a text that shows MPICH's settings but no statistics: the person who uploaded it expects them."""
    kinds = {p.kind for p in parts}
    hints = any(isinstance(p, MpiioHints) and p.printed_by == "cray-mpich" for p in parts)
    settings = [p for p in parts if isinstance(p, MpichEnvironment) and (p.displays or p.banner)]
    if kinds & _STATISTICS:
        return ()
    changed = changed_letters(stream, limits.line_bytes)
    if changed is not None:
        return (changed,)
    if not (hints or settings):
        launched = next((p.launches[0].line for p in parts if isinstance(p, JobContext) and _is_requested(p)), None)
        ended = None if launched is None else _ended_after(launched, stream, limits, opened=False)
        return () if ended is None else (ended,)
    cues = _cues(stream, limits)
    displayed = {s.value for p in settings if (s := p.setting("MPICH_MPIIO_STATS")) is not None}
    if _SWITCHED_ON[1] in cues or "2" in displayed:
        return ()
    if _SWITCHED_ON[0] in cues or "1" in displayed:
        opened = max((p.lines.last for p in parts if isinstance(p, MpiioHints)), default=None)
        ended = None if opened is None else _ended_after(opened, stream, limits)
        if ended is not None:
            return (ended,)
        return (Problem("note", f"{_SET_BUT_ABSENT}. {_LOOK_WHETHER}"),)
    what = "hints" if hints else "the library's version or settings"
    message = (
        f"no MPI-IO statistics block found, only {what}: statistics were not switched on, or stand in another text of "
        f"the job. Where there is none: {_SWITCH_ON[0].lower()}{_SWITCH_ON[1:]}"
    )
    return (Problem("note", message),)


def _is_requested(trace: JobContext) -> bool:
    """Whether these are a program's start in the output of its job, with the statistics switched on."""
    switched = any(s.name == "MPICH_MPIIO_STATS" and s.value == "1" for s in trace.environment)
    return switched and bool(trace.launches)


def _ended_after(line: int, stream: BinaryIO, limits: Limits, *, opened: bool = True) -> Problem | None:
    """That the job was ended behind this line: with a file open, whose hints end there, or without anybody saying that
    one was. The statistics of a file come when it is closed."""
    found = ending(stream, limits.line_bytes, after=line)
    if found is None:
        return None
    before = " before a file was closed whose hints are displayed" if opened else ""
    message = (
        f"the job {found.how}{before}: MPICH prints its statistics at the close of a file, and "
        "none are here. Close files after each output, or give the run time to come to its end"
    )
    return Problem("unterminated", message, loses_data=True, line=found.line, end=found.end)


def _nothing(stream: BinaryIO, readers: Sequence[BlockReader], limits: Limits, is_text: bool) -> Failure:
    """The failure for a text without any block: what the file is, where that is known; else how it begins, and what can
    be read here. It does not guess why there is nothing."""
    read_here = f"Give a Darshan log (*.darshan), or one of: {', '.join(sorted(r.title for r in readers))}."
    if not is_text:
        return Failure("unrecognised", "not a log that we know", read_here)
    changed = changed_letters(stream, limits.line_bytes)
    if changed is not None:
        return Failure("unrecognised", changed.message, _AS_IT_IS)
    cues = _cues(stream, limits)
    if _HINTS in cues:
        message = "no MPI-IO statistics block found, only hints: statistics were not switched on"
        return Failure("unrecognised", message, _SWITCH_ON)
    if cues:
        return Failure("unrecognised", _SET_BUT_ABSENT, _LOOK_WHETHER)
    head, tail = _ends(stream, limits)
    kind = unsupported_format(head) or unsupported_format(tail)
    if kind is not None:
        return Failure("unsupported", f"{kind.named}: {kind.holds}", kind.instead)
    return Failure("unrecognised", f"nothing that is read here{_beginning(head)}", read_here)


def _ends(stream: BinaryIO, limits: Limits) -> tuple[bytes, bytes]:
    """The first and the last lines, since programs print their times at the end."""
    stream.seek(0)
    head: bytes | None = None
    tail = b""
    for chunk in LineSource(stream, limits.line_bytes):
        head = chunk.data[:HEAD_BYTES] if head is None else head
        tail = (tail + chunk.data)[-HEAD_BYTES:]
    return head or b"", tail


def _beginning(head: bytes) -> str:
    """The first line that is not blank, unchanged."""
    for raw in head.splitlines():
        text = printable(decoded(raw)[0]).strip()
        if any(c.isalnum() for c in text):
            return f'; it begins with "{text[:MOST_SHOWN]}{"…" if len(text) > MOST_SHOWN else ""}"'
    return ""


def _with_reasons(failure: Failure, problems: Sequence[Problem], notes: Sequence[Problem]) -> Failure:
    """What was skipped may have held the block."""
    reasons = "; ".join(p.message for p in (*(p for p in problems if p.code in _LEFT_OUT), *notes))
    return replace(failure, message=f"{failure.message} ({reasons})") if reasons else failure


def _cues(stream: BinaryIO, limits: Limits) -> frozenset[bytes]:
    stream.seek(0)
    wanted = (_HINTS, *_SWITCHED_ON)
    return frozenset(c for chunk in LineSource(stream, limits.line_bytes) for c in wanted if c in chunk.data)
