"""Decorators for the classes of evidence, metrics and documents: small values, of which one diagnosis makes
thousands."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from functools import cache
from inspect import get_annotations
from operator import attrgetter
from types import FunctionType, MemberDescriptorType
from typing import TypeVar, cast, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: type[T]) -> type[T]:
    """Like `@dataclass(frozen=True, slots=True)`, but only mypy forbids assigning to a field: Python's frozen classes
    set each field by a call, which makes creating an object five times as slow. `__init__`, comparison, hash and repr
    are functions shared by all classes; dataclass compiles them anew for each class, which is most of what defining one
    costs."""
    _with_docstring(cls)
    declared = _plain_fields(cls)
    if declared is None:
        made = dataclass(slots=True, repr=False, eq=False, init=False)(cls)
        declared = made.__dict__["__dataclass_fields__"]
    else:
        made = _with_slots(cls, declared)
    _with_init(made, declared)
    values = _values_of(tuple(f.name for f in declared.values() if f.compare))
    shared = {"__eq__": _equality(values), "__hash__": _hash(values), "__repr__": _repr}
    for name, function in shared.items():
        if name not in cls.__dict__:
            setattr(made, name, function)
    return made


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(field,))
def frozen_identity(cls: type[T]) -> type[T]:
    """Like `@dataclass(frozen=True, eq=False)`, made by the same means. An object equals only itself, and can cache
    results in `cached_property`."""
    _with_docstring(cls)
    declared = _plain_fields(cls)
    made = dataclass(repr=False, eq=False, init=False)(cls) if declared is None else _declared_by(cls, declared)
    _with_init(made, made.__dict__["__dataclass_fields__"])
    if "__repr__" not in cls.__dict__:
        made.__repr__ = _repr  # type: ignore[method-assign]
    return made


def _with_docstring(cls: type) -> None:
    if cls.__doc__ is None:
        # dataclass would write the signature here, which takes as long as all else; pydantic shows neither.
        cls.__doc__ = f"{cls.__name__}(...)"


@dataclass(slots=True, repr=False, eq=False, init=False)
class _Model:
    """What dataclass makes of a class with one plain field."""

    field: object


_PLAIN_FIELD = fields(_Model)[0]._field_type  # type: ignore[attr-defined]
"""The mark by which `dataclasses.fields` tells fields from class variables."""


def _plain_fields(cls: type) -> dict[str, Field[object]] | None:
    """The fields of the class as dataclass would find them, in a third of the time. None where the class has inherited
    fields, class variables, init-only or keyword-only fields, or a default in `_NOT_PLAIN`: then dataclass itself is
    used."""
    if any("__dataclass_fields__" in base.__dict__ for base in cls.__mro__[1:]):
        return None
    found: dict[str, Field[object]] = {}
    for name, annotation in get_annotations(cls).items():
        default = cls.__dict__.get(name, MISSING)
        if not isinstance(annotation, str) or _SPECIAL.search(annotation) or default.__class__ in _NOT_PLAIN:
            return None
        made: Field[object] = default if isinstance(default, Field) else field(default=default)
        if made.kw_only is True:
            return None
        made.name, made.type, made.kw_only = name, annotation, False
        made._field_type = _PLAIN_FIELD  # type: ignore[attr-defined]
        found[name] = made
    return found


_SPECIAL = re.compile(r"\b(ClassVar|InitVar|KW_ONLY)\b")
_NOT_PLAIN = frozenset({MemberDescriptorType, list, dict, set})
"""Values of class attributes that dataclass treats specially: a field that already has a slot, and mutable defaults,
which it refuses."""


def _declared_by(cls: type[T], declared: dict[str, Field[object]]) -> type[T]:
    """The class with the attributes that make it a dataclass."""
    for name in [name for name, found in cls.__dict__.items() if isinstance(found, Field)]:
        delattr(cls, name)
        if declared[name].default is not MISSING:
            setattr(cls, name, declared[name].default)
    cls.__dataclass_fields__ = declared  # type: ignore[attr-defined]
    cls.__dataclass_params__ = _Model.__dict__["__dataclass_params__"]  # type: ignore[attr-defined]
    cls.__match_args__ = tuple(declared)  # type: ignore[attr-defined, misc]
    return cls


def _with_slots(cls: type[T], declared: dict[str, Field[object]]) -> type[T]:
    """A copy of the class with a slot for each field: slots can only be given when a class is created."""
    namespace = {name: value for name, value in cls.__dict__.items() if name not in declared}
    for name in ("__dict__", "__weakref__"):
        namespace.pop(name, None)
    namespace["__slots__"] = tuple(declared)
    made: type[T] = type(cls)(cls.__name__, cls.__bases__, namespace)  # type: ignore[misc]
    made.__qualname__ = cls.__qualname__
    return _declared_by(made, declared)


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


def _repr(self: object) -> str:
    declared: dict[str, Field[object]] = self.__dataclass_fields__  # type: ignore[attr-defined]
    values = ", ".join(f"{f.name}={getattr(self, f.name)!r}" for f in declared.values() if f.repr)
    return f"{self.__class__.__qualname__}({values})"
