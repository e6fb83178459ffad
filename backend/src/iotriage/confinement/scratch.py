"""Folders for what is written while something is read. Whoever has one holds a lock on it: one that nobody holds was
left by a server that was killed, and goes when the next folder is made."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from pathlib import Path

_PREFIX = "iotriage-scratch-"


class ScratchFolder:
    """An empty folder below that for temporary files, until `remove`."""

    def __init__(self) -> None:
        remove_abandoned()
        while True:
            self.path = Path(tempfile.mkdtemp(prefix=_PREFIX))
            # Before it is locked, somebody else may take it for abandoned.
            with contextlib.suppress(FileNotFoundError):
                self._lock = _opened(self.path)
                fcntl.flock(self._lock, fcntl.LOCK_EX)
                if self.path.is_dir():
                    return
                os.close(self._lock)

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._lock)


def remove_abandoned() -> None:
    """Removes the folders whose servers are gone, as far as this user may."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):
            lock = _opened(folder)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(lock)


def make_scratch() -> Path:
    """A folder for this process alone, below that for temporary files of its parent, who removes it."""
    folder = Path(tempfile.gettempdir()) / str(os.getpid())
    folder.mkdir(mode=0o700)
    return folder


def _opened(folder: Path) -> int:
    return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
