"""Which file systems of a mount table are for the data of jobs, and which directories are homes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from iotriage_parsers.evidence import Mount

PARALLEL = frozenset(
    {"lustre", "lustre_lite", "gpfs", "mmfs", "beegfs", "fhgfs", "daos", "dfuse", "fuse.daos", "weka", "wekafs"}
    | {"panfs", "pvfs2", "orangefs", "ceph"}
)
"""Types of the mount table that are for the data of jobs. VAST is mounted as NFS, as homes are: it cannot be told."""

HOMES = ("/home", "/user", "/ccs/home", "/global/")
"""What a path on home begins with, and few others: that is seen before `HOME` is tried."""

HOME = re.compile(r"/(home\d*|homes|users?|ccs/home|global/(homes|u\d+))(/|$)")
"""Directories that centres keep for home: small, backed up, and not for the output of jobs."""


def parallel_mounts(mounts: Sequence[Mount]) -> tuple[Mount, ...]:
    """The mounts that are for the data of jobs."""
    return tuple(m for m in mounts if m.fs_type.lower() in PARALLEL and not HOME.match(m.path))
