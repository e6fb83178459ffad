"""Lets one server work on a data folder: locks within its process then suffice for all that is stored, removed and read
again there."""

from __future__ import annotations

import errno
import fcntl
import os
from pathlib import Path

import structlog

log: structlog.stdlib.BoundLogger = structlog.get_logger()

_FILE = "server.lock"


class FolderInUseError(ValueError):
    """Another server has the folder, or it cannot be made or written to; the message says which."""


class FolderLock:
    """A lock of the kernel, which releases it when the process ends, however it ends."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._descriptor: int | None = None

    def take(self) -> None:
        """Raises `FolderInUseError`. Nothing happens where it is held already."""
        if self._descriptor is not None:
            return
        descriptor = self._opened()
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
                holder = os.pread(descriptor, 32, 0).decode("ascii", "replace").strip()
                os.close(descriptor)
                who = f" (process {holder})" if holder.isdecimal() else ""
                raise FolderInUseError(
                    f"another server{who} uses the data folder {self._folder}; stop it, or give this one a folder "
                    "and a database of its own: IOTRIAGE_DATA_DIR"
                ) from None
            log.warning("the file system of the data folder has no locks: see that one server uses it", why=str(error))
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        self._descriptor = descriptor

    def release(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _opened(self) -> int:
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            return os.open(self._folder / _FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise FolderInUseError(f"the data folder {self._folder} cannot be used: {error.strerror}") from error
