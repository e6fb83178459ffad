"""Ensures that each shard of a warehouse has one writer."""

from __future__ import annotations

import contextlib
import fcntl
from collections.abc import Iterator
from pathlib import Path


class BusyError(Exception):
    """Another process writes the same shard."""


@contextlib.contextmanager
def lock_shard(root: Path, shard: str) -> Iterator[None]:
    """Holds the shard's lock, which keeps out other processes of this host. Raises `BusyError`."""
    with (root / f"shard-{shard}.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BusyError(
                f"another process takes logs into {root} (shard {shard}): run it again when that has ended; what that "
                "one took in is not read twice"
            ) from None
        yield
