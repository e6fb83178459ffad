"""What was moved on each file system."""

from __future__ import annotations

from iotriage.sites.site import FileSystemKind
from iotriage_parsers.frozen import frozen


@frozen
class FileSystemUse:
    """`title` is the site profile's name of it, None where the profile does not know the path. `moved_bytes` is None
    where no source has the bytes of any file there."""

    kind: FileSystemKind
    title: str | None
    files: int
    moved_bytes: int | None
