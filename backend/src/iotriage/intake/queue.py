"""Work for the background: tasks in order of urgency, and the threads that do them."""

from __future__ import annotations

import heapq
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum

import structlog

log: structlog.stdlib.BoundLogger = structlog.get_logger()


class Urgency(IntEnum):
    """A person looks at the case; a person gave it; nobody has asked."""

    OPENED = 0
    NEW = 1
    UNASKED = 2


@dataclass(frozen=True, order=True, slots=True)
class _Entry:
    urgency: Urgency
    number: int
    task: Callable[[], None] = field(compare=False)


class WorkQueue:
    """Does the most urgent task first, of equally urgent ones the oldest. A task that raises is logged."""

    def __init__(self, threads: int) -> None:
        self._size = threads
        self._threads: list[threading.Thread] = []
        self._state = threading.Condition()
        self._waiting: list[_Entry] = []
        self._running = 0
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
            self._waiting.clear()
            self._state.notify_all()
        for thread in self._threads:
            thread.join()
        self._threads = []

    def put(self, task: Callable[[], None], urgency: Urgency = Urgency.NEW) -> None:
        """Has the task done; dropped where the queue does not run."""
        with self._state:
            if self._open:
                self._count += 1
                heapq.heappush(self._waiting, _Entry(urgency, self._count, task))
                self._state.notify_all()

    def wait_until_idle(self, timeout_seconds: float | None = None) -> bool:
        """Whether nothing waited and nothing ran within this time; at once where the queue was stopped."""
        with self._state:
            return self._state.wait_for(lambda: not self._waiting and self._running == 0, timeout_seconds)

    def _work(self) -> None:
        while (task := self._next()) is not None:
            try:
                task()
            except Exception:
                log.exception("background work failed")
            finally:
                with self._state:
                    self._running -= 1
                    self._state.notify_all()

    def _next(self) -> Callable[[], None] | None:
        with self._state:
            self._state.wait_for(lambda: self._waiting or not self._open)
            if not self._open:
                return None
            self._running += 1
            return heapq.heappop(self._waiting).task
