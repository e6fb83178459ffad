"""What is worked out once for a job, or a selection of it, and read by many metrics."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar
from weakref import WeakKeyDictionary

from iotriage.metrics.core.selection import Selection

T = TypeVar("T")


def per_job(compute: Callable[[Selection], T]) -> Callable[[Selection], T]:
    """`compute` of the whole job that a selection is part of, kept as long as that selection lives."""
    once = per_selection(compute)

    @wraps(compute)
    def of(s: Selection) -> T:
        return once(s.whole)

    return of


def per_selection(compute: Callable[[Selection], T]) -> Callable[[Selection], T]:
    """`compute` of a selection, kept as long as that lives."""
    known: WeakKeyDictionary[Selection, T] = WeakKeyDictionary()

    @wraps(compute)
    def of(s: Selection) -> T:
        if s not in known:
            known[s] = compute(s)
        return known[s]

    return of
