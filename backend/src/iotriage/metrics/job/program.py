"""Which program ran, and on what kind of mount its largest file is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.core.text_statements import launched, program_of
from iotriage.metrics.file.striping import largest_file
from iotriage_parsers.evidence import CrayPatReport, DarshanLog, DarshanSummary, JobContext, Mount


@metric(
    "job.program",
    "Program",
    "word",
    formula="the name of the executable, without its folder, of Darshan's job record; else that of CrayPAT or of the "
    "job script's launch",
    needs="a source that names the program",
    scopes=["job"],
)
def program(s: Selection) -> Outcome:
    found = next(_executables(s), None)
    if found is None:
        return Absent("no source names the program", (DARSHAN,))
    name = PurePosixPath(found.split()[0]).name if found.split() else ""
    return Value(name) if name else Absent("the program's name is empty")


def _executables(s: Selection) -> Iterator[str]:
    yield from (p.job.executable for _, p in s.of(DarshanLog) if p.job.executable)
    yield from (p.job.executable for _, p in s.of(DarshanSummary) if p.job.executable)
    yield from (name for _, p in s.of(CrayPatReport) if (name := program_of(p)))
    yield from (name for _, p in s.of(JobContext) if (name := launched(p)))


@metric(
    "file.mount_type",
    "Type of the mount that the largest file is on",
    "word",
    formula="the type of the longest mount point above the largest file, in Darshan's mount table; the root does not "
    "count, for a path under it may go through a symbolic link",
    needs="a Darshan log with records by file",
)
def mount_type(s: Selection) -> Outcome:
    best = largest_file(s)
    if best is None:
        return Absent("no Darshan log shows a file that was read or written", (DARSHAN,))
    rows, _, record, _ = best
    name = rows.name_of(record)
    mounts = [m for m in rows.log.job.mounts if name is not None and _holds(m, name)]
    if not mounts:
        return Absent("the log's mount table has no mount point above the file but the root")
    return Value(max(mounts, key=lambda m: len(m.path)).fs_type.lower())


def _holds(mount: Mount, path: str) -> bool:
    return mount.path != "/" and path.startswith(mount.path.rstrip("/") + "/")
