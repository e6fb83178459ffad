"""A reader that does what the source says: for tests of what stands between it and the service."""

from __future__ import annotations

import errno
import os
import pickle
import signal
import socket
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import numpy as np
import worst

from iotriage.boundary.results import encode_result
from iotriage_parsers.detect import read_or_unpack
from iotriage_parsers.evidence import Archive, CounterTable, DarshanLog, Evidence, Failure, Job
from iotriage_parsers.reader import Limits
from iotriage_parsers.temporary_files import temporary_file


class _Shell:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, ("touch /tmp/iotriage-was-taken-over",)


def _table(rows: int) -> CounterTable:
    ids, ranks = np.zeros(rows, np.uint64), np.zeros(rows, np.int64)
    return CounterTable("POSIX", (), (), ids, ranks, np.zeros((rows, 0), np.int64), np.zeros((rows, 0)))


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def _attempt(act: Callable[[], object]) -> str:
    try:
        act()
    except OSError as error:
        return errno.errorcode[error.errno or 0]
    return "done"


def _write_scratch() -> None:
    with temporary_file() as file:
        file.write(b"x")


def _escape(target: str) -> Failure:
    """Tries what a reader never needs, and what it does."""
    attempts: dict[str, Callable[[], object]] = {
        "read": lambda: Path(target).read_bytes(),
        "write": lambda: Path(target).write_bytes(b"x"),
        "environment": lambda: Path(f"/proc/{os.getppid()}/environ").read_bytes(),
        "list": lambda: next(Path("/").iterdir()),
        "run": lambda: os.execv("/bin/true", ["true"]),
        "connect": lambda: socket.create_connection(("127.0.0.1", 9)),
        "signal": lambda: os.kill(os.getppid(), 0),
        "make": lambda: tempfile.TemporaryFile().close(),
        "scratch": _write_scratch,
        "library": lambda: Path(os.__file__).read_bytes(),
    }
    return Failure("damaged", " ".join(f"{name}:{_attempt(act)}" for name, act in attempts.items()), "")


def read(stream: BinaryIO, limits: Limits) -> Evidence | Archive | Failure:
    try:
        order = stream.read().decode()
    except UnicodeDecodeError:
        # A log, and no order.
        return read_or_unpack(stream, limits)
    if order.startswith(worst.PREFIX):
        return worst.obey(order)
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
        return Evidence("flood", (DarshanLog("3.41", "little", "zlib", Job(), (), {}, (), _table(3_000_000)),))
    if order == "pour":
        worst.pour()
    if order == "take over":
        os.write(4, b"R" + pickle.dumps(_Shell()))
        os._exit(0)
    if order == "return what is none":
        return _Shell()  # type: ignore[return-value]
    if order == "lie":
        os.write(4, b"R" + encode_result(Evidence("harmless", ()))[:-1])
        os._exit(0)
    if order == "exit":
        os._exit(7)
    if order == "kill the server":
        os.kill(os.getppid(), signal.SIGKILL)
        signal.pause()
    if order == "look around":
        descriptors = [number for number in range(256) if _is_open(number)]
        return Failure("damaged", ",".join(map(str, descriptors)), ",".join(sorted(os.environ)))
    if order.startswith("escape "):
        return _escape(order.removeprefix("escape "))
    return Evidence("harmless", ())
