"""What is costly to make, cached in memory for a while."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from cachetools import LRUCache, cached

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Cache(Generic[Key, Value]):
    """What was asked for last, up to `capacity` by `size`, a number of the same unit, and always the last one; what was
    used longest ago goes first. A value whose size is None is not cached. It can always be made again, so nothing is
    lost with what goes."""

    def __init__(self, capacity: int, size: Callable[[Value], int | None]) -> None:
        def room(value: Value) -> float:
            # What is larger than the capacity takes all of it; what is larger still is refused.
            needed = size(value)
            return math.inf if needed is None else min(needed, capacity)

        @cached(LRUCache[Key, Value](capacity, room), key=lambda key, _: key, condition=threading.Condition())
        def value(_: Key, make: Callable[[], Value]) -> Value:
            return make()

        self._value = value

    def value(self, key: Key, make: Callable[[], Value]) -> Value:
        """The value that is cached for the key, or what `make` gives. Of several who ask at once, one makes it and the
        others wait for it."""
        return self._value(key, make)
