"""What the fork server gives away once, for itself and all its children, before it forks the first."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from iotriage.confinement.identity import switch_user, unreachable_folder, unused_user
from iotriage.confinement.kernel import (
    ON_LINUX,
    die_with_parent,
    disable_dumping,
    drop_capabilities,
    set_no_new_privs,
)
from iotriage.confinement.libraries import libraries
from iotriage.confinement.namespaces import become_init, enter_own_root, unshare_namespaces

NOT_LINUX = "this is not Linux"


@dataclass(frozen=True, slots=True)
class Isolation:
    """What each step came to: None where it succeeded, else why it did not. `user` is the id of the user afterwards."""

    namespaces: str | None
    own_root: str | None
    own_user: str | None
    user: int


def isolate_server(scratch: Path, readable: Sequence[Path] = ()) -> Isolation:
    """Takes from this process network, System V memory, other processes, all files but the libraries, `readable` and
    `scratch`, a user that owns anything, and root's powers: each as far as this host allows.

    It returns in another process, the first of its namespace, where there is one; the one that called waits for its
    end. Call it with one thread only, after everything has been imported, before a stranger's byte is seen."""
    if not ON_LINUX:
        return Isolation(NOT_LINUX, NOT_LINUX, NOT_LINUX, os.geteuid())
    files = (*libraries(), *readable)
    was_root = os.geteuid() == 0
    # While the accounts and the processes of this host can still be asked for.
    user = unused_user() if was_root else None
    namespaces = _problem_of_separating()
    own_root = namespaces or _problem_of_own_root(files, scratch)
    if namespaces is None:
        become_init()
    own_user = _problem_of_own_user(user, scratch, files)
    drop_capabilities()
    set_no_new_privs()
    disable_dumping()
    if namespaces is None:
        die_with_parent()
    return Isolation(namespaces, own_root, own_user, os.geteuid())


def _problem_of_separating() -> str | None:
    try:
        unshare_namespaces()
    except OSError as error:
        return _error_text(error)
    return None


def _problem_of_own_root(files: Sequence[Path], scratch: Path) -> str | None:
    try:
        enter_own_root(files, scratch)
    except OSError as error:
        return _error_text(error)
    return None


def _problem_of_own_user(user: int | None, scratch: Path, files: Sequence[Path]) -> str | None:
    if user is None:
        return "the server was not started as root"
    try:
        closed = next((place for path in files if path.exists() and (place := unreachable_folder(path))), None)
        if closed is not None:
            return f"Python or a library lies in {closed}, which other users cannot enter"
        os.chown(scratch, user, user)
        switch_user(user)
    except OSError as error:
        return _error_text(error)
    return None


def _error_text(error: OSError) -> str:
    return str(error.strerror or error)
