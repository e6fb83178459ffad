"""The kind of file system that a file of the job is on."""

from __future__ import annotations

from collections.abc import Sequence

from iotriage.metrics.tables.files.uses import FileUse
from iotriage.sites import kind_on
from iotriage.sites.site import FileSystem, FileSystemKind
from iotriage_parsers.evidence import Mount


def kind_of_file(use: FileUse, known: FileSystem | None, mounts: Sequence[Mount]) -> FileSystemKind:
    """`known` is the profile's file system that holds it, if any. A file with stripes lies on Lustre, where a source
    without a mount table states them."""
    kind = kind_on(known, mounts, use.path)
    if kind == "unknown" and (use.layout is not None or use.stripe_count is not None):
        return "lustre"
    return kind
