"""On what kind of mount the largest file is."""

from __future__ import annotations

from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.files.largest import largest_file
from iotriage.metrics.tables.mounts import type_above


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
    kind = None if name is None else type_above(name, rows.log.job.mounts)
    if kind is None:
        return Absent("the log's mount table has no mount point above the file but the root")
    return Value(kind)
