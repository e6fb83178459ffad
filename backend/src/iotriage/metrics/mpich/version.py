"""Which MPI library it was."""

from __future__ import annotations

from iotriage.metrics.core.metric import Absent, Outcome, Value, Where
from iotriage.metrics.core.missing_evidence import ENVIRONMENT
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage_parsers.evidence import Lines, MpichEnvironment


@metric(
    "mpich.version",
    "Version of the MPI library",
    "word",
    formula="the library's banner, else the cray-mpich module that was loaded",
    needs="MPICH_VERSION_DISPLAY, or a module list in the job's output",
    scopes=["job"],
)
def mpich_version(s: Selection) -> Outcome:
    for i, part in s.of(MpichEnvironment):
        version = part.version
        if version is not None:
            return Value(version.version, where=(Where(i, Lines(version.line, version.line)),))
    return Absent("no source states the version of the MPI library", (ENVIRONMENT,))
