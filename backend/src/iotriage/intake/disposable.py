"""Reading in disposable processes: one process a source, forked off a server that has nothing to lose.

The fork server (`iotriage.intake.forkserver`) is a small Python process with an empty environment that has imported
the readers and knows neither the database nor the network. This side opens the source, hands the open file over, and
takes back at most so many bytes. It never trusts what comes back: see `iotriage.intake.unpickling`.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import structlog

from iotriage.intake.child import NEW_CHILD, NO_MEMORY, RAISED, RESULT, STATUS, Order
from iotriage.intake.excerpt import Excerpt
from iotriage.intake.reading import MIB, LinesQuery, ReadingLimits
from iotriage.intake.unpickling import UnexpectedResultError, result_from
from iotriage_parsers.evidence import Archive, Evidence, Failure

READ = "iotriage_parsers.detect:read_given"
"""What reads a source in the child: `read(stream, limits) -> Evidence | Archive | Failure`."""

SERVER = "iotriage.intake.forkserver"

_CHUNK_BYTES = 1 << 20
_GRACE_SECONDS = 10.0
_ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "LANG": "C.UTF-8",
    # A fork of a process with threads is not safe, and a child may not start any.
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
}

log: structlog.stdlib.BoundLogger = structlog.get_logger()

_Cut = Literal["timed-out", "too-large"]


@dataclass(frozen=True, slots=True)
class ChildEnd:
    """How a child ended: its bytes, what it was cut off for, and its wait status where that is known."""

    result: bytes
    cut: _Cut | None
    status: int | None


class DisposableReading:
    """A `SourceReading`. The fork server is started with the first source, and again should it ever die."""

    def __init__(self, read: str = READ, search_path: tuple[str, ...] = ()) -> None:
        self._read = read
        self._search_path = search_path
        self._lock = threading.Lock()
        self._server: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._scratch: tempfile.TemporaryDirectory[str] | None = None
        self._closed = False

    def parse(self, source: Path, limits: ReadingLimits) -> Evidence | Archive | Failure:
        found = self._run(source, Order(None, limits))
        return found if isinstance(found, Evidence | Archive | Failure) else _unexpected(found)

    def lines(self, source: Path, query: LinesQuery, limits: ReadingLimits) -> Excerpt | Failure | None:
        found = self._run(source, Order(query, limits))
        return found if found is None or isinstance(found, Excerpt | Failure) else _unexpected(found)

    def close(self) -> None:
        """Ends the fork server; children that still run die with it."""
        with self._lock:
            self._closed = True
            self._drop_server()

    def _run(self, source: Path, order: Order) -> object:
        try:
            end = self._child(source, order)
            if end.cut is None and end.status is None:
                log.warning("the process that readers are forked off died and is started again")
                end = self._child(source, order)
            if end.cut is None and end.status is None:
                raise ChildProcessError("the fork server died twice over one source")
        except OSError:
            if not self._closed:
                log.exception("the process that reads sources could not be used")
            return Failure(
                "crashed", "The source could not be handed to a reader.", "Try again; the log has the cause."
            )
        return outcome_of(end, order.limits)

    def _child(self, source: Path, order: Order) -> ChildEnd:
        """Has a child work on the source and waits for it."""
        with contextlib.ExitStack() as stack:
            stream = stack.enter_context(source.open("rb"))
            ours, theirs = socket.socketpair()
            stack.enter_context(ours)
            incoming, outgoing = os.pipe()
            stack.callback(os.close, incoming)
            try:
                ours.sendall(pickle.dumps(order))
                self._hand_over([theirs.fileno(), stream.fileno(), outgoing])
            finally:
                theirs.close()
                os.close(outgoing)
            result, cut = _receive(incoming, order.limits)
            if cut is not None:
                # The server takes this for the wish that the child be killed.
                ours.shutdown(socket.SHUT_WR)
            return ChildEnd(result, cut, _wait_status(ours))

    def _hand_over(self, descriptors: list[int]) -> None:
        with self._lock:
            if self._closed:
                raise OSError("reading was closed")
            if self._server is None or self._server.poll() is not None:
                self._start_server()
            assert self._control is not None
            try:
                socket.send_fds(self._control, [NEW_CHILD], descriptors)
            except (BrokenPipeError, ConnectionResetError):
                self._start_server()
                socket.send_fds(self._control, [NEW_CHILD], descriptors)

    def _start_server(self) -> None:
        self._drop_server()
        self._scratch = tempfile.TemporaryDirectory(prefix="iotriage-", ignore_cleanup_errors=True)
        self._control, theirs = socket.socketpair()
        with theirs:
            self._server = subprocess.Popen(
                [sys.executable, "-I", "-m", SERVER, str(theirs.fileno()), self._read, *self._search_path],
                env={**_ENVIRONMENT, "TMPDIR": self._scratch.name},
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                cwd="/",
                start_new_session=True,
            )

    def _drop_server(self) -> None:
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._server is not None:
            self._server.wait()
            self._server = None
        if self._scratch is not None:
            self._scratch.cleanup()
            self._scratch = None


def _receive(incoming: int, limits: ReadingLimits) -> tuple[bytes, _Cut | None]:
    """What the child writes until it ends, within the limits on time and bytes."""
    deadline = time.monotonic() + limits.seconds
    received = bytearray()
    with selectors.DefaultSelector() as selector:
        selector.register(incoming, selectors.EVENT_READ)
        while True:
            left = deadline - time.monotonic()
            if left <= 0 or not selector.select(left):
                return b"", "timed-out"
            chunk = os.read(incoming, _CHUNK_BYTES)
            if not chunk:
                return bytes(received), None
            received += chunk
            if len(received) > limits.result_bytes:
                return b"", "too-large"


def _wait_status(ours: socket.socket) -> int | None:
    """The child's wait status; None where the server died before it could tell."""
    ours.settimeout(_GRACE_SECONDS)
    try:
        status = ours.recv(STATUS.size, socket.MSG_WAITALL)
    except OSError:
        return None
    return int(STATUS.unpack(status)[0]) if len(status) == STATUS.size else None


def outcome_of(end: ChildEnd, limits: ReadingLimits) -> object:
    """What the child's end means: its result, or the failure that stands on the source."""
    if end.cut == "timed-out" or _killed_by(end.status) == signal.SIGXCPU:
        return Failure(
            "timed-out",
            f"Reading the source was stopped after {limits.seconds:g} s.",
            "If the file is sound, allow more time with IOTRIAGE_PARSE_SECONDS.",
        )
    kind, body = end.result[:1], end.result[1:]
    if end.cut == "too-large" or kind == NO_MEMORY:
        return Failure(
            "too-large",
            f"Reading the source needs more than the {limits.memory_bytes // MIB:,} MiB of memory that it may use.",
            "If the file is sound, allow more with IOTRIAGE_PARSE_MEMORY_BYTES; "
            "a Darshan log without its DXT modules needs far less.",
        )
    if kind == RESULT and end.status == 0:
        return _unpickled(body)
    if kind == RAISED:
        log.error("a reader raised an exception", traceback=body.decode("utf-8", "replace"))
    return _crashed(end.status)


def _unpickled(body: bytes) -> object:
    try:
        return result_from(body)
    except UnexpectedResultError as error:
        log.error("a reader's result was refused", error=str(error))
        return _crashed(0)


def _crashed(status: int | None) -> Failure:
    killed_by = _killed_by(status)
    how = f" ({killed_by.name})" if killed_by is not None else ""
    return Failure(
        "crashed",
        f"The reader crashed on the source{how}. Nothing else is affected.",
        "The file is probably damaged: copy it again from where it was written. If it is sound, please report it.",
    )


def _killed_by(status: int | None) -> signal.Signals | None:
    if status is None or not os.WIFSIGNALED(status):
        return None
    return signal.Signals(os.WTERMSIG(status))


def _unexpected(found: object) -> Failure:
    log.error("a reader's result was refused", error=f"unexpected {type(found).__name__}")
    return _crashed(0)
