"""A reader that does what the source says: for tests of what stands between it and the service."""

from __future__ import annotations

import os
import pickle
import signal
from pathlib import Path
from typing import BinaryIO

import numpy as np

from iotriage_parsers.evidence import CounterTable, Evidence, Failure
from iotriage_parsers.reader import Limits


class _Shell:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, ("touch /tmp/iotriage-was-taken-over",)


def _table(rows: int) -> CounterTable:
    ids, ranks = np.zeros(rows, np.uint64), np.zeros(rows, np.int64)
    return CounterTable("POSIX", (), (), ids, ranks, np.zeros((rows, 0), np.int64), np.zeros((rows, 0)))


def read(stream: BinaryIO, limits: Limits) -> Evidence | Failure:
    order = stream.read().decode()
    if order == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if order == "abort":
        os.abort()
    if order == "hang":
        while True:
            pass
    if order == "sleep":
        signal.pause()
    if order == "allocate":
        bytearray(8 * 2**30)
    if order == "raise":
        raise ValueError("what a reader should never do")
    if order == "flood":
        return Evidence("flood", (_table(3_000_000),))  # type: ignore[arg-type]
    if order == "take over":
        return _Shell()  # type: ignore[return-value]
    if order == "lie":
        os.write(4, b"R" + pickle.dumps("not evidence"))
        os._exit(0)
    if order == "exit":
        os._exit(7)
    if order == "kill the server":
        os.kill(os.getppid(), signal.SIGKILL)
        signal.pause()
    if order == "look around":
        descriptors = sorted(int(entry.name) for entry in Path("/proc/self/fd").iterdir())
        return Failure("damaged", ",".join(map(str, descriptors)), ",".join(sorted(os.environ)))
    return Evidence("harmless", ())
