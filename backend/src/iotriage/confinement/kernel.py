"""Calls to the Linux kernel that Python has no function for."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from functools import cache
from typing import Final

ON_LINUX: Final = sys.platform == "linux"

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_NO_NEW_PRIVS = 1, 4, 38
_CAPABILITY_VERSION_3 = 0x20080522


@cache
def _c_library() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def system_call(number: int, *arguments: int | bytes | None) -> int:
    """What the kernel answers; -1 with `ctypes.get_errno()` where it refuses."""
    as_c = (ctypes.c_long(a) if isinstance(a, int) else a for a in arguments)
    return int(_c_library().syscall(ctypes.c_long(number), *as_c))


def checked(answer: int, what: str) -> int:
    """The answer; OSError where it is a refusal."""
    if answer < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{what}: {os.strerror(error)}")
    return answer


def library_call(name: str, *arguments: int | bytes | None) -> int:
    """A function of the C library that answers -1 and errno. OSError where it refuses, or where there is none."""
    function = getattr(_c_library(), name, None)
    if function is None:
        raise OSError(0, f"{name}: the C library has no such function")
    as_c = (ctypes.c_ulong(a) if isinstance(a, int) else a for a in arguments)
    return checked(int(function(*as_c)), name)


def set_no_new_privs() -> None:
    """From now on no program that is started has more rights than this process; seccomp and Landlock ask for it."""
    library_call("prctl", _PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def disable_dumping() -> None:
    """Neither a debugger nor /proc shows this process's memory to others of the same user, and it leaves no core."""
    library_call("prctl", _PR_SET_DUMPABLE, 0, 0, 0, 0)


def die_with_parent() -> None:
    """The kernel kills this process when its parent ends. A change of the user takes this back: it comes after."""
    library_call("prctl", _PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def drop_capabilities() -> None:
    """Gives away what root, also root of a user namespace, may do more than others."""
    header = _CAPABILITY_VERSION_3.to_bytes(4, sys.byteorder) + bytes(4)
    library_call("capset", header, bytes(24))
