"""What is known of a format that is not read: how it is told, what it holds, what to give instead."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from iotriage_parsers.frozen import frozen

RUN: Final = (
    "For a diagnosis give the run's Darshan log, or, where it does MPI-IO on Cray MPICH, its standard error with "
    "MPICH_MPIIO_STATS=1."
)
PROFILE: Final = f"It says how often and how long, not which files in what sizes. {RUN}"


@frozen
class UnsupportedFormat:
    """`line` matches what a line of the file begins with, or with `anywhere` a part of one; `named` says what the file
    is, and `holds` what that has."""

    title: str
    named: str
    line: bytes
    anywhere: bool
    holds: str
    instead: str

    @property
    def cue(self) -> re.Pattern[bytes]:
        return cue_of([self])


def kind_of(
    title: str, line: bytes, holds: str, instead: str, *, named: str | None = None, anywhere: bool = False
) -> UnsupportedFormat:
    return UnsupportedFormat(title, named or f"output of {title}", line, anywhere, holds, instead)


def cue_of(kinds: Collection[UnsupportedFormat]) -> re.Pattern[bytes]:
    """Finds the first line of any of the kinds in a text."""
    begins = b"|".join(kind.line for kind in kinds if not kind.anywhere)
    within = [kind.line for kind in kinds if kind.anywhere]
    return re.compile(b"|".join(([rb"^[ \t>`]{0,40}+(?:" + begins + rb")"] if begins else []) + within), re.MULTILINE)


RATES: Final = (
    "It says what the file system gave a benchmark, in a form that is not read. For a measure that jobs can be judged "
    "by give what IOR or mdtest prints; for a diagnosis of a job its Darshan log."
)
ACCOUNTING: Final = f"It says how the job ended and what it used, not what it read and wrote. {RUN}"
