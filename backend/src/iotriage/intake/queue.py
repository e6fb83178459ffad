"""The work queue: tasks that open untrusted files, by urgency, and the threads that run them."""

from __future__ import annotations

import contextlib
import threading
from bisect import insort
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TypeVar

import structlog

from iotriage_parsers.frozen import frozen

log: structlog.stdlib.BoundLogger = structlog.get_logger()

SLOW_SECONDS = 1.0
"""Processor time after which a task is slow."""

FEWEST_THREADS = 2
"""With only one thread, slow tasks would occupy the last."""

MOST_ASKED = 48
"""Number of requests that may wait for an answer at once: fewer than the web server's threads, so that some are left
for other requests."""

T = TypeVar("T")


class Urgency(IntEnum):
    """OPENED: a person waits for the answer, or looks at the case. NEW: a person uploaded it. UNASKED: nobody asked for
    it. The first two take turns."""

    OPENED = 0
    NEW = 1
    UNASKED = 2


class BusyError(Exception):
    """Too many tasks are waiting, or this one has waited too long."""


class MovedError(Exception):
    """Raised in a task that has become slow while the slow lane is full; it is started again when there is room. The
    task must let it pass."""


class QueuedTask:
    """A task's place in the queue. `spent` is called with the processor time that the task's processes use; `seconds`
    is the sum so far."""

    def __init__(self, slow: bool, make_slow: Callable[[], bool]) -> None:
        self.slow = slow
        self._make_slow = make_slow
        self.seconds = 0.0

    def spent(self, seconds: float) -> None:
        """So much more processor time was used. Raises `MovedError`."""
        self.seconds += seconds
        if self.seconds > SLOW_SECONDS and not self.slow:
            if not self._make_slow():
                raise MovedError
            self.slow = True


Task = Callable[[QueuedTask], None]


@dataclass(order=True, slots=True)
class _Entry:
    urgency: Urgency
    number: int
    task: Task = field(compare=False)
    key: str | None = field(compare=False, default=None)
    slow: bool = field(compare=False, default=False)
    dropped: Callable[[], None] = field(compare=False, default=lambda: None)


@frozen
class QueueLoad:
    """How many tasks wait, run, and are slow of those that run."""

    waiting: int
    running: int
    slow: int


class WorkQueue:
    """Does the most urgent task first, of equally urgent ones the oldest, and of those with one key one at a time; but
    what is opened and what is new take turns where both wait, or many who look would keep what was given from being
    read, and the other way round. Slow tasks never hold the last thread, where there are several. A task that raises is
    logged; `used` is told the processor time of each that has ended."""

    def __init__(self, threads: int, used: Callable[[float], None] = lambda _: None) -> None:
        self._used = used
        self._size = threads
        self._slow_places = max(threads - 1, 1)
        self._threads: list[threading.Thread] = []
        self._state = threading.Condition()
        self._waiting: list[_Entry] = []
        self._keys: set[str] = set()
        self._running = 0
        self._slow = 0
        self._asked = 0
        self._turn_of_new = False
        self._count = 0
        self._open = False

    def start(self) -> None:
        with self._state:
            self._open = True
        self._threads = [threading.Thread(target=self._work, name=f"reading-{i}") for i in range(self._size)]
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Drops what waits, and returns when what runs has ended."""
        with self._state:
            self._open = False
            dropped, self._waiting = self._waiting, []
            self._state.notify_all()
        for entry in dropped:
            entry.dropped()
        for thread in self._threads:
            thread.join()
        self._threads = []

    def put(
        self,
        task: Task,
        urgency: Urgency = Urgency.NEW,
        key: str | None = None,
        *,
        slow: bool = False,
        dropped: Callable[[], None] = lambda: None,
    ) -> None:
        """Has the task done; `dropped` is called instead where the queue does not run, or runs no more."""
        with self._state:
            if self._open:
                self._enter(_Entry(urgency, 0, task, key, slow, dropped))
                return
        dropped()

    def ask(
        self,
        task: Callable[[QueuedTask], T],
        key: str | None,
        start_seconds: float,
        end_seconds: float,
        *,
        slow: bool = False,
    ) -> T:
        """What the task answers, before all that nobody waits for; what it raises is raised. Raises `BusyError` where
        it did not begin within `start_seconds`, or did not end within `end_seconds` after that."""
        answer: Future[T] = Future()

        def answered(ticket: QueuedTask) -> None:
            if not (answer.running() or answer.set_running_or_notify_cancel()):
                return
            try:
                found = task(ticket)
            except MovedError:
                raise
            except Exception as error:
                answer.set_exception(error)
            else:
                answer.set_result(found)

        def dropped() -> None:
            with contextlib.suppress(InvalidStateError):
                answer.set_exception(BusyError())

        with self._state:
            if not self._open or self._asked >= MOST_ASKED:
                raise BusyError
            self._asked += 1
            self._enter(_Entry(Urgency.OPENED, 0, answered, key, slow, dropped))
        try:
            return self._awaited(answer, start_seconds, end_seconds)
        finally:
            with self._state:
                self._asked -= 1

    def load(self) -> QueueLoad:
        """How many tasks wait and run now."""
        with self._state:
            return QueueLoad(len(self._waiting), self._running, self._slow)

    def asked(self) -> int:
        """How many wait for an answer."""
        with self._state:
            return self._asked

    def wait_until_idle(self, timeout_seconds: float | None = None) -> bool:
        """Whether nothing waited and nothing ran within this time; at once where the queue was stopped."""
        with self._state:
            return self._state.wait_for(lambda: not self._waiting and self._running == 0, timeout_seconds)

    def _awaited(self, answer: Future[T], start_seconds: float, end_seconds: float) -> T:
        try:
            return answer.result(start_seconds)
        except TimeoutError:
            if answer.done():
                raise
        if answer.cancel():
            raise BusyError
        try:
            return answer.result(end_seconds)
        except TimeoutError:
            if answer.done():
                raise
            raise BusyError from None

    def _enter(self, entry: _Entry) -> None:
        self._count += 1
        entry.number = self._count
        insort(self._waiting, entry)
        self._state.notify_all()

    def _work(self) -> None:
        while (entry := self._next()) is not None:
            ticket = QueuedTask(entry.slow, self._make_slow)
            moved = False
            try:
                entry.task(ticket)
            except MovedError:
                moved = True
            except Exception:
                log.exception("background work failed")
            finally:
                self._leave(entry, ticket, moved=moved)

    def _leave(self, entry: _Entry, ticket: QueuedTask, *, moved: bool) -> None:
        with self._state:
            self._running -= 1
            self._slow -= ticket.slow
            if entry.key is not None:
                self._keys.discard(entry.key)
            entry.slow = True
            moved_on = moved and self._open
            if moved_on:
                insort(self._waiting, entry)
            self._state.notify_all()
        if ticket.seconds > 0 and not moved:
            self._used(ticket.seconds)
        if moved and not moved_on:
            entry.dropped()

    def _make_slow(self) -> bool:
        with self._state:
            free = self._slow < self._slow_places
            self._slow += free
            return free

    def _next(self) -> _Entry | None:
        with self._state:
            entry: _Entry | None = None
            while self._open and (entry := self._startable()) is None:
                self._state.wait()
            if entry is None or not self._open:
                return None
            self._waiting.remove(entry)
            self._turn_of_new = entry.urgency is Urgency.OPENED
            self._running += 1
            self._slow += entry.slow
            if entry.key is not None:
                self._keys.add(entry.key)
            return entry

    def _startable(self) -> _Entry | None:
        """What is to be done next, of what may be begun now."""
        slow = self._slow < self._slow_places
        startable = (e for e in self._waiting if (slow or not e.slow) and e.key not in self._keys)
        first = next(startable, None)
        if first is None or first.urgency is not Urgency.OPENED or not self._turn_of_new:
            return first
        return next((e for e in startable if e.urgency is Urgency.NEW), first)
