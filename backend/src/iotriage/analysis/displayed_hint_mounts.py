"""File systems that displayed hints reveal: among the hints of a file, ROMIO names its driver for the file system."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from iotriage.metrics.core.selection import Selection
from iotriage_parsers.evidence import Mount, MpiioHints

_KEY: Final = "romio_filesystem_type"
_TYPES: Final[Mapping[str, str]] = {"NFS": "nfs", "GPFS": "gpfs", "LUSTRE": "lustre"}
"""By the word that ROMIO's name of the driver begins with ("GPFS: IBM GPFS"). UFS is for any of them, and so is
Cray's own."""


def displayed_mounts(job: Selection) -> tuple[Mount, ...]:
    """Each of these files as a mount point of its own, since its hints reveal nothing about its neighbours."""
    found: dict[str, str] = {}
    for _, shown in job.of(MpiioHints):
        driver = shown.hint(_KEY)
        fs_type = None if driver is None else _TYPES.get(driver.value.partition(":")[0].split(" ")[0].upper())
        if shown.file is not None and fs_type is not None:
            found[shown.file] = fs_type
    return tuple(Mount(path, fs_type) for path, fs_type in found.items())
