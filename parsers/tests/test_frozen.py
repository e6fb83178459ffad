"""Values compare, hash, print and are replaced as those of a frozen dataclass."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from inspect import signature

import pytest

from iotriage_parsers.frozen import frozen, frozen_identity


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
    assert list(map(repr, fields(Point))) == list(map(repr, fields(AsPython)))
    assert not hasattr(Point(1), "__dict__")
    assert signature(Point, eval_str=True).parameters == signature(AsPython, eval_str=True).parameters


@frozen_identity
class Records:
    ids: tuple[int, ...]

    @cached_property
    def most(self) -> int:
        return max(self.ids)


class NoFieldsOfItsOwn(Records):
    pass


def test_what_has_an_identity_equals_itself_alone_and_keeps_what_is_worked_out() -> None:
    records = Records((1, 3))
    assert records == records
    assert records != Records((1, 3))
    assert {records: 1}[records] == 1
    assert repr(records) == "Records(ids=(1, 3))"
    assert repr(NoFieldsOfItsOwn((1,))) == "NoFieldsOfItsOwn(ids=(1,))"
    assert replace(records, ids=(5,)).most == 5
    assert (records.most, records.__dict__["most"]) == (3, 3)


@frozen
class Nothing:
    """Has no fields."""


def test_fields_may_be_none_or_one_and_other_types_are_not_equal() -> None:
    assert Nothing() == Nothing()
    assert hash(Nothing()) == hash(Nothing())
    assert Point(1) != AsPython(1)
    assert Point(1).__eq__(1) is NotImplemented


@frozen
class Made:
    first: int
    second: str = "b"
    third: list[int] = field(default_factory=list)


@frozen
class Longer(Point):
    z: int = 7


def test_classes_are_made_with_defaults_factories_and_the_fields_of_their_base() -> None:
    assert (Made(1).second, Made(1).third, Made(first=2, third=[3]).third) == ("b", [], [3])
    assert Made(1).third is not Made(1).third
    assert Longer(1, z=9) == Longer(1, 2, (), 9)
    for wrong in ({}, {"x": 1, "other": 2}):
        with pytest.raises(TypeError):
            Point(**wrong)  # type: ignore[arg-type]
