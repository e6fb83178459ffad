"""How a file system other than Lustre lays data out, and over which metadata targets Lustre spreads a directory."""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from iotriage_parsers.evidence.locator import Lines
from iotriage_parsers.evidence.stripe_layout import StripeField
from iotriage_parsers.frozen import frozen

StorageTool = Literal["mmlsfs", "beegfs-ctl --getentryinfo", "beegfs entry info", "daos", "lfs getdirstripe"]
FileSystemKind = Literal["gpfs", "beegfs", "daos", "lustre"]


@frozen
class StorageLayout:
    """What one file system, pool, container or directory is laid out as.

    `path` is the mount point (mmlsfs), the file or directory asked for, or the label of a container or pool; None where
    the text does not say. `unit_bytes` is the file system block of GPFS and the chunk of BeeGFS and DAOS: what goes to
    one target before the next has its turn. `targets` is over how many the data go: the disks of GPFS; of BeeGFS those
    that the file has, or that new files get; of a pool of DAOS all; of a directory on Lustre its metadata targets, None
    where it is not spread. `pattern` is the kind of striping, the class of objects or the hash, as printed.
    """

    tool: StorageTool
    file_system: FileSystemKind
    lines: Lines
    complete: bool
    path: str | None = None
    unit_bytes: int | None = None
    targets: int | None = None
    pattern: str | None = None
    fields: tuple[StripeField, ...] = ()
    kind: Literal["storage_layout"] = field(default="storage_layout")

    def line_of(self, label: str) -> int | None:
        """The line with this label, as printed ("-B", "Chunksize", "Container Label")."""
        return next((f.line for f in self.fields if f.label == label), None)
