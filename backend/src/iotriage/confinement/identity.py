"""A user of its own for whoever was started as root: one that owns nothing and that nobody else is."""

from __future__ import annotations

import os
import pwd
import secrets
from pathlib import Path

DYNAMIC_USERS = range(61_184, 65_520)
"""The ids that systemd sets aside for services that get a user only while they run
(https://systemd.io/UIDS-GIDS/)."""


def unused_user() -> int:
    """An id that no account and no process has."""
    running = {owner for entry in Path("/proc").glob("[0-9]*") if (owner := _owner(entry)) is not None}
    free = [user for user in DYNAMIC_USERS if user not in running]
    while True:
        user = secrets.choice(free)
        try:
            pwd.getpwuid(user)
        except KeyError:
            return user


def switch_user(user: int) -> None:
    """Gives up root for good. OSError where the process may not, or knows no such user id."""
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)


def unreachable_folder(path: Path) -> Path | None:
    """The folder on the way to `path`, or `path` itself, that its owner alone may use; None where everybody may."""
    if not path.is_dir() and not path.stat().st_mode & 0o004:
        return path
    folders = (*reversed(path.parents), path) if path.is_dir() else reversed(path.parents)
    return next((place for place in folders if not place.stat().st_mode & 0o001), None)


def _owner(process: Path) -> int | None:
    try:
        return process.stat().st_uid
    except OSError:
        return None
