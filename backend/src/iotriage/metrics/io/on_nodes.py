"""What is written where one node alone sees it."""

from __future__ import annotations

from iotriage.metrics.core.about import About
from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.counters import lacks_records
from iotriage.metrics.tables.files.by_mount import by_mount
from iotriage.metrics.tables.mounts import OF_ONE_NODE


@metric(
    "io.written_on_nodes",
    "Bytes written on disks and in memory of nodes",
    "B",
    about=About(direction="write"),
    formula="bytes written to files below mount points of types that one node has for itself (tmpfs, xfs, ext4, …)",
    needs="a Darshan log with a mount table and file names",
    scopes=["job"],
)
def written_on_nodes(s: Selection) -> Outcome:
    mounts = by_mount(s)
    if not mounts:
        return Absent("no source tells on which mounts files were used", () if s.logs else (DARSHAN,))
    lost = any(map(lacks_records, s.logs))
    written = sum(mount.written for mount in mounts if mount.type in OF_ONE_NODE)
    return Value(round(written), "inferred", bound="lower" if lost else None)
