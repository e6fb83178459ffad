"""Values compare, hash, print and are replaced as those of a frozen dataclass."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace

from iotriage_parsers.frozen import frozen


@frozen
class Point:
    x: int
    y: int = 2
    names: tuple[str, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class AsPython:
    x: int
    y: int = 2
    names: tuple[str, ...] = field(default=())


def test_values_are_as_those_of_a_frozen_dataclass() -> None:
    assert Point(1) == Point(1, 2, ())
    assert Point(1) != Point(2)
    assert len({Point(1), Point(1, 2), Point(3)}) == 2
    assert hash(Point(1)) == hash(AsPython(1))
    assert repr(Point(1)) == repr(AsPython(1)).replace("AsPython", "Point")
    assert replace(Point(1), y=5) == Point(1, 5)
    assert [f.name for f in fields(Point)] == ["x", "y", "names"]
    assert not hasattr(Point(1), "__dict__")
