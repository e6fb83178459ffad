"""The process that readers are forked off, and what such a child does.

`python -m iotriage.intake.forkserver FD MODULE:FUNCTION [FOLDER…]`: FD is one end of a Unix socket. Each byte that
comes over it carries three descriptors: a socket with the order, the source open for reading, and a pipe for the
result. The child's wait status goes back over the order's socket; when the other side closes that, the child is killed.

The readers are imported once, here, so that a child costs a fork (about 20 ms) and not the import of pydarshan.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import selectors
import signal
import socket
import sys
import tempfile
from pathlib import Path

from iotriage.confinement import isolate_server
from iotriage.confinement.scratch import remove_scratch
from iotriage.intake.child import ORDER_BYTES, STATUS, Read, run_child
from iotriage_parsers.detect import detect


class ForkServer:
    """Forks a child an order, and watches over all of them in one thread."""

    def __init__(self, control: socket.socket, read: Read) -> None:
        self._control = control
        self._read = read
        self._children: dict[int, socket.socket] = {}
        self._selector = selectors.DefaultSelector()
        self._woken, self._waker = os.pipe()
        os.set_blocking(self._woken, False)
        os.set_blocking(self._waker, False)

    def serve(self) -> None:
        """Until the other side closes the control socket."""
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._waker)
        self._selector.register(self._control, selectors.EVENT_READ, self._fork)
        self._selector.register(self._woken, selectors.EVENT_READ, self._reap)
        going_on = True
        while going_on:
            for key, _ in self._selector.select():
                going_on = key.data() and going_on
        for pid in self._children:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            remove_scratch(pid)

    def _fork(self) -> bool:
        byte, descriptors, _, _ = socket.recv_fds(self._control, 1, 3)
        if not byte:
            return False
        order_descriptor, source, outgoing = descriptors
        ordering = socket.socket(fileno=order_descriptor)
        order = ordering.recv(ORDER_BYTES)
        pid = os.fork()
        if pid == 0:
            run_child(self._read, order, source, outgoing)
        os.close(source)
        os.close(outgoing)
        self._children[pid] = ordering
        self._selector.register(ordering, selectors.EVENT_READ, lambda: self._kill(pid))
        return True

    def _kill(self, pid: int) -> bool:
        self._selector.unregister(self._children[pid])
        os.kill(pid, signal.SIGKILL)
        return True

    def _reap(self) -> bool:
        with contextlib.suppress(BlockingIOError):
            while os.read(self._woken, 512):
                pass
        with contextlib.suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG)) != (0, 0):
                self._report(*ended)
        return True

    def _report(self, pid: int, status: int) -> None:
        remove_scratch(pid)
        ordering = self._children.pop(pid)
        with contextlib.suppress(KeyError):
            self._selector.unregister(ordering)
        with contextlib.suppress(OSError):
            ordering.sendall(STATUS.pack(status))
        ordering.close()


def _function(name: str) -> Read:
    module, _, attribute = name.partition(":")
    function: Read = getattr(importlib.import_module(module), attribute)
    return function


def main(arguments: list[str]) -> None:
    descriptor, name, *search_path = arguments
    sys.path.extend(search_path)
    control = socket.socket(fileno=int(descriptor))
    read = _function(name)
    # Imports every reader now, once, and not in every child.
    detect(b"")
    # What is here now stays for good: a collection in a child would copy its pages for nothing.
    gc.freeze()
    isolate_server(Path(tempfile.gettempdir()))
    ForkServer(control, read).serve()


if __name__ == "__main__":
    main(sys.argv[1:])
