"""A whole text to evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import BinaryIO, Final

from iotriage_parsers.evidence import Evidence, Failure, Problem
from iotriage_parsers.reader import Limits
from iotriage_parsers.text.blocks import BlockReader
from iotriage_parsers.text.lines import LineSource
from iotriage_parsers.text.scan import scan

_HINTS: Final = b"MPIIO hints for "
_SWITCHED_ON: Final = (b"MPICH_MPIIO_STATS=1", b"MPICH_MPIIO_STATS=2")

_SWITCH_ON: Final = (
    "Set MPICH_MPIIO_STATS=1 in the job script (export MPICH_MPIIO_STATS=1), keep the job's standard error, "
    "and run the job again."
)


def read_text(stream: BinaryIO, readers: Sequence[BlockReader], limits: Limits, is_text: bool) -> Evidence | Failure:
    """The blocks of all readers in `stream` (seekable). Named after the kind with the highest precedence."""
    stream.seek(0)
    blocks, problems = scan(stream, readers, limits)
    held = sorted((b for b in blocks if b.found.parts), key=lambda b: -b.reader.precedence)
    if not held:
        reasons = (*problems, *(p for b in blocks for p in b.found.problems))
        return _with_reasons(_nothing(stream, limits, is_text), reasons)
    parts = tuple(part for b in held for part in b.found.parts)
    return Evidence(held[0].reader.id, parts, (*problems, *(p for b in held for p in b.found.problems)))


def _nothing(stream: BinaryIO, limits: Limits, is_text: bool) -> Failure:
    if not is_text:
        return Failure(
            "unrecognised",
            "not a log that we know",
            "Give a Darshan log (*.darshan) or the job's output with the text of MPICH_MPIIO_STATS=1.",
        )
    cues = _cues(stream, limits)
    if _HINTS in cues:
        message = "no MPI-IO statistics block found, only hints: statistics were not switched on"
    elif cues:
        return Failure(
            "unrecognised",
            "no MPI-IO statistics block found, though MPICH_MPIIO_STATS is set in it",
            "Look whether the job closed a file through MPI-IO (not POSIX alone) and came to its end, and whether its "
            "standard error went elsewhere.",
        )
    else:
        message = "no MPI-IO statistics block found"
    return Failure("unrecognised", message, _SWITCH_ON)


def _with_reasons(failure: Failure, problems: Sequence[Problem]) -> Failure:
    """What was skipped may have held the block."""
    reasons = "; ".join(p.message for p in problems if p.code in ("line-too-long", "damaged", "torn"))
    return replace(failure, message=f"{failure.message} ({reasons})") if reasons else failure


def _cues(stream: BinaryIO, limits: Limits) -> frozenset[bytes]:
    stream.seek(0)
    wanted = (_HINTS, *_SWITCHED_ON)
    return frozenset(c for chunk in LineSource(stream, limits.line_bytes) for c in wanted if c in chunk.data)
