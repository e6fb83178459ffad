"""What a process may use up: address space, processor time, open files, what it writes."""

from __future__ import annotations

import math
import resource
from dataclasses import dataclass

DEFAULT_OPEN_FILES = 64


@dataclass(frozen=True, slots=True)
class Limits:
    """`memory_bytes` is address space, `cpu_seconds` time on a processor, `file_bytes` how large a file may get that it
    writes. Wall clock is not the kernel's to bound: whoever waits for the process ends it."""

    memory_bytes: int
    cpu_seconds: float
    file_bytes: int
    open_files: int = DEFAULT_OPEN_FILES


def limit_resources(limits: Limits) -> None:
    """The limits hold for what a library does in C too, and for good. Past the processor time comes SIGXCPU, and
    a second later SIGKILL."""
    seconds = math.ceil(limits.cpu_seconds)
    for which, soft, hard in (
        (resource.RLIMIT_AS, limits.memory_bytes, limits.memory_bytes),
        (resource.RLIMIT_CPU, seconds, seconds + 1),
        (resource.RLIMIT_NOFILE, limits.open_files, limits.open_files),
        (resource.RLIMIT_FSIZE, limits.file_bytes, limits.file_bytes),
        (resource.RLIMIT_CORE, 0, 0),
        # For each user, and without effect on root.
        (resource.RLIMIT_NPROC, 0, 0),
    ):
        resource.setrlimit(which, (soft, hard))
