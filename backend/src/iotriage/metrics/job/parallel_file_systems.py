"""Which file systems the job's own mount table offers for its data."""

from __future__ import annotations

import re
from collections import Counter

from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.files.uses import file_uses
from iotriage.metrics.tables.mounts import mount_above, parallel_mounts


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
    formula="of the mount points of job.parallel_file_systems the one to which the job writes most; else the first, in "
    "the order of their names, that is named after scratch, work or projects, or the first",
    needs="a Darshan log",
    scopes=["job"],
)
def work_directory(s: Selection) -> Outcome:
    found = {m.path: m for rows in s.logs for m in parallel_mounts(rows.log.job.mounts)}
    if not found:
        return Absent("the log's mount table has no parallel file system but home", () if s.logs else (DARSHAN,))
    written: Counter[str] = Counter()
    for use in file_uses(s):
        above = mount_above(use.path, tuple(found.values())) if use.bytes_written else None
        if above is not None:
            written[above.path] += use.bytes_written or 0
    return Value(min(found, key=lambda path: (-written[path], FOR_JOBS.search(path) is None, path)))


FOR_JOBS = re.compile(r"(?<![a-z])(scratch|work|project|nobackup)", re.IGNORECASE)
"""What centres name a file system after that their users' jobs write to: others hold software, or are flash that a
project asks for."""
