"""What one diagnosis on the command line may cost: the bounds that the server gives its processes, in this one."""

from __future__ import annotations

import contextlib
import math
import os
import resource
import signal
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

MEMORY, SECONDS = "IOTRIAGE_DIAGNOSE_MEMORY_BYTES", "IOTRIAGE_DIAGNOSE_SECONDS"

_MEMORY_BYTES = 2 * 2**30
_SECONDS = 120
_MOST = 2**53


class TooCostlyError(Exception):
    """A bound was reached; the message says which, and what to set for more."""


def check_bounds() -> None:
    """ValueError, with a sentence, where a variable is no bound."""
    _bounds()


@contextlib.contextmanager
def bounded() -> Iterator[None]:
    """Raises `TooCostlyError` where what is done within needs more address space or processor time, beyond what the
    process has taken until now. A bound of the user's own that is tighter stays."""
    memory_bytes, seconds = _bounds()
    address_space = _address_space_bytes() + memory_bytes
    used = sum(os.times()[:2])
    before = _lower(resource.RLIMIT_AS, address_space), _lower(resource.RLIMIT_CPU, int(used + seconds) + 1)
    handled = signal.signal(signal.SIGXCPU, _out_of_time)
    try:
        yield
    except MemoryError:
        raise TooCostlyError(
            f"diagnosing needs more than {memory_bytes // 2**20:,} MiB of memory: set {MEMORY} to allow more"
        ) from None
    finally:
        signal.signal(signal.SIGXCPU, handled)
        resource.setrlimit(resource.RLIMIT_AS, before[0])
        resource.setrlimit(resource.RLIMIT_CPU, before[1])


def _bounds() -> tuple[int, float]:
    return int(_bound(MEMORY, _MEMORY_BYTES)), _bound(SECONDS, _SECONDS)


def _bound(variable: str, usual: float) -> float:
    text = os.environ.get(variable) or usual
    try:
        bound = float(text)
    except ValueError:
        bound = math.nan
    if not 0 <= bound <= _MOST:
        raise ValueError(f"{variable}: {text!r} is not a number from 0 to {_MOST:,}")
    return bound


def _address_space_bytes() -> int:
    """A process that has asked DuckDB has reserved gigabytes. Without room for one more frame, Python 3.11 ends with a
    segmentation fault instead of a `MemoryError`. 0 where there is no /proc: no kernel but Linux holds this bound."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except OSError:
        return 0


def _lower(which: int, bound: int) -> tuple[int, int]:
    """Sets the soft limit, where it is not lower already; what was set before."""
    soft, hard = resource.getrlimit(which)
    tightest = min((b for b in (bound, soft, hard) if b != resource.RLIM_INFINITY), default=bound)
    resource.setrlimit(which, (tightest, hard))
    return soft, hard


def _out_of_time(_: int, __: FrameType | None) -> None:
    raise TooCostlyError(f"diagnosing was stopped, since it took too much processor time: set {SECONDS} to allow more")
