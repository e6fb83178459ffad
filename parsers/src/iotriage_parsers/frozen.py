"""What evidence, metrics and documents are made of: small values of which one diagnosis makes thousands."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, field
from functools import cache
from operator import attrgetter
from types import FunctionType
from typing import TypeVar, cast, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: type[T]) -> type[T]:
    """As `@dataclass(frozen=True, slots=True)`, but that mypy alone forbids to assign a field: Python's own frozen
    classes set each field by a call, and take five times as long to make. Making, comparison, hash and words are
    functions that all share: dataclass would compile them anew for each class, and that is most of what a class costs.
    """
    if cls.__doc__ is None:
        # dataclass would write the signature here, which takes as long as all else; pydantic shows neither.
        cls.__doc__ = f"{cls.__name__}(...)"
    made = dataclass(slots=True, repr=False, eq=False, init=False)(cls)
    declared: dict[str, Field[object]] = made.__dict__["__dataclass_fields__"]
    _with_init(made, declared)
    values = _values_of(tuple(f.name for f in declared.values() if f.compare))
    shared = {"__eq__": _equality(values), "__hash__": _hash(values), "__repr__": _words}
    for name, function in shared.items():
        if name not in cls.__dict__:
            setattr(made, name, function)
    return made


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(field,))
def frozen_identity(cls: type[T]) -> type[T]:
    """As `@dataclass(frozen=True, eq=False)`, by the same means: each is equal to itself alone, and may keep what is
    worked out of it (`cached_property`)."""
    if cls.__doc__ is None:
        cls.__doc__ = f"{cls.__name__}(...)"
    made = dataclass(repr=False, eq=False, init=False)(cls)
    _with_init(made, made.__dict__["__dataclass_fields__"])
    if "__repr__" not in cls.__dict__:
        made.__repr__ = _words  # type: ignore[method-assign]
    return made


def _with_init(cls: type, declared: Mapping[str, Field[object]]) -> None:
    """Gives the class the `__init__` that dataclass would: code compiled once for so many fields, with their names."""
    fields = tuple(declared.values())
    plain = all(f.init and not f.kw_only and f.default_factory is MISSING for f in fields)
    if not plain or hasattr(cls, "__post_init__"):
        cls.__init__ = dataclass(repr=False, eq=False)(type(cls.__name__, (cls,), {})).__init__  # type: ignore[misc]
        return
    names = tuple(declared)
    code = _set_all(len(names)).__code__.replace(co_varnames=("self", *names), co_names=names)
    defaults = tuple(f.default for f in fields if f.default is not MISSING)
    init = FunctionType(code, vars(sys.modules[cls.__module__]), "__init__", defaults)
    # What an endpoint is asked is checked by the types of the signature.
    init.__annotations__ = {f.name: f.type for f in fields}
    cls.__init__ = init  # type: ignore[misc]


@cache
def _set_all(count: int) -> FunctionType:
    """`def __init__(self, f0, f1, …)` that sets each of `count` fields."""
    names = [f"f{i}" for i in range(count)]
    lines = [f"def __init__(self, {', '.join(names)}):", *(f"    self.{name} = {name}" for name in names), "    pass"]
    made: dict[str, FunctionType] = {}
    exec("\n".join(lines), made)
    return made["__init__"]


def _values_of(names: tuple[str, ...]) -> Callable[[object], object]:
    return cast("Callable[[object], object]", attrgetter(*names)) if names else lambda _: ()


def _equality(values: Callable[[object], object]) -> Callable[[object, object], bool]:
    def equals(self: object, other: object) -> bool:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    return equals


def _hash(values: Callable[[object], object]) -> Callable[[object], int]:
    return lambda self: hash(values(self))


def _words(self: object) -> str:
    fields: dict[str, Field[object]] = self.__class__.__dict__["__dataclass_fields__"]
    said = ", ".join(f"{f.name}={getattr(self, f.name)!r}" for f in fields.values() if f.repr)
    return f"{self.__class__.__qualname__}({said})"
