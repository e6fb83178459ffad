"""Landlock: a process gives up, for good, the files that it does not need, programs, TCP, and signals to others.

https://docs.kernel.org/userspace-api/landlock.html. Each version of the kernel's interface (ABI) knows more to give
up; what an older kernel does not know stays as it was, and a kernel without Landlock (before 5.13) leaves everything.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from collections.abc import Iterable

# The same numbers on every architecture that Python 3.11 is built for but alpha.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_ASK_VERSION = 1
_RULE_PATH_BENEATH = 1

_WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 1, 1 << 2, 1 << 3
_REMOVE_FILE, _MAKE_REG, _TRUNCATE = 1 << 5, 1 << 8, 1 << 14
_READING = _READ_FILE | _READ_DIR
_SCRATCH = _READING | _WRITE_FILE | _REMOVE_FILE | _MAKE_REG | _TRUNCATE

_RIGHTS_ON_FILES = {1: 13, 2: 14, 3: 15, 5: 16}
"""ABI → how many rights on files it knows; they are the lowest bits."""
_TCP_SINCE, _TCP = 4, 0b11
_SCOPES_SINCE, _SCOPES = 6, 0b11


def landlock_version() -> int:
    """The kernel's Landlock ABI; 0 where there is none."""
    return max(_system_call(_CREATE_RULESET, None, 0, _ASK_VERSION), 0) if sys.platform == "linux" else 0


def restrict_files(readable: Iterable[str], scratch: str) -> None:
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
    ruleset = _checked(_system_call(_CREATE_RULESET, attributes, len(attributes), 0))
    try:
        for path in readable:
            _allow(ruleset, path, _READING & files)
        _allow(ruleset, scratch, _SCRATCH & files)
        _checked(_system_call(_RESTRICT_SELF, ruleset, 0))
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        descriptor = os.open(path, os.O_PATH)
    except FileNotFoundError:
        return
    try:
        # A rule on a single file may not speak of folders.
        allowed = rights if os.path.isdir(path) else rights & _READ_FILE  # noqa: PTH112
        rule = struct.pack("=Qi", allowed, descriptor)
        _checked(_system_call(_ADD_RULE, ruleset, _RULE_PATH_BENEATH, rule, 0))
    finally:
        os.close(descriptor)


def _system_call(number: int, *arguments: int | bytes | None) -> int:
    given = (ctypes.c_long(a) if isinstance(a, int) else a for a in arguments)
    return int(ctypes.CDLL(None, use_errno=True).syscall(ctypes.c_long(number), *given))


def _checked(answer: int) -> int:
    if answer < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"Landlock: {os.strerror(error)}")
    return answer
