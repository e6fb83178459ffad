"""The fork server: forks children off itself, watches their time, and reports how they end.

`python -m iotriage.intake.forkserver FD SEARCH_PATH MODULE:FUNCTION [ARGUMENT…]`: FD is one end of a Unix socket. The
function imports whatever the children need, once, and answers what a child does. Each byte that comes over the socket
carries descriptors: first a socket with the order, then what the child works on, which it finds from 3 on. Over the
order's socket each byte asks how much processor time the child has used; when the other side closes it, the child is
killed; when the child ends, how it ended comes back. `CHILD_STATUS` is the form of both answers.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import selectors
import signal
import socket
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from iotriage.confinement import isolate_server, prepare_confining
from iotriage.intake.child import (
    CHILD_STATUS,
    ENDED,
    MOST_DESCRIPTORS,
    ORDER_BYTES,
    ORDER_LENGTH,
    RUNNING,
    Prepare,
    Work,
    run_child,
)
from iotriage.intake.garbage import collect_nothing_yet, collect_rarely

_PROCESS_CLOCK = 2
"""CPUCLOCK_SCHED in the kernel's include/linux/posix-timers.h: all threads of a process, in user and system time."""


@dataclass(eq=False, slots=True)
class _Child:
    """`ended` from when it was waited for: its number may be another's then."""

    pid: int
    ordering: socket.socket
    ended: bool = False


class ForkServer:
    """Forks a child an order, and watches over all of them in one thread."""

    def __init__(self, control: socket.socket, work: Work) -> None:
        self._control = control
        self._work = work
        self._children: dict[int, _Child] = {}
        self._selector = selectors.DefaultSelector()
        self._woken, self._waker = os.pipe()
        os.set_blocking(self._woken, False)
        os.set_blocking(self._waker, False)

    def serve(self) -> None:
        """Until the other side closes the control socket."""
        self.listen()
        going_on = True
        while going_on:
            # One batch may hold the end of a child and of whoever ordered it, in any order.
            for key, _ in self._selector.select():
                going_on = key.data() and going_on
        for child in self._children.values():
            os.kill(child.pid, signal.SIGKILL)
            os.waitpid(child.pid, 0)

    def listen(self) -> None:
        """Has the selector wake when a child is wanted, when one ends, and when somebody says something of one."""
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._waker)
        self._selector.register(self._control, selectors.EVENT_READ, self._fork)
        self._selector.register(self._woken, selectors.EVENT_READ, self._reap)

    def _fork(self) -> bool:
        byte, descriptors, _, _ = socket.recv_fds(self._control, 1, MOST_DESCRIPTORS)
        if not byte:
            return False
        ordering = socket.socket(fileno=descriptors[0])
        (length,) = ORDER_LENGTH.unpack(ordering.recv(ORDER_LENGTH.size, socket.MSG_WAITALL))
        order = ordering.recv(min(length, ORDER_BYTES), socket.MSG_WAITALL)
        pid = os.fork()
        if pid == 0:
            run_child(self._work, order, descriptors[1:])
        for descriptor in descriptors[1:]:
            os.close(descriptor)
        child = _Child(pid, ordering)
        self._children[pid] = child
        self._selector.register(ordering, selectors.EVENT_READ, lambda: self._asked(child))
        return True

    def _asked(self, child: _Child) -> bool:
        if child.ended:
            return True
        try:
            questions = child.ordering.recv(64)
        except ConnectionResetError:
            questions = b""
        if questions:
            _send_status(child.ordering, RUNNING * len(questions), 0, _processor_seconds(child.pid))
        else:
            self._selector.unregister(child.ordering)
            os.kill(child.pid, signal.SIGKILL)
        return True

    def _reap(self) -> bool:
        with contextlib.suppress(BlockingIOError):
            while os.read(self._woken, 512):
                pass
        with contextlib.suppress(ChildProcessError):
            while True:
                pid, status, used = os.wait4(-1, os.WNOHANG)
                if pid == 0:
                    break
                # What a child left behind may be ours now, and is nobody's to hear of.
                if pid in self._children:
                    self._report(self._children.pop(pid), status, used.ru_utime + used.ru_stime)
        return True

    def _report(self, child: _Child, status: int, seconds: float) -> None:
        child.ended = True
        with contextlib.suppress(KeyError):
            self._selector.unregister(child.ordering)
        _send_status(child.ordering, ENDED, status, seconds)
        child.ordering.close()


def _send_status(ordering: socket.socket, kinds: bytes, status: int, seconds: float) -> None:
    with contextlib.suppress(OSError):
        for kind in kinds:
            ordering.sendall(CHILD_STATUS.pack(bytes((kind,)), status, seconds))


def _processor_seconds(pid: int) -> float:
    """What the process has used so far. See clock_getcpuclockid(3) for how its clock is numbered."""
    if sys.platform != "linux":
        return 0.0
    try:
        return time.clock_gettime((~pid << 3) | _PROCESS_CLOCK)
    except OSError:
        return 0.0


def _prepared(name: str, arguments: list[str]) -> Work:
    module, _, attribute = name.partition(":")
    prepare: Prepare = getattr(importlib.import_module(module), attribute)
    return prepare(*arguments)


def main(arguments: list[str]) -> None:
    descriptor, search_path, name, *rest = arguments
    sys.path.extend(filter(None, search_path.split(os.pathsep)))
    control = socket.socket(fileno=int(descriptor))
    collect_nothing_yet()
    work = _prepared(name, rest)
    prepare_confining()
    collect_rarely()
    isolate_server(Path(tempfile.gettempdir()))
    ForkServer(control, work).serve()


if __name__ == "__main__":
    main(sys.argv[1:])
