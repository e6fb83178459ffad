"""Results cached in the object that they were computed from: they live as long as it does, and no longer.

`functools.cache` would keep every table and selection of every case in memory. The decorators by what the result is
kept in are `cached_per_selection`, `cached_per_job` and `cached_per_log` (`selection_cache`), and `cached_per_table`
(`table_cache`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import CO_VARARGS
from types import FunctionType
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from iotriage_parsers.evidence.darshan import MissingCounter, begin_notes, end_notes, note_missing


class HasCache(Protocol):
    """An object that results can be cached in."""

    @property
    def cache(self) -> dict[object, object]: ...


K = TypeVar("K", bound=HasCache)
P = ParamSpec("P")
T = TypeVar("T")


_MISSING = object()
_MISSING_COUNTERS = object()
"""The key under which a cache keeps the missing counters that were read for each cached result: whoever gets the result
from the cache has read them too."""


def cached_on_argument(compute: Callable[Concatenate[K, P], T]) -> Callable[Concatenate[K, P], T]:
    """A decorator: caches what `compute` returns in the `cache` of its first argument, by the further arguments, which
    must be hashable."""
    return _cached_with_arguments(compute) if _takes_arguments(compute) else _cached_unary(compute)


def _takes_arguments(compute: object) -> bool:
    if not isinstance(compute, FunctionType):
        return True
    code = compute.__code__
    return code.co_argcount + code.co_kwonlyargcount > 1 or bool(code.co_flags & CO_VARARGS)


def _cached_unary(compute: Callable[Concatenate[K, P], T]) -> Callable[Concatenate[K, P], T]:
    """For a function without further arguments, which is called hundreds of times a diagnosis: building a key of none
    takes as long as looking the result up."""

    @wraps(compute)
    def wrapper(holder: K, /) -> T:
        cache = holder.cache
        found = cache.get(compute, _MISSING)
        if found is _MISSING:
            outer = begin_notes()
            try:
                found = cache[compute] = compute(holder)  # type: ignore[call-arg]
            finally:
                _keep_missing(cache, compute, end_notes(outer))
        if _MISSING_COUNTERS in cache:
            note_missing(_missing_counters(cache).get(compute, ()))
        return found  # type: ignore[return-value]

    return wrapper  # type: ignore[return-value]


def _cached_with_arguments(compute: Callable[Concatenate[K, P], T]) -> Callable[Concatenate[K, P], T]:
    @wraps(compute)
    def wrapper(holder: K, /, *args: P.args, **kwargs: P.kwargs) -> T:
        key = (compute, args, *kwargs.items()) if kwargs else (compute, args)
        cache = holder.cache
        found = cache.get(key, _MISSING)
        if found is _MISSING:
            outer = begin_notes()
            try:
                found = cache[key] = compute(holder, *args, **kwargs)
            finally:
                _keep_missing(cache, key, end_notes(outer))
        if _MISSING_COUNTERS in cache:
            note_missing(_missing_counters(cache).get(key, ()))
        return found  # type: ignore[return-value]

    return wrapper


def _keep_missing(cache: dict[object, object], key: object, missing: frozenset[MissingCounter]) -> None:
    if missing:
        _missing_counters(cache)[key] = missing


def _missing_counters(cache: dict[object, object]) -> dict[object, frozenset[MissingCounter]]:
    return cache.setdefault(_MISSING_COUNTERS, {})  # type: ignore[return-value]
