"""Decorators for what several metrics read of a selection, or of one log in it: computed once, and cached there."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from iotriage.metrics.core.caching import cached_on_argument
from iotriage.metrics.core.selection import LogRows, Selection

P = ParamSpec("P")
T = TypeVar("T")


def cached_per_selection(compute: Callable[Concatenate[Selection, P], T]) -> Callable[Concatenate[Selection, P], T]:
    """Caches the result in the selection, by the further arguments, which must be hashable. `compute` may read the
    records, blocks and parts of the selection, but nothing that `replace` can change later (pattern, files, losses,
    site, documented rates): a copy made by `replace` shares the cache."""
    return cached_on_argument(compute)


def cached_per_job(compute: Callable[[Selection], T]) -> Callable[[Selection], T]:
    """Caches the result in the selection of the whole job, whichever part of it is asked about."""
    cached = cached_per_selection(compute)

    @wraps(compute)
    def wrapper(s: Selection) -> T:
        return cached(s.whole)

    return wrapper


def cached_per_log(compute: Callable[Concatenate[LogRows, P], T]) -> Callable[Concatenate[LogRows, P], T]:
    """Caches the result in the records of a log. A group of files that has all records of a log shares them with the
    job, and so the result."""
    return cached_on_argument(compute)
