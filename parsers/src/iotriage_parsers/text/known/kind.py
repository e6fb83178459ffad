"""What is known of a format that is not read: how it is told, what it holds, what to give instead."""

from __future__ import annotations

import re
from typing import Final

from iotriage_parsers.frozen import frozen

RUN: Final = (
    "For a diagnosis give the run's Darshan log, or, where it does MPI-IO on Cray MPICH, its standard error with "
    "MPICH_MPIIO_STATS=1."
)
PROFILE: Final = f"It says how often and how long, not which files in what sizes. {RUN}"


@frozen
class UnsupportedFormat:
    """`cue` is searched in the first bytes of the file, line by line; `named` says what the file is, and `holds` what
    that has."""

    title: str
    named: str
    cue: re.Pattern[bytes]
    holds: str
    instead: str


def kind_of(
    title: str, cue: bytes, holds: str, instead: str, *, named: str | None = None, anywhere: bool = False
) -> UnsupportedFormat:
    """`cue` is what a line begins with, but where it may stand `anywhere` in one."""
    return UnsupportedFormat(
        title,
        named or f"output of {title}",
        re.compile(cue if anywhere else rb"^[ \t>`]{0,40}(?:" + cue + rb")", re.MULTILINE),
        holds,
        instead,
    )


RATES: Final = (
    "It says what the file system gave a benchmark, in a form that is not read. For a measure that jobs can be judged "
    "by give what IOR or mdtest prints; for a diagnosis of a job its Darshan log."
)
ACCOUNTING: Final = f"It says how the job ended and what it used, not what it read and wrote. {RUN}"
