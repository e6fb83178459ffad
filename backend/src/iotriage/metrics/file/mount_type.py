"""On what kind of mount the largest file is, and where most of the time passes."""

from __future__ import annotations

from iotriage.metrics.core.about import About
from iotriage.metrics.core.families import MetricsOf
from iotriage.metrics.core.metric import NO_TIME, Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.tables.files.by_mount import OnMount, by_mount
from iotriage.metrics.tables.files.largest import largest_file
from iotriage.metrics.tables.mounts import (
    IN_MEMORY,
    MEMORY_FOLDER,
    NFS,
    OF_A_NODE,
    ON_DISKS,
    UNNAMED,
    in_folder_of_one_node,
    type_above,
)

MOSTLY = 0.5
"""Of the seconds in reads and writes, from which they are one file system's."""


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


@metric(
    "file.lies_on",
    "What the largest file lies on",
    "word",
    formula="by file.mount_type, or else by a folder that is of a node whatever is mounted there: node-memory, "
    "node-disk, node (one of the two), nfs, shared (any other mount); else unknown",
    needs="a Darshan log with records by file",
)
def lies_on(s: Selection) -> Outcome:
    best, kind = largest_file(s), outcome(s, "file.mount_type")
    if not s.whole.parts:
        return kind
    if isinstance(kind, Value):
        on = next((on for on, types in _LIES_ON.items() if kind.value in types), "shared")
        return Value(on, kind.confidence, kind.where)
    name = None if best is None else best[0].name_of(best[2])
    if name is None or not in_folder_of_one_node(name):
        return Value("unknown", "inferred")
    return Value("node-memory" if name.startswith(MEMORY_FOLDER) else "node", "inferred")


@metric(
    "file.served",
    "Whether a server has the largest file",
    "word",
    formula="no where file.lies_on is storage of a node, and job.nnodes is 1: there the ranks take no locks of one "
    "another; yes where it is nfs or shared; unknown where no source says, or several nodes share what is called a "
    "disk",
    needs="nothing: without a mount table it is unknown",
)
def served(s: Selection) -> Outcome:
    on, nodes = outcome(s, "file.lies_on"), outcome(s, "job.nnodes")
    if isinstance(on, Absent) or on.value == "unknown":
        return Value("unknown", "inferred")
    if on.value not in OF_A_NODE:
        return Value("yes", on.confidence, on.where)
    alone = isinstance(nodes, Value) and nodes.value == 1
    return Value("no" if alone else "unknown", "inferred", on.where)


_LIES_ON = {"node-memory": IN_MEMORY, "node-disk": ON_DISKS, "nfs": NFS, "unknown": UNNAMED}


@cached_per_selection
def _of_most_time(s: Selection) -> OnMount | Absent:
    every = by_mount(s)
    seconds = sum(mount.moving_s for mount in every)
    if not s.logs:
        return Absent("no source says where the bytes went", (DARSHAN,))
    if not every or seconds < NO_TIME or every[0].moving_s < MOSTLY * seconds:
        return Absent("no mount point but the root has most of the time in reads and writes")
    return every[0]


@metric(
    "file.time_mount_type",
    "Type of the mount on which most of the read and write time passes",
    "word",
    formula="the type of the mount point, without the root, of whose files the slowest rank takes most seconds in "
    f"reads and writes, where these are at least {MOSTLY:.0%} of the same of all mounts, added up",
    needs="a Darshan log with records by file",
    scopes=["job"],
    of=_of_most_time,
)
def time_mount_type(found: OnMount) -> Outcome:
    return Value(found.type, "inferred")


@metric(
    "file.time_mount_rate",
    "Rate on the mount on which most of the read and write time passes",
    "B/s",
    formula="bytes moved on the mount of file.time_mount_type / the seconds of its slowest rank in reads and writes "
    "there",
    needs="a Darshan log with records by file",
    scopes=["job"],
    of=_of_most_time,
)
def time_mount_rate(found: OnMount) -> Outcome:
    return Value(found.bytes / found.moving_s, "inferred")


@cached_per_selection
def _of_most_metadata(s: Selection) -> OnMount | Absent:
    every = by_mount(s)
    if not s.logs:
        return Absent("no source says where the files lie", (DARSHAN,))
    seconds, most = sum(mount.metadata_s for mount in every), max(every, key=_metadata_s, default=None)
    if most is None or seconds < NO_TIME or most.metadata_s < MOSTLY * seconds:
        return Absent("no mount point but the root has most of the time in metadata calls")
    return most


def _metadata_s(mount: OnMount) -> float:
    return mount.metadata_s


_metrics_of_most_metadata = MetricsOf(_of_most_metadata, needs="a Darshan log with records by file", scopes=["job"])
_metrics_of_most_metadata.value(
    "file.metadata_mount_type",
    "Type of the mount on which most of the metadata time passes",
    "word",
    lambda found: Value(found.type, "inferred"),
    formula="the type of the mount point, without the root, for whose files the slowest rank takes most seconds in "
    f"metadata calls, where these are at least {MOSTLY:.0%} of the same of all mounts, added up",
)
_metrics_of_most_metadata.value(
    "file.metadata_mount_written",
    "Bytes written on the mount on which most of the metadata time passes",
    "B",
    lambda found: Value(found.written, "inferred"),
    formula="bytes written on the mount of file.metadata_mount_type",
    about=About(direction="write"),
)


@_metrics_of_most_metadata(
    "file.metadata_mount_write_rate",
    "Rate of writing, with the closes, on the mount on which most of the metadata time passes",
    "B/s",
    formula="file.metadata_mount_written / the seconds of its slowest rank in writes and metadata calls there",
    about=About(direction="write"),
)
def metadata_mount_write_rate(found: OnMount) -> Outcome:
    if not found.written:
        return Absent("nothing was written there")
    return Value(found.written / (found.writes_s + found.metadata_s), "inferred")
