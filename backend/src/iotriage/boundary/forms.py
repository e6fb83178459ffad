"""`Form`: the wire format of a type, derived from its annotations. Frozen dataclasses become MessagePack arrays of
exactly their fields, a union of dataclasses is tagged with the class's name, and NumPy arrays become their dtype and
shape.

What has no form is refused when the form is derived, not when a message comes: `Any`, classes of other kinds, and a
type that contains itself, so that no message nests deeper than its types. A number that is none (NaN) or has no end
is refused in a message: a figure that is missing is None.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import reduce
from types import GenericAlias, NoneType, UnionType
from typing import Annotated, Final, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec
import numpy as np
from numpy.typing import NDArray

from iotriage.boundary.arrays import DTYPES, Incoming, Outgoing
from iotriage_parsers.frozen import frozen

T = TypeVar("T")

_LARGEST: Final = sys.float_info.max
_FINITE: Final = Annotated[float, msgspec.Meta(ge=-_LARGEST, le=_LARGEST)]
_SHAPE: Final = tuple[Annotated[int, msgspec.Meta(ge=0, le=2**40)], ...]
_SCALARS: Final = (str, int, bool, NoneType)


@frozen
class Form:
    """`wire` is the type that msgspec encodes and decodes; `to_wire` makes it of a value of the Python type `type`, and
    `from_wire` the value of it. `plain` says that msgspec could do both by itself, `same` that nothing needs
    converting."""

    type: type
    wire: object
    to_wire: Callable[[object, Outgoing], object]
    from_wire: Callable[[object, Incoming], object]
    plain: bool = False
    same: bool = False


def form_of(annotation: object, within: tuple[type, ...] = ()) -> Form:
    """The form of what is annotated so. TypeError where it has none."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if annotation is float:
        return _as_it_is(float, _FINITE)
    if annotation is None or annotation in _SCALARS:
        return _as_it_is(next(t for t in _SCALARS if t is (annotation or NoneType)), annotation)
    if origin is Literal:
        return _as_it_is(type(arguments[0]), annotation)
    if isinstance(annotation, type) and is_dataclass(annotation):
        if annotation in within:
            raise TypeError(f"{annotation.__qualname__} contains itself")
        return _record(annotation, (*within, annotation))
    if origin in (Union, UnionType):
        return _either(arguments, within)
    if origin is np.ndarray:
        return _array(get_args(arguments[1])[0])
    if origin is NDArray:
        # From Python 3.12 on numpy names it as an alias, which keeps its own arguments.
        return _array(arguments[0])
    if origin is tuple and arguments[1:] == (Ellipsis,):
        return _many(annotation, form_of(arguments[0], within))
    if origin in (tuple, Mapping):
        forms = [form_of(argument, within) for argument in arguments]
        if all(form.same for form in forms):
            holder = tuple if origin is tuple else dict
            return _as_it_is(holder, GenericAlias(holder, tuple(form.wire for form in forms)))
    raise TypeError(f"{annotation} cannot cross between processes")


def _as_it_is(type: type, wire: object) -> Form:
    return Form(type, wire, lambda value, _: value, lambda value, _: value, plain=True, same=True)


def _converted(type: type, annotation: object, wire: object) -> Form:
    return Form(
        type,
        wire,
        lambda value, _: msgspec.convert(value, wire, from_attributes=True),
        lambda value, _: msgspec.convert(value, annotation, from_attributes=True),
        plain=True,
    )


def _many(annotation: object, each: Form) -> Form:
    wire = GenericAlias(tuple, (each.wire, ...))
    if each.same:
        return _as_it_is(tuple, wire)
    if each.plain:
        return _converted(tuple, annotation, wire)

    def out(value: object, arrays: Outgoing) -> object:
        return tuple(each.to_wire(item, arrays) for item in _checked(value, tuple))

    def back(value: object, arrays: Incoming) -> object:
        items = _checked(value, tuple)
        arrays.count(len(items))
        return tuple(each.from_wire(item, arrays) for item in items)

    return Form(tuple, wire, out, back)


def _record(record: type, within: tuple[type, ...]) -> Form:
    annotations = get_type_hints(record)
    forms = {field.name: form_of(annotations[field.name], within) for field in fields(record)}
    wire = _struct(record.__name__, [(name, form.wire) for name, form in forms.items()])
    if all(form.plain for form in forms.values()):
        return _converted(record, record, wire)

    def out(value: object, arrays: Outgoing) -> object:
        if type(value) is not record:
            raise TypeError(f"{type(value).__name__} where {record.__name__} belongs")
        return wire(*(form.to_wire(getattr(value, name), arrays) for name, form in forms.items()))

    def back(value: object, arrays: Incoming) -> object:
        return record(**{name: form.from_wire(getattr(value, name), arrays) for name, form in forms.items()})

    return Form(record, wire, out, back)


def _array(scalar: type[np.generic]) -> Form:
    name, dtype = DTYPES[scalar]
    wire = _struct("Array", [("dtype", Literal[name]), ("shape", _SHAPE)])

    def out(value: object, arrays: Outgoing) -> object:
        return wire(name, arrays.add(_checked(value, np.ndarray), dtype))

    def back(value: object, arrays: Incoming) -> object:
        shape: tuple[int, ...] = getattr(value, "shape")  # noqa: B009
        return arrays.next(shape, dtype)

    return Form(np.ndarray, wire, out, back)


def _either(annotations: Sequence[object], within: tuple[type, ...]) -> Form:
    forms = [form_of(annotation, within) for annotation in annotations]
    if sum(is_dataclass(form.type) for form in forms) > 1:
        forms = [_tagged(form) if is_dataclass(form.type) else form for form in forms]
    wire = reduce(operator.or_, (form.wire or NoneType for form in forms))
    if all(form.same for form in forms):
        return _as_it_is(object, wire)
    by_type = {form.type: form for form in forms}
    by_wire = {form.wire if isinstance(form.wire, type) else form.type: form for form in forms}

    def out(value: object, arrays: Outgoing) -> object:
        if type(value) not in by_type:
            raise TypeError(f"{type(value).__name__} where one of {', '.join(t.__name__ for t in by_type)} belongs")
        return by_type[type(value)].to_wire(value, arrays)

    def back(value: object, arrays: Incoming) -> object:
        return by_wire[type(value)].from_wire(value, arrays)

    return Form(object, wire, out, back)


def _tagged(form: Form) -> Form:
    """One dataclass of several: `[name, value]`."""
    wire = _struct(form.type.__name__, [("value", form.wire)], tag=form.type.__name__)

    def out(value: object, arrays: Outgoing) -> object:
        return wire(form.to_wire(value, arrays))

    def back(value: object, arrays: Incoming) -> object:
        return form.from_wire(getattr(value, "value"), arrays)  # noqa: B009

    return Form(form.type, wire, out, back)


def _struct(name: str, wires: Sequence[tuple[str, object]], tag: str | None = None) -> type[msgspec.Struct]:
    return msgspec.defstruct(
        name,
        wires,
        frozen=True,
        array_like=True,
        forbid_unknown_fields=True,
        gc=False,
        tag=tag,
    )


def _checked(value: object, type: type[T]) -> T:
    if not isinstance(value, type):
        raise TypeError(f"{value.__class__.__name__} where {type.__name__} belongs")
    return value
