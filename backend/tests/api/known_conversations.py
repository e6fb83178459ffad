"""Processes of cases that are asked only what none was asked before.

A process answers the same to the same messages. Most tests give the same few logs, to see what becomes of the answers:
so each conversation is had with a real process once, and what it answered is answered from then on.
"""

from __future__ import annotations

import contextlib
import hashlib
import socket
import threading
from collections.abc import Callable, Mapping, Sequence

from iotriage.intake.children import Child, ChildEnd, Children
from iotriage.intake.frames import HEAD, Kind, head_of, read_exactly

_LARGEST_FRAME = 1 << 31
_UNANSWERED = (Kind.SOURCE, Kind.PIECE)
_MOST_ENVIRONMENTS = 3


class KnownConversations(Children):
    """What real processes are forked off stays for the environments that were wanted last: a test that comes after one
    with profiles of its own has again what was there before."""

    def __init__(self, prepare: str, more: Callable[[], Mapping[str, str]]) -> None:
        super().__init__(prepare, more=more)
        self._prepare = prepare
        self._known: dict[bytes, bytes] = {}
        self._real: dict[bytes, Children] = {}

    def start(self) -> None:
        """Not before a conversation is had that is not known."""

    def fork(self, order: bytes, descriptors: Sequence[int]) -> Child:
        (theirs,) = descriptors
        if self.closed:
            raise OSError("reading was closed")
        more = dict(self._more())
        environment = repr(sorted(more.items())).encode()
        return _Remembering(
            theirs, order + environment, self._known, lambda end: self._of(environment, more).fork(order, [end])
        )

    def _of(self, environment: bytes, more: Mapping[str, str]) -> Children:
        with self._lock:
            real = self._real.pop(environment, None) or Children(self._prepare, more=lambda: more)
            self._real[environment] = real
            if len(self._real) > _MOST_ENVIRONMENTS:
                self._real.pop(next(iter(self._real))).close()
        return real

    def close(self) -> None:
        super().close()
        for real in self._real.values():
            real.close()


class _Remembering(Child):
    """The child of one conversation: there is a real one from the first message on whose answer is not known. `said` is
    what it depends on beside the messages."""

    def __init__(self, theirs: int, said: bytes, known: dict[bytes, bytes], fork: Callable[[int], Child]) -> None:
        self.cpu_seconds = 0.0
        self._conversation = socket.socket(fileno=socket.dup(theirs))
        self._said, self._known, self._fork = hashlib.sha256(said), known, fork
        self._untold: list[tuple[Kind, bytes]] = []
        self._real: Child | None = None
        self._asked: socket.socket | None = None
        self._thread = threading.Thread(target=self._converse, daemon=True)
        self._thread.start()

    def processor_seconds(self) -> float:
        if self._real is not None:
            self.cpu_seconds = self._real.processor_seconds()
        return self.cpu_seconds

    def kill(self) -> None:
        for held in (self._conversation, self._asked):
            if held is not None:
                with contextlib.suppress(OSError):
                    held.shutdown(socket.SHUT_RDWR)
        if self._real is not None:
            self._real.kill()

    def end(self) -> ChildEnd | None:
        self._thread.join()
        return ChildEnd(0) if self._real is None else self._real.end()

    def _converse(self) -> None:
        with self._conversation, contextlib.suppress(OSError):
            while (message := _frame(self._conversation)) is not None:
                kind, whole = message
                self._said.update(whole)
                self._untold.append(message)
                if kind in _UNANSWERED:
                    continue
                key = self._said.digest()
                answer = self._known.get(key) or self._really_answered()
                if answer is None:
                    break
                self._known[key] = answer
                self._conversation.sendall(answer)
        if self._asked is not None:
            self._asked.close()

    def _really_answered(self) -> bytes | None:
        """What a real process answers last when it is told all that it was not told before; None where it ends."""
        if self._asked is None:
            self._asked, theirs = socket.socketpair()
            with theirs:
                self._real = self._fork(theirs.fileno())
        answer: tuple[Kind, bytes] | None = None
        for kind, whole in self._untold:
            self._asked.sendall(whole)
            if kind not in _UNANSWERED:
                answer = _frame(self._asked)
        self._untold = []
        return None if answer is None else answer[1]


def _frame(conversation: socket.socket) -> tuple[Kind, bytes] | None:
    head = read_exactly(conversation.fileno(), HEAD.size)
    if head is None:
        return None
    frame = head_of(bytes(head), _LARGEST_FRAME)
    content = read_exactly(conversation.fileno(), frame.length)
    return None if content is None else (frame.kind, bytes(head + content))
