"""What Cray MPICH's MPI-IO complains of in a job's text: failed reads and writes (ADIOI_CRAY_READCONTIG, WRITECONTIG),
DVS stripe widths that were cut, internal errors, those of ROMIO too, and the abort that follows.

Thousands of ranks say the same, so the lines are summed up: one part for each errno, pair of widths, place, code.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from iotriage_parsers.evidence import DvsStripeWarning, InternalError, IoError, MpichAbort, Part, Problem
from iotriage_parsers.readers.mpich_warnings.machines import begins, start
from iotriage_parsers.readers.mpich_warnings.sums import copied_runs, whole, wrapped_lines
from iotriage_parsers.text.blocks import BlockReader, BlockResult
from iotriage_parsers.text.wording import plural


def _finish(parts: tuple[Part, ...], _every: tuple[Part, ...]) -> BlockResult:
    summed = whole(parts)
    errors = [p for p in parts if isinstance(p, IoError)]
    copies = sum(p.count for p in copied_runs(errors))
    said = (
        f"{plural(copies, 'line')} of MPI-IO errors stand in the text twice, as where a mail quotes them: counted once"
    )
    twice = (Problem("duplicate-block", said),) if copies else ()
    torn = {c.line for p in errors for c in p.calls if not c.complete}
    lost = sorted(torn - wrapped_lines(errors))
    if not lost:
        return BlockResult(summed, twice)
    lines = "1 line" if len(lost) == 1 else f"{len(lost):,} lines"
    message = f"{lines} of MPI-IO errors torn or cut off, first on line {lost[0]}: counted with what they show"
    return BlockResult(summed, (*twice, Problem("torn", message, loses_data=True, line=lost[0])))


def _suffices(parts: tuple[Part, ...]) -> bool:
    """An abort alone may have nothing to do with I/O."""
    return any(not isinstance(p, MpichAbort) for p in parts)


def _describe(parts: tuple[Part, ...]) -> str | None:
    contents = [*_errors(parts), *_warnings(parts)]
    return f"MPI-IO complaints: {', '.join(contents)}" if contents else None


def _errors(parts: tuple[Part, ...]) -> Iterator[str]:
    for part in parts:
        if isinstance(part, IoError):
            number = "unknown errno" if part.errno is None else part.name or f"errno {part.errno}"
            yield f"{plural(part.count, f'failed {part.operation}')} ({number})"
        elif isinstance(part, InternalError):
            yield f"{plural(part.count, 'internal error')} ({part.function})"


def _warnings(parts: tuple[Part, ...]) -> Iterator[str]:
    dvs = sum(p.count for p in parts if isinstance(p, DvsStripeWarning))
    if dvs:
        yield plural(dvs, "DVS warning")
    aborted = sum(p.count for p in parts if isinstance(p, MpichAbort))
    if aborted:
        yield plural(aborted, "abort")


reader: Final = BlockReader(
    id="mpich_warnings",
    title="Cray MPICH MPI-IO errors and warnings",
    anchors=(
        b"ADIOI_CRAY_",
        b"Assertion failed in file",
        b"Error in ADIOI_",
        b"MPIIO WARNING: DVS ",
        b"MPICH ERROR [Rank ",
        b"See MPICH_MPIIO_ABORT_ON_RW_ERROR",
    ),
    begins=begins,
    start=start,
    describe=_describe,
    finish=_finish,
    suffices=_suffices,
    precedence=40,
)
