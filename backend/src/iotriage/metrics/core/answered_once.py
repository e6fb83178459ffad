"""What is worked out once for what it is worked out of: its result is kept there."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar


class KeepsAnswers(Protocol):
    """What remembers what was worked out of it."""

    @property
    def worked_out(self) -> dict[object, object]: ...


K = TypeVar("K", bound=KeepsAnswers)
P = ParamSpec("P")
T = TypeVar("T")


_NOT_YET = object()


def answered_once(compute: Callable[Concatenate[K, P], T]) -> Callable[Concatenate[K, P], T]:
    """`compute`, answered once for a first argument and each set of further ones, which are hashable."""

    @wraps(compute)
    def of(keeper: K, /, *args: P.args, **kwargs: P.kwargs) -> T:
        key: object = compute
        if args or kwargs:
            key = (compute, args, *kwargs.items()) if kwargs else (compute, args)
        known = keeper.worked_out
        found = known.get(key, _NOT_YET)
        if found is _NOT_YET:
            found = known[key] = compute(keeper, *args, **kwargs)
        return found  # type: ignore[return-value]

    return of
