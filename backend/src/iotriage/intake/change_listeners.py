"""Listeners for changes of cases that are being read."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator

Listener = Callable[[], None]


class ChangeListeners:
    """Thread-safe. A `Listener` is called by the thread that reads the case, and must not block."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._watchers: dict[str, list[Listener]] = {}

    @contextlib.contextmanager
    def of(self, case_id: str, tell: Listener) -> Iterator[None]:
        """Has `tell` be called each time that something of the case changes, until the end of the context."""
        with self._lock:
            self._watchers.setdefault(case_id, []).append(tell)
        try:
            yield
        finally:
            with self._lock:
                self._watchers[case_id].remove(tell)
                if not self._watchers[case_id]:
                    del self._watchers[case_id]

    def changed(self, case_id: str) -> None:
        with self._lock:
            watchers = tuple(self._watchers.get(case_id, ()))
        for tell in watchers:
            tell()
