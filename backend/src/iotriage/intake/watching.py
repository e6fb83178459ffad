"""Cases that are being read, and who is to be told when something of one changes."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator

Tell = Callable[[], None]


class Watching:
    """Any thread may call any method. `Tell` is called by the thread that reads the case: it must not wait."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._watchers: dict[str, list[Tell]] = {}

    @contextlib.contextmanager
    def of(self, case_id: str, tell: Tell) -> Iterator[None]:
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
            told = tuple(self._watchers.get(case_id, ()))
        for tell in told:
            tell()
