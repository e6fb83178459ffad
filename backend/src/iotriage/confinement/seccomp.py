"""seccomp: of the kernel's several hundred calls a reader keeps those that it needs, and of some only a part.

A call that is not in the list does nothing and answers EPERM (ENOSYS where it is younger than the list, as C libraries
expect before they take an older one); one of another ABI of the same processor ends the process, as its numbers mean
other calls. EPERM and not a kill, since a library that only asks (is this a terminal?) is told no and goes on: then an
update of the C library costs no readings, and a reader that was taken over gets nothing more by it.
https://docs.kernel.org/userspace-api/seccomp_filter.html
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import mmap
import os
from functools import cache

from iotriage.confinement.bpf import (
    ALLOW,
    KILL_PROCESS,
    Block,
    answer,
    encoded,
    for_number,
    from_number,
    is_null,
    load_number,
    low_half_has_none_of,
    low_half_is_one_of,
    low_half_lacks_some,
    refuse,
    unless_architecture,
)
from iotriage.confinement.calls import NEWEST_KNOWN, Calls, calls_here
from iotriage.confinement.kernel import ON_LINUX, checked, system_call

_SET_MODE_FILTER, _ASK_ACTION = 1, 2
_REFUSED = refuse(errno.EPERM)
_UNKNOWN = refuse(errno.ENOSYS)

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_WRITE_AND_RUN = mmap.PROT_WRITE | mmap.PROT_EXEC
_DESCRIPTOR_COMMANDS = (
    fcntl.F_DUPFD,
    fcntl.F_GETFD,
    fcntl.F_SETFD,
    fcntl.F_GETFL,
    fcntl.F_SETFL,
    fcntl.F_DUPFD_CLOEXEC,
)
"""Neither locks, which would reach others, nor F_SETOWN, which has the kernel send signals to them."""
_SIGNALS = ("kill", "tgkill")
_CONTROLS = (0x5450, 0x5451, 0x5401)
"""FIONCLEX and FIOCLEX (asm-generic/ioctls.h): Python sets them on what it opens; TCGETS: it asks whether that is a
terminal. No other ioctl."""


def seccomp_here() -> bool:
    """Whether the kernel filters calls, and we know the numbers of this architecture's."""
    calls = calls_here()
    allowing = ALLOW.to_bytes(4, "little")
    return ON_LINUX and calls is not None and system_call(calls.seccomp, _ASK_ACTION, 0, allowing) == 0


def restrict_calls(*, writes: bool) -> None:
    """From now on this process has the calls of the list only; `writes` says whether it may open files for writing and
    remove them, where Landlock says which. It needs no_new_privs. Nothing happens where the kernel knows no seccomp or
    the architecture is none of ours; OSError where it refuses."""
    calls = calls_here()
    if calls is None or not seccomp_here():
        return
    program = encoded(_first(calls, os.getpid())) + _encoded_rest(writes)
    instructions = ctypes.create_string_buffer(program, len(program))
    described = _Program(len(program) // 8, ctypes.cast(instructions, ctypes.c_void_p))
    checked(system_call(calls.seccomp, _SET_MODE_FILTER, 0, bytes(described)), "seccomp")


class _Program(ctypes.Structure):
    """struct sock_fprog."""

    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


def filter_of(calls: Calls, pid: int, *, writes: bool) -> Block:
    """The filter of one architecture, for the process with this id."""
    return (*_first(calls, pid), *_rest(calls, writes))


def prepare_filters() -> None:
    """Works out what the filters of all processes have in common, which takes a millisecond."""
    if calls_here() is not None:
        for writes in (True, False):
            _encoded_rest(writes)


@cache
def _encoded_rest(writes: bool) -> bytes:
    calls = calls_here()
    assert calls is not None
    return encoded(_rest(calls, writes))


def _first(calls: Calls, pid: int) -> Block:
    """What comes before all else, with the calls that a process may make to itself only."""
    foreign = from_number(calls.foreign_from, KILL_PROCESS) if calls.foreign_from is not None else ()
    # abort() sends SIGABRT.
    itself = (*low_half_is_one_of(0, (pid,), _REFUSED), *answer(ALLOW))
    signals = (for_number(calls.numbers[name], itself) for name in _SIGNALS)
    return (
        *unless_architecture(calls.audit, KILL_PROCESS),
        *load_number(),
        *foreign,
        *(instruction for block in signals for instruction in block),
    )


def _rest(calls: Calls, writes: bool) -> Block:
    partly = _partly(writes=writes)
    others = ((name, number) for name, number in calls.numbers.items() if name not in _SIGNALS)
    allowed = (for_number(number, (*partly.get(name, ()), *answer(ALLOW))) for name, number in others)
    return (
        *(instruction for block in allowed for instruction in block),
        *from_number(NEWEST_KNOWN + 1, _UNKNOWN),
        *answer(_REFUSED),
    )


def _partly(*, writes: bool) -> dict[str, Block]:
    """What some calls are asked before they are allowed."""
    asked = {
        "fcntl": low_half_is_one_of(1, _DESCRIPTOR_COMMANDS, _REFUSED),
        "ioctl": low_half_is_one_of(1, _CONTROLS, _REFUSED),
        # Code comes from files that were there before: no memory is written and then run.
        "mmap": low_half_lacks_some(2, _WRITE_AND_RUN, _REFUSED),
        "mprotect": low_half_has_none_of(2, mmap.PROT_EXEC, _REFUSED),
        # Its own limits only; which it can but lower.
        "prlimit64": low_half_is_one_of(0, (0,), _REFUSED),
        # To the other end, never to an address.
        "sendto": is_null(4, _REFUSED),
    }
    if writes:
        return asked
    reading = {
        "open": low_half_has_none_of(1, _WRITING, _REFUSED),
        "openat": low_half_has_none_of(2, _WRITING, _REFUSED),
    }
    return {**asked, **reading, "unlink": answer(_REFUSED), "unlinkat": answer(_REFUSED)}
