"""The process that makes a second opinion: `python -m iotriage.verification.opinion_child MEMORY_BYTES CPU_SECONDS
FILE_BYTES [MEMBER]` takes a log on standard input and writes an `Opinion` as JSON.

It runs the library that is not safe with bytes of strangers, and gives up what a reader gives up; so the log, which it
gets open, is copied into its scratch folder: pydarshan opens what it reads by name.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import BinaryIO

from iotriage.confinement import Limits, confine, isolate_server
from iotriage.confinement.scratch import make_scratch
from iotriage.verification.awaited import end_if_unawaited
from iotriage.verification.opinion import (
    OPINION,
    ComparedPart,
    DifferingValues,
    NoSecondOpinion,
    Opinion,
    SecondOpinion,
)
from iotriage.verification.verify import NotCompared, Verified
from iotriage.verification.verify_child import compared
from iotriage_parsers.detect import member_of
from iotriage_parsers.evidence import Failure
from iotriage_parsers.reader import Limits as ReaderLimits

LISTED = 200
"""Kinds of differences that are listed; a damaged log can have one for each counter."""
LONGEST_TEXT = 300


def opinion_on(stream: BinaryIO, member: int | None, folder: Path) -> Opinion:
    """Both readings and what they differ in. `folder` takes a copy of the log."""
    path = folder / "log.darshan"
    with member_of(stream, member, ReaderLimits()) as log:
        if log is None or isinstance(log, Failure):
            return NoSecondOpinion("no-log", "The source, or this file of it, cannot be unpacked.")
        with path.open("wb") as copy:
            shutil.copyfileobj(log, copy)
    found = compared(path)
    if isinstance(found, NotCompared):
        return NoSecondOpinion(found.kind, _cut(found.reason))
    return _summed_up(found)


def _summed_up(found: Verified) -> SecondOpinion:
    differences = [
        DifferingValues(
            part=part.part,
            what=_cut(one.what),
            values=one.values,
            ours=_cut(one.ours) if isinstance(one.ours, str) else one.ours,
            theirs=_cut(one.theirs) if isinstance(one.theirs, str) else one.theirs,
            record=None if one.record is None else str(one.record),
            rank=one.rank,
            reason=one.reason,
        )
        for part in found.parts
        for one in part.differences
    ]
    return SecondOpinion(
        "compared",
        found.pydarshan,
        found.agreed,
        found.differing,
        tuple(ComparedPart(part.part, part.agreed, part.differing) for part in found.parts),
        tuple(differences[:LISTED]),
        len(differences[LISTED:]),
    )


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}…"


def main(memory_bytes: str, cpu_seconds: str, file_bytes: str, member: str | None = None) -> None:
    # What the library prints must not stand in the answer.
    answer = os.dup(1)
    os.dup2(2, 1)
    isolate_server(Path(tempfile.gettempdir()))
    pid = os.fork()
    if pid != 0:
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        os._exit(code if code >= 0 else 128 - code)
    scratch = make_scratch()
    confine(Limits(int(memory_bytes), float(cpu_seconds), int(file_bytes)), scratch)
    end_if_unawaited(answer)
    with os.fdopen(0, "rb") as stream, os.fdopen(answer, "wb") as out:
        try:
            opinion = opinion_on(stream, None if member is None else int(member), scratch)
        except MemoryError:
            opinion = NoSecondOpinion("too-much", "Reading the log twice needs more memory than it may take.")
        out.write(OPINION.dump_json(opinion))


if __name__ == "__main__":
    main(*sys.argv[1:])
