"""What is worked out once for what it is worked out of: its result is kept there."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import CO_VARARGS
from types import FunctionType
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
    return _of_more(compute) if _takes_more(compute) else _of_keeper(compute)


def _takes_more(compute: object) -> bool:
    if not isinstance(compute, FunctionType):
        return True
    code = compute.__code__
    return code.co_argcount + code.co_kwonlyargcount > 1 or bool(code.co_flags & CO_VARARGS)


def _of_keeper(compute: Callable[Concatenate[K, P], T]) -> Callable[Concatenate[K, P], T]:
    """Of a function without further arguments, which is asked hundreds of times a diagnosis: to pack none takes as long
    as to find the answer."""

    @wraps(compute)
    def of(keeper: K, /) -> T:
        known = keeper.worked_out
        found = known.get(compute, _NOT_YET)
        if found is _NOT_YET:
            found = known[compute] = compute(keeper)  # type: ignore[call-arg]
        return found  # type: ignore[return-value]

    return of  # type: ignore[return-value]


def _of_more(compute: Callable[Concatenate[K, P], T]) -> Callable[Concatenate[K, P], T]:
    @wraps(compute)
    def of(keeper: K, /, *args: P.args, **kwargs: P.kwargs) -> T:
        key = (compute, args, *kwargs.items()) if kwargs else (compute, args)
        known = keeper.worked_out
        found = known.get(key, _NOT_YET)
        if found is _NOT_YET:
            found = known[key] = compute(keeper, *args, **kwargs)
        return found  # type: ignore[return-value]

    return of
