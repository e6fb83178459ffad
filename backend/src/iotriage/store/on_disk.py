"""Forces writes to the disk, so that they survive a crash of the machine: a file's bytes, and a folder's names."""

from __future__ import annotations

import os
from pathlib import Path


def put_on_disk(path: Path) -> None:
    """Of a file its content, of a folder which names are in it; both are there when this returns."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
