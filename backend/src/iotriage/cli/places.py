"""What lies at a path that somebody typed. `Path.is_file` raises where the path cannot be looked at, as in a folder of
somebody else's or by too long a name; whoever then opens it is told why by the system."""

from __future__ import annotations

import argparse
import errno
import os
import re
import stat
from collections.abc import Callable
from pathlib import Path

_NUMBER = re.compile(r"([0-9]+)")


def natural_order(name: str) -> tuple[tuple[int, str], ...]:
    """Names of files in the order in which a person counts: what ends in 2 before what ends in 10."""
    return tuple((int(part) if i % 2 else 0, part) for i, part in enumerate(_NUMBER.split(name)))


def typed_name(word: str) -> str:
    """An argument that names a file or folder. A variable that is set to nothing names neither, least of all the folder
    that one happens to be in."""
    if not word:
        raise argparse.ArgumentTypeError("an empty name is no file or folder; is a variable not set?")
    return word


def typed_path(word: str) -> Path:
    return Path(typed_name(word))


def is_file(path: Path) -> bool:
    return _is(path, stat.S_ISREG)


def is_folder(path: Path) -> bool:
    return _is(path, stat.S_ISDIR)


def is_there(path: Path) -> bool:
    return _is(path, lambda _: True)


def check_ends(path: Path) -> None:
    """OSError for a device, whose bytes may have no end, as those of /dev/zero. Those of a terminal have one."""
    mode = path.stat().st_mode
    if stat.S_ISBLK(mode) or (stat.S_ISCHR(mode) and path.stat().st_rdev != Path(os.devnull).stat().st_rdev):
        with path.open("rb", buffering=0) as device:
            if not device.isatty():
                raise OSError(errno.ENODEV, "it is a device, and no file", str(path))


def _is(path: Path, kind: Callable[[int], bool]) -> bool:
    try:
        return kind(path.stat().st_mode)
    except (OSError, ValueError):
        return False
