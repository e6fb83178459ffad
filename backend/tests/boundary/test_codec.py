"""What crosses between processes comes back as it was, and nothing else comes back."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import GenericAlias
from typing import Any, Literal

import numpy as np
import pytest
from alike import alike
from numpy.typing import NDArray

from iotriage.boundary.codec import Bounds, Codec
from iotriage.boundary.decode_error import DecodeError


@dataclass(frozen=True, slots=True)
class Point:
    name: str
    at: tuple[int, ...] = ()
    weight: float | None = None
    number: int | float | None = None


@dataclass(frozen=True, slots=True)
class Other:
    colour: Literal["red", "green"]


@dataclass(frozen=True)
class Held:
    points: tuple[Point, ...]
    either: Point | Other | None
    names: Mapping[int, str]
    pairs: tuple[tuple[str, str], ...]
    ids: NDArray[np.uint64] | None
    values: NDArray[np.float64]


HELD = Codec[Held](Held)
POINT = Codec[Point](Point)
A_POINT = Point("a", (1, 2), 0.5, 7)


def held(**changed: object) -> Held:
    values = np.array([[0.5, math.nan], [math.inf, -0.0]])
    plain: dict[str, object] = {
        "points": (A_POINT, Point("\N{GREEK SMALL LETTER BETA}", (), None, 1e300)),
        "either": Other("green"),
        "names": {2**64 - 1: "/a", 3: ""},
        "pairs": (("k", "v"),),
        "ids": np.array([2**64 - 1, 0, 7], np.uint64),
        "values": values,
    }
    return Held(**{**plain, **changed})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "value",
    [
        held(),
        held(ids=None, either=None, points=(), names={}),
        held(either=A_POINT),
        held(values=np.zeros((0, 5))),
        held(values=np.zeros((5, 0))),
    ],
)
def test_a_value_comes_back_as_it_was(value: Held) -> None:
    assert alike(HELD.decode(HELD.encode(value)), value)


def test_arrays_come_back_in_c_order_and_cannot_be_written() -> None:
    columns = np.arange(12, dtype=np.float64).reshape(3, 4)
    value = HELD.decode(HELD.encode(held(values=np.asfortranarray(columns)[::2, 1:3])))
    assert value.values.tolist() == [[1, 2], [9, 10]]
    assert value.values.flags.c_contiguous
    assert value.values.flags.aligned
    assert not value.values.flags.writeable
    with pytest.raises(ValueError, match="WRITEABLE"):
        value.values.flags.writeable = True


@pytest.mark.parametrize("array", [NDArray[np.uint64], GenericAlias(NDArray, (np.uint64,))])
def test_an_array_is_known_by_both_names_that_numpy_has_for_it(array: object) -> None:
    codec = Codec[Any](tuple[array, ...])
    (came_back,) = codec.decode(codec.encode((np.arange(3, dtype=np.uint64),)))
    assert (came_back.dtype, came_back.tolist()) == (np.uint64, [0, 1, 2])


def test_arrays_do_not_change_with_the_buffer_that_they_came_in() -> None:
    buffer = bytearray(HELD.encode(held()))
    value = HELD.decode(memoryview(buffer))
    buffer[:] = b"\xff" * len(buffer)
    assert alike(value, held())


@pytest.mark.parametrize(
    "value",
    [
        Point("\ud800"),
        Point("a", (2**64,)),
        Point("a", (), math.inf),
        Point("a", (), math.nan),
        Point("a", (), None, -math.inf),
        Point("a", (1.5,)),  # type: ignore[arg-type]
        Point("a", (np.int64(1),)),  # type: ignore[arg-type]
        Point(b"a"),  # type: ignore[arg-type]
        Other("red"),
    ],
)
def test_what_has_no_form_is_not_encoded(value: Point) -> None:
    with pytest.raises((TypeError, ValueError, OverflowError)):
        POINT.encode(value)


@pytest.mark.parametrize("values", [np.zeros(2, np.int64), np.zeros(2, object), np.zeros(2, "U1"), [0.5]])
def test_an_array_has_the_type_of_its_field(values: object) -> None:
    with pytest.raises(TypeError):
        HELD.encode(held(values=values))


@dataclass(frozen=True)
class Endless:
    inner: Endless | None


@dataclass(frozen=True)
class Anything:
    value: Any


@dataclass(frozen=True)
class Objects:
    values: NDArray[np.object_]


@pytest.mark.parametrize("type", [Endless, Anything, Objects, object, bytes, list[int], Mapping[str, Point]])
def test_a_type_that_could_be_anything_has_no_codec(type: object) -> None:
    with pytest.raises((TypeError, KeyError)):
        Codec[object](type)


def test_a_message_beyond_its_bounds_is_refused() -> None:
    message = HELD.encode(held(either=None))
    assert HELD.decode(message, Bounds(total_bytes=len(message)))
    for bounds in (Bounds(total_bytes=len(message) - 1), Bounds(values_bytes=16)):
        with pytest.raises(DecodeError):
            HELD.decode(message, bounds)
    with pytest.raises(DecodeError):
        Codec[tuple[Held, ...]](tuple[Held, ...]).decode(
            Codec[tuple[Held, ...]](tuple[Held, ...]).encode((held(),) * 3), Bounds(parts=2)
        )
