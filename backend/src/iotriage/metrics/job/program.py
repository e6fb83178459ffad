"""Which program ran."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Literal

from iotriage.metrics.core.metric import NO_TIME, Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import LogRows, Selection
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.core.text_statements import launched_program, program_of
from iotriage.metrics.tables.rank_times import longest_possible_of_a_rank
from iotriage.metrics.tables.stages import over_stages
from iotriage_parsers.evidence import CrayPatReport, DarshanLog, DarshanSummary, Job, JobContext


@metric(
    "job.program",
    "Program",
    "word",
    formula="the name of the executable, without its folder, of Darshan's job record, of several logs that of the "
    "program that was longest in I/O in all of its steps, and where none has any that with most ranks, and of these "
    "the longest run; else that of CrayPAT or of the job script's launch",
    needs="a source that names the program",
    scopes=["job"],
)
def program(s: Selection) -> Outcome:
    name = next(iter(programs_with_io(s)), None)
    if name is not None:
        return Value(name)
    named = any(True for _ in _executables(s))
    return Absent("the program's name is empty") if named else Absent("no source names the program", (DARSHAN,))


INTERPRETERS = re.compile(
    r"(?P<python>i?python|pypy)[\d.]*|(?P<other>java|julia|Rscript|R|perl|ruby|node|matlab|MATLAB|octave)[\d.]*"
)


def interpreter(s: Selection) -> Literal["python", "other"] | None:
    """What ran the program that moves the data, where that is no program of C or Fortran by its name; None where it may
    be one."""
    for name in programs_with_io(s):
        known = INTERPRETERS.fullmatch(name)
        if known is not None:
            return "python" if known["python"] else "other"
    return None


WITHOUT_MPI_IO = re.compile(r"(Rscript|R|perl|ruby|node|matlab|MATLAB|octave)[\d.]*")


def has_no_mpiio(s: Selection) -> bool:
    """Whether it is written in a language whose users have no calls of MPI-IO, however many processes it has."""
    return any(WITHOUT_MPI_IO.fullmatch(name) is not None for name in programs_with_io(s))


def programs(s: Selection) -> Iterator[str]:
    """The name of each program that a source names, without its folder."""
    yield from (_name_of(found) for found in _executables(s) if found.split())


@cached_per_selection
def programs_with_io(s: Selection) -> tuple[str, ...]:
    """Of several programs that left logs the one that was longest in I/O, in all of its steps, by its name and that of
    the archive that Java runs; what another step of the job is, as a copy before it, says nothing of it. Where no log
    has I/O, as `programs`."""
    spent: dict[str, list[tuple[LogRows, float]]] = {}
    for rows in s.logs:
        if rows.log.job.executable:
            longest = longest_possible_of_a_rank(rows.highest, rows.nprocs)
            spent.setdefault(rows.log.job.executable, []).append((rows, longest))
    seconds = {name: over_stages(s, of_steps) for name, of_steps in spent.items()}
    most = max(seconds, key=lambda name: seconds[name], default=None)
    if most is None or seconds[most] <= NO_TIME:
        return tuple(programs(s))
    archives = (_archive(rows.log.job) for rows in s.logs if rows.log.job.executable == most)
    return (_name_of(most), *dict.fromkeys(name for name in archives if name is not None))


def command_lines_with_io(s: Selection) -> tuple[str, ...]:
    """Those that logs have of the program that `programs_with_io` names."""
    name = next(iter(programs_with_io(s)), None)
    lines = (rows.log.job.command_line for rows in s.logs if _name_of(rows.log.job.executable or "") == name)
    return tuple(dict.fromkeys(line for line in lines if line))


def scripts_with_io(s: Selection) -> tuple[str, ...]:
    """What an interpreter runs as a command of that name, where it is the program that moves the data: a script that
    somebody wrote for the job has an ending."""
    if interpreter(s) is None:
        return ()
    lines = (line.split()[1:] for line in command_lines_with_io(s))
    names = (next((PurePosixPath(w).name for w in words if not w.startswith("-")), "") for words in lines)
    return tuple(dict.fromkeys(name for name in names if name and "." not in name))


def _archive(job: Job) -> str | None:
    words = (job.command_line or "").split()
    return PurePosixPath(words[words.index("-jar") + 1]).name if "-jar" in words[:-1] else None


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
