"""Which file systems the job's own mount table offers for its data, and which directories are homes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage_parsers.evidence import Mount

PARALLEL = frozenset(
    {"lustre", "lustre_lite", "gpfs", "mmfs", "beegfs", "fhgfs", "daos", "dfuse", "fuse.daos", "weka", "wekafs"}
    | {"panfs", "pvfs2", "orangefs", "ceph"}
)
"""Types of the mount table that are for the data of jobs. VAST is mounted as NFS, as homes are: it cannot be told."""

HOME = re.compile(r"/(home\d*|homes|users?|ccs/home|global/(homes|u\d+))(/|$)")
"""Directories that centres keep for home: small, backed up, and not for the output of jobs."""


@metric(
    "job.parallel_file_systems",
    "Parallel file systems at hand, homes left out",
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
    "A parallel file system at hand",
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


def parallel_mounts(mounts: Sequence[Mount]) -> tuple[Mount, ...]:
    """The mounts that are for the data of jobs."""
    return tuple(m for m in mounts if m.fs_type.lower() in PARALLEL and not HOME.match(m.path))
