"""The client of a fork server (`forkserver`): starts it when the first child is wanted, and restarts it when it has
died."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import structlog

from iotriage.confinement.environment import OF_A_CHILD
from iotriage.confinement.scratch import ScratchFolder
from iotriage.intake.child import ASK_TIME, CHILD_STATUS, ENDED, NEW_CHILD, ORDER_LENGTH
from iotriage.intake.reading import Spent
from iotriage_parsers.frozen import frozen

SERVER = "iotriage.intake.forkserver"

_GRACE_SECONDS = 10.0
_LOOK_SECONDS = 0.2
"""How often the processor time of a child is checked while somebody waits for it."""

log: structlog.stdlib.BoundLogger = structlog.get_logger()

Overrun = Literal["cpu", "wall"]


class OverrunError(Exception):
    """A child used more processor time, or took longer, than it may."""

    def __init__(self, which: Overrun) -> None:
        super().__init__(which)
        self.which: Overrun = which


@frozen
class ChildEnd:
    """How a child ended: its wait status."""

    status: int

    @property
    def signal(self) -> int | None:
        return os.WTERMSIG(self.status) if os.WIFSIGNALED(self.status) else None

    @property
    def out_of_time(self) -> bool:
        return self.signal == signal.SIGXCPU

    def __str__(self) -> str:
        """How it was ended: the signal's name, such as "SIGSEGV", or its number."""
        number = self.signal
        if number is None:
            return f"status {os.waitstatus_to_exitcode(self.status)}"
        try:
            return signal.Signals(number).name
        except ValueError:
            return f"signal {number}"


class Child:
    """A child process that the fork server made for this server."""

    def __init__(self, ordering: socket.socket) -> None:
        self._ordering = ordering
        self._ordering.settimeout(_GRACE_SECONDS)
        self._end: ChildEnd | None = None
        self.cpu_seconds = 0.0

    def processor_seconds(self) -> float:
        """The processor time that it has used until now, in seconds."""
        if self._end is None:
            with contextlib.suppress(OSError):
                self._ordering.sendall(ASK_TIME)
            self._receive_status()
        return self.cpu_seconds

    def kill(self) -> None:
        # The fork server takes this for the wish that the child be killed.
        with contextlib.suppress(OSError):
            self._ordering.shutdown(socket.SHUT_WR)

    def ended_within(self, seconds: float) -> bool:
        """Waits so long for the child to end by itself; whether it did."""
        self._ordering.settimeout(seconds)
        while self._end is None and self._receive_status():
            pass
        self._ordering.settimeout(_GRACE_SECONDS)
        return self._end is not None

    def end(self) -> ChildEnd | None:
        """Waits for the child's end; None where the fork server died before it could report it."""
        while self._end is None and self._receive_status():
            pass
        self._ordering.close()
        return self._end

    def _receive_status(self) -> bool:
        try:
            message = self._ordering.recv(CHILD_STATUS.size, socket.MSG_WAITALL)
        except OSError:
            return False
        if len(message) != CHILD_STATUS.size:
            return False
        kind, status, self.cpu_seconds = CHILD_STATUS.unpack(message)
        if kind == ENDED:
            self._end = ChildEnd(status)
        return True


class Meter:
    """Watches over the time of a child while somebody waits for it: tells `spent` what it used since the last look, and
    raises `OverrunError` past one of the limits, which count from now."""

    def __init__(self, child: Child, cpu_seconds: float, wall_seconds: float, spent: Spent) -> None:
        self._child = child
        self._most = child.cpu_seconds + cpu_seconds
        self._deadline = time.monotonic() + wall_seconds
        self._spent = spent
        self._reported = child.cpu_seconds
        self._next_look = time.monotonic() + _LOOK_SECONDS

    def wait(self, selector: selectors.BaseSelector) -> None:
        """Waits until something is ready to be read. Raises `OverrunError` at a limit of time."""
        while True:
            now = time.monotonic()
            if now >= self._deadline:
                raise OverrunError("wall")
            if now >= self._next_look:
                self._next_look = now + _LOOK_SECONDS
                self._report(self._child.processor_seconds())
                if self._child.cpu_seconds > self._most:
                    raise OverrunError("cpu")
            if selector.select(max(min(self._next_look, self._deadline) - now, 0.0)):
                return

    def finish(self) -> None:
        """What the child had used at its end, or at the end of what was waited for."""
        self._report(self._child.cpu_seconds)

    def _report(self, used: float) -> None:
        more, self._reported = max(used - self._reported, 0.0), max(used, self._reported)
        self._spent(more)


def _nothing_more() -> Mapping[str, str]:
    return {}


class Children:
    """Forks children off a process that has imported what they need and knows nothing else. `prepare` and `arguments`
    say what they do (`iotriage.intake.forkserver`); `more` is what its environment has beside the least, and where that
    has become another the process is started again."""

    def __init__(
        self,
        prepare: str,
        arguments: tuple[str, ...] = (),
        search_path: tuple[str, ...] = (),
        more: Callable[[], Mapping[str, str]] = _nothing_more,
    ) -> None:
        self._command = (os.pathsep.join(search_path), prepare, *arguments)
        self._more = more
        self._lock = threading.Lock()
        self._server: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._environment: dict[str, str] = {}
        self._scratch: ScratchFolder | None = None
        self.closed = False

    def fork(self, order: bytes, descriptors: Sequence[int]) -> Child:
        """A child with these descriptors; they stay ours too. OSError where none can be had."""
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                ours.sendall(ORDER_LENGTH.pack(len(order)) + order)
                self._hand_over([theirs.fileno(), *descriptors])
        except BaseException:
            ours.close()
            raise
        return Child(ours)

    def start(self) -> None:
        """Starts the process now, so that the first child need not wait for it."""
        with self._lock:
            if self._server is None and not self.closed:
                self._start_server()

    def close(self) -> None:
        """Ends the fork server; children that still run die with it."""
        with self._lock:
            self.closed = True
            self._drop_server()

    def _hand_over(self, descriptors: list[int]) -> None:
        with self._lock:
            if self.closed:
                raise OSError("reading was closed")
            if not self._is_fit():
                self._start_server()
            assert self._control is not None
            try:
                socket.send_fds(self._control, [NEW_CHILD], descriptors)
            except (BrokenPipeError, ConnectionResetError):
                self._start_server()
                socket.send_fds(self._control, [NEW_CHILD], descriptors)

    def _is_fit(self) -> bool:
        """Whether the running fork server can still make children: cleaning up /tmp may have removed its folder."""
        running = self._server is not None and self._server.poll() is None
        placed = self._scratch is not None and self._scratch.path.is_dir()
        return running and placed and self._environment == self._wanted()

    def _wanted(self) -> dict[str, str]:
        return {**OF_A_CHILD, **self._more()}

    def _start_server(self) -> None:
        self._drop_server()
        self._environment = self._wanted()
        self._scratch = ScratchFolder()
        self._control, theirs = socket.socketpair()
        with theirs:
            self._server = subprocess.Popen(
                [sys.executable, "-I", "-m", SERVER, str(theirs.fileno()), *self._command],
                env={**self._environment, "TMPDIR": str(self._scratch.path)},
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
            self._scratch.remove()
            self._scratch = None
