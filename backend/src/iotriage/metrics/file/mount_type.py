"""On what kind of mount the largest file is."""

from __future__ import annotations

from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.files.largest import largest_file
from iotriage_parsers.evidence import Mount


@metric(
    "file.mount_type",
    "Type of the mount that the largest file is on",
    "word",
    formula="the type of the longest mount point above the largest file, in Darshan's mount table; the root does not "
    "count, for a path under it may go through a symbolic link; Cray's burst buffer is datawarp, though it is mounted "
    "through DVS",
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
    kind = max(mounts, key=lambda m: len(m.path)).fs_type.lower()
    return Value("datawarp" if kind == "dvs" and name is not None and name.startswith(DATAWARP) else kind)


DATAWARP = "/var/opt/cray/dws/"
"""Where Cray mounts a job's share of the burst buffer, through DVS too: its solid-state disks are no file system behind
a forwarding node."""


def _holds(mount: Mount, path: str) -> bool:
    return mount.path != "/" and path.startswith(mount.path.rstrip("/") + "/")
