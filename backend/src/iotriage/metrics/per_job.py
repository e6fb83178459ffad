"""What is worked out once for a job, and read by many metrics of its groups."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar
from weakref import WeakKeyDictionary

from iotriage.metrics.selection import Selection

T = TypeVar("T")


def per_job(compute: Callable[[Selection], T]) -> Callable[[Selection], T]:
    """`compute` of the whole job that a selection is part of, kept as long as that selection lives."""
    known: WeakKeyDictionary[Selection, T] = WeakKeyDictionary()

    @wraps(compute)
    def of(s: Selection) -> T:
        if s.whole not in known:
            known[s.whole] = compute(s.whole)
        return known[s.whole]

    return of
