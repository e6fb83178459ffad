"""What every child of a fork server does: it gives away what it does not need, works on its order, and ends."""

from __future__ import annotations

import ctypes
import fcntl
import math
import os
import resource
import shutil
import signal
import struct
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from iotriage.intake.landlock import restrict_files

Work = Callable[[bytes], None]
"""What a child does with its order. Its descriptors are the numbers from `FIRST_DESCRIPTOR` on."""

Prepare = Callable[..., Work]

NEW_CHILD = b"+"
ASK_TIME = b"?"
RUNNING, ENDED = b"R", b"E"
TELLING = struct.Struct("=cid")
"""What a fork server says of a child: whether it runs or ended, its wait status then, and the processor time that it
has used in seconds."""

ORDER_LENGTH = struct.Struct("=I")
"""Stands before an order: questions follow it at once, perhaps before it was taken."""

ORDER_BYTES = 16 * 1024
FIRST_DESCRIPTOR = 3
MOST_DESCRIPTORS = 3

_OUT_OF_THE_WAY = 64
_OPEN_FILES = 64
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_NO_NEW_PRIVS = 1, 4, 38


@dataclass(frozen=True, slots=True)
class ChildLimits:
    """`memory_bytes` is address space; `file_bytes` how large a file may get that the child writes."""

    cpu_seconds: float
    memory_bytes: int
    file_bytes: int


def run_child(work: Work, order: bytes, descriptors: Sequence[int]) -> NoReturn:
    """Everything a child does; it never returns. What can go wrong in it is the other side's to find out."""
    try:
        _keep_only(descriptors)
        work(order)
    finally:
        os._exit(0)


def _keep_only(descriptors: Sequence[int]) -> None:
    """Leaves the child its descriptors, from 3 on, and nothing on the standard ones."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    # Moved out of the way first: one may stand where another is to go.
    moved = [fcntl.fcntl(d, fcntl.F_DUPFD, _OUT_OF_THE_WAY) for d in descriptors]
    nothing = os.open(os.devnull, os.O_RDWR)
    for target, descriptor in enumerate((nothing, nothing, nothing, *moved)):
        os.dup2(descriptor, target)
    os.closerange(FIRST_DESCRIPTOR + len(moved), os.sysconf("SC_OPEN_MAX"))


def confine(limits: ChildLimits) -> None:
    """Takes from the child what it does not need. The limits hold for what it does in C too."""
    make_scratch()
    cpu_seconds = math.ceil(limits.cpu_seconds)
    for which, bound in (
        (resource.RLIMIT_AS, limits.memory_bytes),
        (resource.RLIMIT_CPU, cpu_seconds),
        (resource.RLIMIT_NOFILE, _OPEN_FILES),
        # A compressed source is inflated into an unnamed temporary file.
        (resource.RLIMIT_FSIZE, limits.file_bytes),
        (resource.RLIMIT_CORE, 0),
        # Per user, and without effect on root.
        (resource.RLIMIT_NPROC, 0),
    ):
        resource.setrlimit(which, (bound, bound))
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        for option, value in (
            (_PR_SET_NO_NEW_PRIVS, 1),
            (_PR_SET_DUMPABLE, 0),
            (_PR_SET_PDEATHSIG, signal.SIGKILL),
        ):
            if libc.prctl(option, value, 0, 0, 0) != 0:
                raise OSError(ctypes.get_errno(), f"prctl({option})")
        restrict_files(_readable(), tempfile.gettempdir())


def make_scratch() -> None:
    """A folder of the child's own for its temporary files; `remove_scratch` takes it away."""
    folder = _scratch_of(os.getpid())
    remove_scratch(os.getpid())
    folder.mkdir(mode=0o700)
    tempfile.tempdir = str(folder)


def remove_scratch(pid: int) -> None:
    """Whatever the child left there."""
    shutil.rmtree(_scratch_of(pid), ignore_errors=True)


def _scratch_of(pid: int) -> Path:
    return Path(tempfile.gettempdir()) / f"child-{pid}"


def _readable() -> list[str]:
    """Where Python, its libraries and the time zones are: a reader may import something only when it needs that."""
    return [*{sys.prefix, sys.base_prefix, *filter(None, sys.path)}, "/usr", "/lib", "/lib64", "/etc/ld.so.cache"]
