"""Which file systems the job's own mount table offers for its data."""

from __future__ import annotations

from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.mounts import parallel_mounts


@metric(
    "job.parallel_file_systems",
    "Parallel file systems mounted, homes left out",
    "1",
    formula="mount points of the log's table whose type is that of a parallel file system, and which are no home",
    needs="a Darshan log",
    scopes=["job"],
)
def parallel_file_systems(s: Selection) -> Outcome:
    if not s.logs:
        return Absent("no source has the mount table", (DARSHAN,))
    return Value(len({m.path for rows in s.logs for m in parallel_mounts(rows.log.job.mounts)}))


@metric(
    "job.work_directory",
    "Parallel file system that is mounted",
    "word",
    formula="the first mount point of job.parallel_file_systems, in the order of their names",
    needs="a Darshan log",
    scopes=["job"],
)
def work_directory(s: Selection) -> Outcome:
    found = sorted({m.path for rows in s.logs for m in parallel_mounts(rows.log.job.mounts)})
    if not found:
        return Absent("the log's mount table has no parallel file system but home", () if s.logs else (DARSHAN,))
    return Value(found[0])
