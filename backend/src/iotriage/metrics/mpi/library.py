"""Which MPI library the program ran with."""

from __future__ import annotations

import re
from collections.abc import Iterator

from iotriage.metrics.core.metric import Absent, Outcome, Value, Where
from iotriage.metrics.core.missing_evidence import ENVIRONMENT
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.files.names_as_text import may_have, names_as_text
from iotriage_parsers.evidence import JobContext, Lines, MpichEnvironment, MpiioHints, MpiioTimers

CRAY_MPICH = "cray-mpich"

_MODULES = (
    (CRAY_MPICH, re.compile(r"cray-mpich(?:-abi|-ucx)?(?:/|$)")),
    ("spectrum-mpi", re.compile(r"spectrum[-_]mpi(?:/|$)")),
    ("openmpi", re.compile(r"(?:openmpi|ompi)(?:/|-|$)")),
    ("intel-mpi", re.compile(r"(?:impi|intel-?mpi|intel-oneapi-mpi)(?:/|$)")),
    ("mvapich", re.compile(r"mvapich2?(?:/|-|$)")),
    ("mpich", re.compile(r"mpich(?:/|$)")),
)
"""What modules are called at the beginning of their names."""


@metric(
    "mpi.library",
    "MPI library",
    "word",
    formula="cray-mpich where its statistics, timers, hints or version are printed; Open MPI where its hints are; else "
    "by the modules that the job script loads, or Spectrum MPI where jsrun starts the program; else by the variables "
    "of the library that the script sets (I_MPI_…, OMPI_…, MV2_…); else Open MPI where it has files of its own below "
    "its session directory (ompi.…), or beside one that it opened (….locktest.0)",
    needs="output of the MPI library, the job script, or a Darshan log with files that the library makes",
    scopes=["job"],
)
def mpi_library(s: Selection) -> Outcome:
    found = next(_printed(s), None) or next(_loaded(s), None) or next(_set(s), None) or next(_left_files(s), None)
    return Absent("no source says which MPI library it was", (ENVIRONMENT,)) if found is None else found


def _printed(s: Selection) -> Iterator[Value]:
    for i, environment in s.of(MpichEnvironment):
        yield Value(CRAY_MPICH, where=(Where(i, environment.lines),))
    for block in s.stats:
        yield Value(CRAY_MPICH, where=(Where(block.source, block.block.lines),))
    for i, timers in s.of(MpiioTimers):
        yield Value(CRAY_MPICH, where=(Where(i, timers.lines),))
    for i, hints in s.of(MpiioHints):
        if hints.printed_by in ("cray-mpich", "ompio"):
            yield Value(CRAY_MPICH if hints.printed_by == CRAY_MPICH else "openmpi", where=(Where(i, hints.lines),))


def _loaded(s: Selection) -> Iterator[Value]:
    for i, script in s.of(JobContext):
        for command in reversed(script.modules):
            for name in reversed(command.names if command.action in ("load", "swap") else ()):
                library = next((library for library, pattern in _MODULES if pattern.match(name)), None)
                if library is not None:
                    yield Value(library, "inferred", (Where(i, Lines(command.line, command.line)),))
        for launch in script.launches:
            if launch.launcher == "jsrun":
                yield Value("spectrum-mpi", "inferred", (Where(i, Lines(launch.line, launch.line)),))


def _set(s: Selection) -> Iterator[Value]:
    """By variables that one library alone knows. Those of Cray's are set in vain where another runs."""
    for i, script in s.of(JobContext):
        for setting in script.environment:
            library = next((name for name, begins in _VARIABLES if setting.name.startswith(begins)), None)
            if library is not None and setting.value is not None:
                yield Value(library, "inferred", (Where(i, Lines(setting.line, setting.line)),))


_VARIABLES = (("intel-mpi", "I_MPI_"), ("openmpi", "OMPI_"), ("mvapich", "MV2_"))


def _left_files(s: Selection) -> Iterator[Value]:
    """By what the library itself writes: Open MPI keeps shared file pointers below the directory of its session, and
    beside a file that it opens each rank tries whether that can be locked."""
    for rows in s.logs:
        # Most logs have no such name: that is seen before the pattern is tried.
        if rows.posix is not None and may_have(rows, _ITS_OWN) and _OF_OMPIO.search(names_as_text(rows)):
            yield Value("openmpi", "inferred", rows.where(rows.posix, "POSIX_OPENS"))


_ITS_OWN = ("/ompi.", "/openmpi-sessions-", ".locktest.")
_OF_OMPIO = re.compile(r"/(?:ompi\.|openmpi-sessions-)[^/\n]+/|\.locktest\.\d+$", re.MULTILINE)
