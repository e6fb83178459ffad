"""A folder of its own for each child's temporary files. The child makes it, its parent removes it when the child ended:
nothing is shared with the next, and nothing stays, however the child came to its end."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path


def scratch_of(pid: int) -> Path:
    """Where the child with this process id has its folder: below the folder for temporary files of the parent."""
    return Path(tempfile.gettempdir()) / str(pid)


def make_scratch() -> Path:
    """This process's folder, empty. One that an earlier process with the same id left is emptied first."""
    folder = scratch_of(os.getpid())
    remove_scratch(os.getpid())
    folder.mkdir(mode=0o700)
    return folder


def remove_scratch(pid: int) -> None:
    """Removes the folder of a child that ended, where it has one."""
    folder = scratch_of(pid)
    if folder.exists():
        shutil.rmtree(folder, ignore_errors=True)
