"""What a piece of work cost: processor time of all threads, time, and the largest memory so far."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable


def measured(what: str, work: Callable[[], object]) -> None:
    before, began = resource.getrusage(resource.RUSAGE_SELF), time.monotonic()
    work()
    after = resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    peak = after.ru_maxrss / 1024
    print(f"{what:<52} {cpu:7.2f} s CPU {time.monotonic() - began:7.2f} s, peak so far {peak:,.0f} MiB", flush=True)
