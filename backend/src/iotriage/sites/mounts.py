"""What kind of file system a path is on: by the site's profile, else by the job's own mount table."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import get_args

from iotriage.metrics.tables.mounts import OF_ANOTHER_KIND, OF_ONE_NODE, TYPES, in_folder_of_one_node, type_on
from iotriage.sites.site import FileSystem, FileSystemKind
from iotriage_parsers.evidence import Mount

_LOCAL = OF_ONE_NODE | {"rootfs", "overlay"}

_OTHER_NAMES: dict[str, FileSystemKind] = {name: kind for kind, names in TYPES.items() for name in names[1:]}

_CALLED_GPFS = ("/gpfs/", "/mmfs1/")
"""Mount points whose names identify the file system where there is no mount table."""

_KINDS: frozenset[FileSystemKind] = frozenset(get_args(FileSystemKind))


def kind_on(known: FileSystem | None, mounts: Sequence[Mount], path: str) -> FileSystemKind:
    """The kind of file system that holds `path`. A profile that knows the path decides, by the file system of its that
    holds it; then the longest mount point above it. A path under "/" alone, in a job that has other file systems, may
    go through a symbolic link: unknown."""
    if known is not None and known.kind != "unknown":
        return known.kind
    nearest = max([m for m in mounts if _holds(m.path, path)], key=lambda m: len(m.path), default=None)
    if (nearest is None or nearest.path == "/") and in_folder_of_one_node(path):
        return "local"
    if nearest is None:
        return "gpfs" if path.startswith(_CALLED_GPFS) else "unknown"
    kind = kind_of(type_on(path, nearest))
    if nearest.path == "/" and any(kind_of(m.fs_type) not in (kind, "local") for m in mounts):
        return "unknown"
    return kind


@lru_cache(maxsize=256)
def kind_of(fs_type: str) -> FileSystemKind:
    """The kind behind a name of the mount table ("xfs", "nfs4", …); unknown for a name that is not listed. VAST is
    mounted as NFS and cannot be distinguished from it."""
    name = fs_type.lower()
    if name in _LOCAL:
        return "local"
    if name in OF_ANOTHER_KIND:
        return "other"
    return next((k for k in _KINDS if k == name), _OTHER_NAMES.get(name, "unknown"))


def types_of(*kinds: FileSystemKind) -> tuple[str, ...]:
    """What the mount table may call file systems of these kinds, those that `kind_of` knows by lists apart: conditions
    compare words, and one kind has several."""
    return (*kinds, *(name for name, kind in _OTHER_NAMES.items() if kind in kinds))


def _holds(mount: str, path: str) -> bool:
    under = path.startswith(mount)
    return under and (mount.endswith("/") or len(path) == len(mount) or path[len(mount)] == "/")
