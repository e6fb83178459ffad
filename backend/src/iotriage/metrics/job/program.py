"""Which program ran."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Literal

from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.core.text_statements import launched_program, program_of
from iotriage_parsers.evidence import CrayPatReport, DarshanLog, DarshanSummary, Job, JobContext


@metric(
    "job.program",
    "Program",
    "word",
    formula="the name of the executable, without its folder, of Darshan's job record, of several logs that with most "
    "ranks, and of these the longest run; else that of CrayPAT or of the job script's launch",
    needs="a source that names the program",
    scopes=["job"],
)
def program(s: Selection) -> Outcome:
    found = next(_executables(s), None)
    if found is None:
        return Absent("no source names the program", (DARSHAN,))
    name = _name_of(found)
    return Value(name) if name else Absent("the program's name is empty")


INTERPRETERS = re.compile(
    r"(?P<python>i?python|pypy)[\d.]*|(?P<other>java|julia|Rscript|R|perl|ruby|node|matlab|MATLAB|octave)[\d.]*"
)


def interpreter(s: Selection) -> Literal["python", "other"] | None:
    """What ran the program, where that is no program of C or Fortran by its name; None where it may be one."""
    for found in _executables(s):
        known = INTERPRETERS.fullmatch(_name_of(found))
        if known is not None:
            return "python" if known["python"] else "other"
    return None


WITHOUT_MPI_IO = re.compile(r"(Rscript|R|perl|ruby|node|matlab|MATLAB|octave)[\d.]*")


def has_no_mpiio(s: Selection) -> bool:
    """Whether it is written in a language whose users have no calls of MPI-IO, however many processes it has."""
    return any(WITHOUT_MPI_IO.fullmatch(_name_of(found)) is not None for found in _executables(s))


def programs(s: Selection) -> Iterator[str]:
    """The name of each program that a source names, without its folder, and of each archive that Java runs."""
    yield from (_name_of(found) for found in _executables(s) if found.split())
    for words in [(log.job.command_line or "").split() for _, log in s.of(DarshanLog)]:
        if "-jar" in words[:-1]:
            yield PurePosixPath(words[words.index("-jar") + 1]).name


@lru_cache(maxsize=256)
def _name_of(executable: str) -> str:
    """Without its folder and what it is given; "" of nothing but spaces."""
    words = executable.split()
    return PurePosixPath(words[0]).name if words else ""


def largest_first(steps: Iterable[Job]) -> list[Job]:
    """The steps of a job, those with most ranks first, which are the job's, and of these the longest."""
    return sorted(steps, key=lambda job: (-(job.nprocs or 0), -(job.runtime_s or 0.0)))


def _executables(s: Selection) -> Iterator[str]:
    for jobs in ([p.job for _, p in s.of(DarshanLog)], [p.job for _, p in s.of(DarshanSummary)]):
        yield from (job.executable for job in largest_first(jobs) if job.executable)
    yield from (name for _, p in s.of(CrayPatReport) if (name := program_of(p)))
    yield from (name for _, p in s.of(JobContext) if (name := launched_program(p)))
