"""What is costly to make, kept in memory for a while."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Kept(Generic[Key, Value]):
    """What was asked for last, up to `capacity` by `size`, a number of the same unit, and always the last one; what was
    used longest ago goes first. A value whose size is None is not kept. It can always be made again, so nothing is
    lost with what goes."""

    def __init__(self, capacity: int, size: Callable[[Value], int | None]) -> None:
        self._capacity = capacity
        self._size = size
        self._lock = threading.Lock()
        self._kept: OrderedDict[Key, tuple[Value, int]] = OrderedDict()
        self._being_made: dict[Key, threading.Lock] = {}

    def value(self, key: Key, make: Callable[[], Value]) -> Value:
        """The value that is kept for the key, or what `make` gives. Of several who ask at once, one makes it and the
        others wait for it."""
        with self._lock:
            one_makes = self._being_made.setdefault(key, threading.Lock())
        try:
            with one_makes:
                found = self._look_up(key)
                return found[0] if found else self._keep(key, make())
        finally:
            with self._lock:
                self._being_made.pop(key, None)

    def _look_up(self, key: Key) -> tuple[Value] | None:
        with self._lock:
            if key not in self._kept:
                return None
            self._kept.move_to_end(key)
            return (self._kept[key][0],)

    def _keep(self, key: Key, value: Value) -> Value:
        size = self._size(value)
        if size is not None:
            with self._lock:
                self._kept[key] = (value, size)
                while len(self._kept) > 1 and sum(kept for _, kept in self._kept.values()) > self._capacity:
                    self._kept.popitem(last=False)
        return value
