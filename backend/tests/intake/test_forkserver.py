"""The process that children are forked off outlives every order in which they and those who ordered them end."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from iotriage.intake.child import CHILD_STATUS, ENDED, NEW_CHILD, ORDER_LENGTH
from iotriage.intake.children import Children
from iotriage.intake.forkserver import ForkServer

HOSTILE = str(Path(__file__).parent / "hostile")


class Batches(ForkServer):
    """Its events are handled when the test says so, and in its order."""

    def batch(self, *order: str) -> None:
        ready = {("woken" if key.fileobj == self._woken else "order"): key for key, _ in self._selector.select(60)}
        for name in order:
            ready[name].data()


@pytest.fixture
def forked() -> Iterator[tuple[Batches, socket.socket]]:
    ours, theirs = socket.socketpair()
    server = Batches(theirs, lambda _: signal.pause())  # type: ignore[arg-type, return-value]
    yield server, ours
    ours.close()
    theirs.close()


@pytest.mark.parametrize("order", [("woken", "order"), ("order", "woken")])
def test_the_end_of_a_child_and_of_its_order_in_one_batch(
    forked: tuple[Batches, socket.socket], order: tuple[str, ...]
) -> None:
    server, control = forked
    before = signal.getsignal(signal.SIGCHLD)
    ours, theirs = socket.socketpair()
    with theirs:
        ours.sendall(ORDER_LENGTH.pack(2) + b"{}")
        socket.send_fds(control, [NEW_CHILD], [theirs.fileno()])
    try:
        server.listen()
        server._fork()
        (child,) = server._children.values()
        os.kill(child.pid, signal.SIGKILL)
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        ours.shutdown(socket.SHUT_WR)
        while True:
            ready = {key.fileobj for key, _ in server._selector.select(60)}
            if len(ready) >= 2:
                break
        server.batch(*order)
        assert server._children == {}
        kind, status, _ = CHILD_STATUS.unpack(ours.recv(CHILD_STATUS.size, socket.MSG_WAITALL))
        assert (kind, os.WTERMSIG(status)) == (ENDED, signal.SIGKILL)
    finally:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, before)
        ours.close()


def test_many_children_that_end_and_are_ended_at_once() -> None:
    children = Children("hostile_case:sleeping", search_path=(HOSTILE,))
    try:
        first = [children.fork(b"{}", []) for _ in range(20)]
        for child in first:
            child.kill()
        ends = [child.end() for child in first]
        assert {end.signal for end in ends if end is not None} == {signal.SIGKILL}
        assert len(ends) == 20
        another = children.fork(b"{}", [])
        assert another.processor_seconds() >= 0
        another.kill()
        assert another.end() is not None
    finally:
        children.close()
