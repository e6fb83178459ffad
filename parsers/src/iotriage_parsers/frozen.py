"""What evidence, metrics and documents are made of: small values of which one diagnosis makes thousands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import Field, dataclass, field
from operator import attrgetter
from typing import TypeVar, cast, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: type[T]) -> type[T]:
    """As `@dataclass(frozen=True, slots=True)`, but that mypy alone forbids to assign a field: Python's own frozen
    classes set each field by a call, and take five times as long to make. Comparison, hash and words are functions that
    all share: dataclass would compile them anew for each class, and that is most of what a class costs."""
    if cls.__doc__ is None:
        # dataclass would write the signature here, which takes as long as all else; pydantic shows neither.
        cls.__doc__ = f"{cls.__name__}(...)"
    made = dataclass(slots=True, repr=False, eq=False)(cls)
    declared: dict[str, Field[object]] = made.__dict__["__dataclass_fields__"]
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
    made = dataclass(repr=False, eq=False)(cls)
    if "__repr__" not in cls.__dict__:
        made.__repr__ = _words  # type: ignore[method-assign]
    return made


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
