"""Landlock: a process gives up, for good, the files that it does not need, programs, TCP, and signals to others.

https://docs.kernel.org/userspace-api/landlock.html. Each version of the kernel's interface (ABI) knows more to give
up; what an older kernel does not know stays as it was, and a kernel without Landlock (before 5.13) leaves everything.
"""

from __future__ import annotations

import errno
import os
import struct
from collections.abc import Iterable
from pathlib import Path

from iotriage.confinement.kernel import ON_LINUX, checked, system_call

# The same numbers on every architecture that Python 3.11 is built for but alpha.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_ASK_VERSION = 1
_RULE_PATH_BENEATH = 1

_WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 1, 1 << 2, 1 << 3
_REMOVE_FILE, _MAKE_REG, _TRUNCATE = 1 << 5, 1 << 8, 1 << 14
_READING = _READ_FILE | _READ_DIR
_SCRATCH = _READING | _WRITE_FILE | _REMOVE_FILE | _MAKE_REG | _TRUNCATE

_RIGHTS_ON_FILES = {1: 13, 2: 14, 3: 15, 5: 16, 9: 17}
"""ABI → how many rights on files it knows; they are the lowest bits. The 17th is to reach Unix sockets by path."""
_TCP_SINCE, _TCP = 4, 0b11
_SCOPES_SINCE, _SCOPES = 6, 0b11
"""Abstract Unix sockets of others, and signals to them."""


def landlock_version() -> int:
    """The kernel's Landlock ABI; 0 where there is none, or where it was not enabled at the start."""
    return max(system_call(_CREATE_RULESET, None, 0, _ASK_VERSION), 0) if ON_LINUX else 0


def restrict_files(readable: Iterable[Path], scratch: Path | None) -> None:
    """From now on this process reads below `readable` only, and writes below `scratch` only; what it has open stays
    open. It needs no_new_privs. Nothing happens where the kernel knows no Landlock; OSError where it refuses."""
    version = landlock_version()
    if version == 0:
        return
    files = (1 << max(bits for since, bits in _RIGHTS_ON_FILES.items() if since <= version)) - 1
    tcp = _TCP if version >= _TCP_SINCE else 0
    scopes = _SCOPES if version >= _SCOPES_SINCE else 0
    # An older kernel takes the longer struct where what it does not know is 0.
    attributes = struct.pack("=QQQ", files, tcp, scopes)
    ruleset = checked(system_call(_CREATE_RULESET, attributes, len(attributes), 0), "landlock_create_ruleset")
    try:
        for path in readable:
            _allow(ruleset, path, _READING & files)
        if scratch is not None:
            _allow(ruleset, scratch, _SCRATCH & files)
        checked(system_call(_RESTRICT_SELF, ruleset, 0), "landlock_restrict_self")
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: Path, rights: int) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        # A rule on a single file may not speak of folders.
        allowed = rights if path.is_dir() else rights & _READ_FILE
        rule = struct.pack("=Qi", allowed, descriptor)
        checked(system_call(_ADD_RULE, ruleset, _RULE_PATH_BENEATH, rule, 0), "landlock_add_rule")
    except OSError as refused:
        # What lies in no file system, as a shell's pipe or a memfd, takes no rule and needs none.
        if refused.errno != errno.EBADFD:
            raise
    finally:
        os.close(descriptor)
