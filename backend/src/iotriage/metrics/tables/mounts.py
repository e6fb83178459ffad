"""Which file systems of a mount table are meant for the data of jobs, and which directories are homes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from iotriage.metrics.core.selection import Selection
from iotriage_parsers.evidence import Mount

TYPES: Mapping[Literal["lustre", "gpfs", "weka", "beegfs", "daos", "nfs"], tuple[str, ...]] = {
    "lustre": ("lustre", "lustre_lite"),
    "gpfs": ("gpfs", "mmfs"),
    "weka": ("weka", "wekafs"),
    "beegfs": ("beegfs", "fhgfs", "beegfs_nodev"),
    "daos": ("daos", "dfuse", "fuse.daos"),
    "nfs": ("nfs", "nfs3", "nfs4"),
}
"""The mount table's names for file systems of each kind. VAST is mounted as NFS, as homes are; the table does not tell
them apart."""

NFS = frozenset(TYPES["nfs"])

_OTHER_PARALLEL = ("panfs", "pvfs2", "orangefs", "ceph")
PARALLEL = frozenset((*(name for kind, names in TYPES.items() if kind != "nfs" for name in names), *_OTHER_PARALLEL))
"""Types of file systems that are meant for the data of jobs."""

BURST_BUFFER = "datawarp"
CVMFS = "cvmfs"
"""Also the folder below which all of it is mounted: the mount table says fuse."""
_SHARES = ("cifs", "smb3", "smbfs", "afs", "openafs", CVMFS, "fuse.cvmfs2")
_THROUGH_FUSE = ("fuse.ceph", "fuse.ceph-fuse", "fuse.glusterfs", "fuse.sshfs", "fuse.juicefs", "fuse.unifyfs")
_OBJECTS_AS_FILES = (
    "fuse.s3fs",
    "fuse.goofys",
    "fuse.geesefs",
    "fuse.gcsfuse",
    "fuse.rclone",
    "fuse.blobfuse",
    "fuse.blobfuse2",
    "fuse.mountpoint-s3",
)
OF_ANOTHER_KIND = frozenset((BURST_BUFFER, *_OTHER_PARALLEL, *_SHARES, *_THROUGH_FUSE, *_OBJECTS_AS_FILES))
"""The mount table's names for other file systems than Lustre and those with a kind of their own. Names that do not
identify a file system, such as DVS or autofs, are not among these."""

ON_DISKS = frozenset({"xfs", "ext2", "ext3", "ext4", "btrfs", "zfs", "jfs", "reiserfs"})

IN_MEMORY = frozenset({"tmpfs", "ramfs", "devtmpfs"})
"""File systems in a node's memory."""

OF_ONE_NODE = ON_DISKS | IN_MEMORY
"""File systems on a node's own disk or memory: ranks that share a file there run on one node."""

UNNAMED = frozenset({"autofs", "rootfs", "none"})
"""The mount table's name for a mount that does not say what is behind it."""

MEMORY_FOLDER = "/dev/shm/"
OF_A_NODE = ("node-memory", "node-disk", "node")
"""Values of file.lies_on for a node's own storage, which no server holds and other nodes cannot see."""
_FOLDERS_OF_ONE_NODE = ("/tmp/", "/var/tmp/", MEMORY_FOLDER)
_DISK_OF_ONE_NODE = re.compile(
    r"/(?:mnt/bb|lscratch|scratch/(?:local|nvme)\d*|(?:mnt/)?[^/]{0,40}(?:local|nvme)[^/]{0,40})/"
)
"""Directories that are called so are on a disk of the node."""


def in_folder_of_one_node(path: str) -> bool:
    """Whether the path is in a folder of the node itself, where nothing is known to be mounted there."""
    return path.startswith(_FOLDERS_OF_ONE_NODE) or _DISK_OF_ONE_NODE.match(path) is not None


IN_ONE_FILE = frozenset({"squashfs", "erofs", "fuse.squashfuse", "fuse.squashfuse_ll"})
"""What an image is mounted as that is one file, of a container or not."""

IN_AN_IMAGE = IN_ONE_FILE | {"overlay", "fuse.fuse-overlayfs"}
"""What a container, or an environment in one file, is mounted as."""

HOMES = ("/home", "/user", "/ccs/home", "/global/")
"""Beginnings of paths on home, which few other paths have; checked before `HOME`, to save time."""

HOME = re.compile(r"/(home\d*|homes|users?|ccs/home|global/(homes|u\d+))(/|$)")
"""Directories that centres keep for home: small, backed up, and not for the output of jobs."""

_FOR_HOMES = re.compile(r"/(home\d*|homes|users?)(/|$)")
"""Where a centre has several homes, as one for each network, the name is not the first of the path."""


def home_mounts(mounts: Sequence[Mount]) -> tuple[str, ...]:
    """What paths begin with in the homes of a mount table: mounts of NFS that are called so anywhere in their path. A
    parallel file system may be called so too, and is none."""
    found = (m.path.rstrip("/") + "/" for m in mounts if m.fs_type.lower() in NFS and _FOR_HOMES.search(m.path))
    return tuple(dict.fromkeys(found))


def parallel_mounts(mounts: Sequence[Mount]) -> tuple[Mount, ...]:
    """The mounts that are for the data of jobs."""
    return tuple(m for m in mounts if m.fs_type.lower() in PARALLEL and not HOME.match(m.path))


DATAWARP = "/var/opt/cray/dws/"
"""Where Cray mounts a job's share of the burst buffer, through DVS too: its solid-state disks are no file system behind
a forwarding node."""


def mount_above(path: str, mounts: Sequence[Mount]) -> Mount | None:
    """The longest mount point above the path. None where only the root is above it, since the path may then go through
    a symbolic link."""
    above = [m for m in mounts if m.path != "/" and path.startswith(m.path.rstrip("/") + "/")]
    return max(above, key=lambda m: len(m.path), default=None)


def mount_points_of(paths: Iterable[str], mounts: Iterable[Mount]) -> list[str | None]:
    """Of each path that of `mount_above`. Of a hundred thousand paths most lie in few folders."""
    names = {f"{mount.path.rstrip('/')}/": mount.path for mount in mounts if mount.path != "/"}
    of_folder: dict[str, str | None] = {}
    found = []
    for path in paths:
        folder = path[: path.rfind("/") + 1]
        if folder not in of_folder:
            above = folder
            while above and above not in names:
                above = above[: above.rfind("/", 0, -1) + 1]
            of_folder[folder] = names.get(above)
        found.append(of_folder[folder])
    return found


def mounts_of(job: Selection) -> tuple[Mount, ...]:
    """Those of all logs of the job."""
    return tuple(dict.fromkeys(mount for rows in job.logs for mount in rows.log.job.mounts))


def type_above(path: str, mounts: Sequence[Mount]) -> str | None:
    """The type of that mount point, in lower case."""
    above = mount_above(path, mounts)
    return None if above is None else type_on(path, above)


def type_on(path: str, mount: Mount) -> str:
    """The type of the mount above the path, in lower case."""
    kind = mount.fs_type.lower()
    return BURST_BUFFER if kind == "dvs" and path.startswith(DATAWARP) else kind
