"""Runs the processes that read logs with pydarshan: with limits, and whatever becomes of them."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from types import MappingProxyType

from iotriage.confinement.environment import OF_A_CHILD

_NEWEST = 3, 12
"""The Python with which its wheels, which bring the C library along, end: https://pypi.org/project/darshan/#files"""

INSTALL = (
    "pip install 'iotriage[pydarshan]'"
    if sys.version_info[:2] <= _NEWEST
    else "its wheels end with Python {}.{}, and this is {}.{}".format(*_NEWEST, *sys.version_info)
)
_COMPLAINT_BYTES = 64 << 10
_CHUNK_BYTES = 1 << 20


class NoSecondOpinionError(Exception):
    """Why pydarshan says nothing of a log."""


class NotInstalledError(NoSecondOpinionError):
    """pydarshan is not installed."""


class TooMuchError(NoSecondOpinionError):
    """It took more time, or answers more, than it may."""


def check_installed() -> None:
    """NotInstalledError where pydarshan is not."""
    if find_spec("darshan") is None:
        raise NotInstalledError(f"pydarshan is not installed: {INSTALL}")


def answer_of(
    command: Sequence[str],
    seconds: float,
    answer_bytes: int,
    stdin: int = subprocess.DEVNULL,
    environment: Mapping[str, str] = MappingProxyType({}),
) -> tuple[bytes, bytes]:
    """What a process that may fail in any way writes to standard output, and the beginning of what it complains of.
    NoSecondOpinionError where it does not end well, TooMuchError where it takes or writes more than it may."""
    with subprocess.Popen(
        command,
        env={**OF_A_CHILD, **environment},
        cwd="/",
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        try:
            answer, complaint = _receive(process, seconds, answer_bytes)
            status = process.wait(seconds)
        except BaseException as problem:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            if isinstance(problem, subprocess.TimeoutExpired):
                raise TooMuchError(f"pydarshan was stopped after {seconds:g} s") from problem
            raise
    if status != 0:
        raise NoSecondOpinionError(f"pydarshan ended with {_ending(status)}{_last_line(complaint)}")
    return answer, complaint


def _ending(status: int) -> str:
    """The signal that ended it; also one that ended a process on whose end it waited, as a shell says it."""
    number = -status if status < 0 else status - 128
    known = next((known for known in signal.Signals if known == number), None)
    return f"status {status}" if known is None else known.name


def _receive(process: subprocess.Popen[bytes], seconds: float, answer_bytes: int) -> tuple[bytes, bytes]:
    """What the process writes to standard output, and the beginning of what it writes to standard error."""
    assert process.stdout is not None
    assert process.stderr is not None
    deadline = time.monotonic() + seconds
    answer, complaint = bytearray(), bytearray()
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ, answer)
        selector.register(process.stderr, selectors.EVENT_READ, complaint)
        while selector.get_map():
            left = deadline - time.monotonic()
            ready = selector.select(max(left, 0))
            if not ready:
                raise TooMuchError(f"pydarshan was stopped after {seconds:g} s")
            for key, _ in ready:
                chunk = os.read(key.fd, _CHUNK_BYTES)
                if not chunk:
                    selector.unregister(key.fileobj)
                elif key.data is answer:
                    answer += chunk
                elif len(complaint) < _COMPLAINT_BYTES:
                    complaint += chunk
            if len(answer) > answer_bytes:
                raise TooMuchError(f"pydarshan's answer has more than {answer_bytes >> 20} MiB")
    return bytes(answer), bytes(complaint)


def _last_line(complaint: bytes) -> str:
    lines = complaint.decode("utf-8", "backslashreplace").split("\n")
    last = next((line.strip() for line in reversed(lines) if line.strip()), "")
    printable = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in last[:300])
    return f": {printable}" if printable else ""
