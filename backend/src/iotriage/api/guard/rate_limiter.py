"""A rate limiter for clients, kept in memory."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable

from cachetools import LRUCache

MOST_CLIENTS = 65_536
"""Clients that are remembered; of more, those not seen longest begin afresh."""


class RateLimiter:
    """`amount` in any `seconds`, given back evenly (the generic cell rate algorithm of ATM Forum TM 4.0, a bucket that
    drains). The clock is monotonic: setting the time of day back stops nobody."""

    def __init__(self, amount: float, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds_each = seconds / amount
        self._seconds = seconds
        self._clock = clock
        self._empty_at: LRUCache[str, float] = LRUCache(MOST_CLIENTS)
        self._lock = threading.Lock()

    def take(self, client: str, count: float = 1) -> int:
        """0 where it was granted, else the whole seconds after which it would be; what can never be granted is refused
        for the whole time."""
        cost = count * self._seconds_each
        with self._lock:
            now = self._clock()
            empty_at = max(self._empty_at.get(client, now), now) + cost
            excess = empty_at - now - self._seconds
            if excess <= 1e-9:
                self._empty_at[client] = empty_at
                return 0
            return math.ceil(min(excess, self._seconds))
