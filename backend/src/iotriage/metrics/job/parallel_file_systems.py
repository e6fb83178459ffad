"""Which file systems the job's own mount table offers for its data."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np

from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.prefix import prefix_of
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.files.folders import folders_of
from iotriage.metrics.tables.mounts import mount_points_of, parallel_mounts
from iotriage_parsers.evidence import Mount


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
    if not any(rows.log.job.mounts for rows in s.logs):
        return Absent("the log has no mount table")
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
    written = _written_below(s, tuple(found.values()))
    return Value(min(found, key=lambda path: (-written[path], FOR_JOBS.search(path) is None, path)))


def _written_below(s: Selection, mounts: Sequence[Mount]) -> Counter[str]:
    """Bytes by the path of the mount point."""
    written: Counter[str] = Counter()
    for rows in s.logs:
        for table in rows.highest:
            folders = folders_of(rows, table)
            of_records = np.maximum(table.count(f"{prefix_of(table)}_BYTES_WRITTEN"), 0)
            of_files = np.bincount(table.by_id.index, of_records, len(table.by_id.ids)).astype(np.float64, copy=False)
            paths = mount_points_of(folders.names, mounts)
            for path, moved in zip(paths, folders.sums(of_files).tolist(), strict=True):
                if path is not None:
                    written[path] += moved
    return written


FOR_JOBS = re.compile(r"(?<![a-z])(scratch|work|project|nobackup)", re.IGNORECASE)
"""What centres name a file system after that their users' jobs write to: others hold software, or are flash that a
project asks for."""
