"""What a list of quotas or of targets says that none is left of, or that there is room."""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from iotriage_parsers.frozen import frozen


@frozen
class UsedUp:
    """Space or files (inodes) of which nothing is left on the file system `mount`: what its quota allows `name` ("usr
    bob", "grp z19"), or what the target `name` has, or with `df` the file system of that name. `used` is as printed.
    `mount` is a mount point, of `quota` also what an NFS server exports, of `mmlsquota` the name of the file system
    alone."""

    of: Literal["space", "files"]
    tool: Literal["lfs quota", "quota", "mmlsquota", "lfs df -i", "df"]
    mount: str
    name: str
    used: str
    line: int
    kind: Literal["used_up"] = field(default="used_up")


@frozen
class QuotaRoom:
    """A row of a list of quotas in which neither space nor files are used up: there is room for `name` on `mount`, both
    as of `UsedUp`."""

    tool: Literal["lfs quota", "quota", "mmlsquota"]
    mount: str
    name: str
    line: int
    kind: Literal["quota_room"] = field(default="quota_room")
