"""The numbers of the system calls that a reader needs, for x86-64 and for 64-bit ARM.

From the kernel's arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h. Which calls are needed
was found with strace over all samples; older and newer C libraries make others of them for the same, so that each has
its relatives beside it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

X86_64, AARCH64 = "x86_64", "aarch64"

_NUMBERS: dict[str, tuple[int | None, int | None]] = {
    # Bytes of what is open.
    "read": (0, 63),
    "readv": (19, 65),
    "pread64": (17, 67),
    "preadv": (295, 69),
    "write": (1, 64),
    "writev": (20, 66),
    "pwrite64": (18, 68),
    "pwritev": (296, 70),
    "lseek": (8, 62),
    "ftruncate": (77, 46),
    "fallocate": (285, 47),
    # Descriptors.
    "close": (3, 57),
    "close_range": (436, 436),
    "dup": (32, 23),
    "dup2": (33, None),
    "dup3": (292, 24),
    "fcntl": (72, 25),
    "ioctl": (16, 29),
    "poll": (7, None),
    "ppoll": (271, 73),
    "select": (23, None),
    "pselect6": (270, 72),
    "epoll_create1": (291, 20),
    "epoll_ctl": (233, 21),
    "epoll_wait": (232, None),
    "epoll_pwait": (281, 22),
    # What is there to be read: libraries, time zones.
    "open": (2, None),
    "openat": (257, 56),
    "stat": (4, None),
    "lstat": (6, None),
    "fstat": (5, 80),
    "newfstatat": (262, 79),
    "statx": (332, 291),
    "access": (21, None),
    "faccessat": (269, 48),
    "faccessat2": (439, 439),
    "readlink": (89, None),
    "readlinkat": (267, 78),
    "getcwd": (79, 17),
    "getdents64": (217, 61),
    "unlink": (87, None),
    "unlinkat": (263, 35),
    # Memory.
    "mmap": (9, 222),
    "munmap": (11, 215),
    "mprotect": (10, 226),
    "mremap": (25, 216),
    "madvise": (28, 233),
    "brk": (12, 214),
    # Signals to itself, and the end.
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "sigaltstack": (131, 132),
    "kill": (62, 129),
    "tgkill": (234, 131),
    "setitimer": (38, 103),
    "getitimer": (36, 102),
    "pause": (34, None),
    "exit": (60, 93),
    "exit_group": (231, 94),
    "restart_syscall": (219, 128),
    # Locks within the process, and waiting.
    "futex": (202, 98),
    "set_robust_list": (273, 99),
    "rseq": (334, 293),
    "membarrier": (324, 283),
    "sched_yield": (24, 124),
    "nanosleep": (35, 101),
    "clock_nanosleep": (230, 115),
    # What time it is, and who one is.
    "clock_gettime": (228, 113),
    "clock_getres": (229, 114),
    "gettimeofday": (96, 169),
    "time": (201, None),
    "times": (100, 153),
    "getrusage": (98, 165),
    "getrlimit": (97, 163),
    "prlimit64": (302, 261),
    "sched_getaffinity": (204, 123),
    "getcpu": (309, 168),
    "getpid": (39, 172),
    "gettid": (186, 178),
    "getppid": (110, 173),
    "getuid": (102, 174),
    "geteuid": (107, 175),
    "getgid": (104, 176),
    "getegid": (108, 177),
    "uname": (63, 160),
    "sysinfo": (99, 179),
    "getrandom": (318, 278),
    # The socket that a process was given when it began; there is no call that makes one.
    "recvfrom": (45, 207),
    "recvmsg": (47, 212),
    "sendto": (44, 206),
    "shutdown": (48, 210),
    "getsockname": (51, 204),
    "getsockopt": (55, 209),
}


@dataclass(frozen=True, slots=True)
class Calls:
    """The calls of one architecture. `audit` is its AUDIT_ARCH number (linux/audit.h); numbers from `foreign_from` on
    belong to another ABI on the same processor; `seccomp` and `pivot_root` are what is needed to confine."""

    audit: int
    foreign_from: int | None
    seccomp: int
    pivot_root: int
    numbers: dict[str, int]


def _numbers(column: int) -> dict[str, int]:
    return {name: number for name, row in _NUMBERS.items() if (number := row[column]) is not None}


CALLS = {
    X86_64: Calls(0xC000_003E, 0x4000_0000, 317, 155, _numbers(0)),
    AARCH64: Calls(0xC000_00B7, None, 277, 41, _numbers(1)),
}

NEWEST_KNOWN = 450
"""The largest number that either architecture had when the list was made (Linux 6.1)."""


def calls_here() -> Calls | None:
    """The calls of this machine; None for an architecture whose numbers we do not have."""
    return CALLS.get(os.uname().machine)
