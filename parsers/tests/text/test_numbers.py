"""Counts as they are printed and as they are damaged."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iotriage_parsers.text.numbers import LARGEST, count


@pytest.mark.parametrize(
    ("text", "number", "code"),
    [
        ("0", 0, None),
        ("00003", 3, None),
        ("0741458584", 741458584, None),
        ("-0", 0, None),
        ("9223372036854775807", LARGEST, None),
        ("9223372036854775808", None, "out-of-range"),
        ("9" * 100_000, None, "out-of-range"),
        ("1e40", None, "out-of-range"),
        ("-3", None, "out-of-range"),
        ("-1.5", None, "out-of-range"),
        ("NA", None, None),
        ("nan", None, "not-a-number"),
        ("-inf", None, "not-a-number"),
        ("6145.0", 6145, "note"),
        ("1.048e6", 1048000, "note"),
        ("2.5", 2.5, "note"),
        ("6,442", None, "unrecognised-number"),
        ("6.442.450", None, "unrecognised-number"),
        ("1'048", None, "unrecognised-number"),
        ("12 apples", None, "unrecognised-number"),
        ("0x10", None, "unrecognised-number"),
        ("٣", None, "unrecognised-number"),
        ("²", None, "unrecognised-number"),
        ("", None, "unrecognised-number"),
    ],
)
def test_counts(text: str, number: float | None, code: str | None) -> None:
    read = count(text)
    assert (read.number, read.code) == (number, code)


def test_a_negative_count_says_where_it_comes_from() -> None:
    assert count("-2147483648").why.startswith("negative: 32-bit overflow in the writer?")


@given(st.integers(0, LARGEST), st.integers(0, 20))
def test_every_count_in_range_is_exact(number: int, zeros: int) -> None:
    assert count("0" * zeros + str(number)) == (number, None, "")


@given(st.text(max_size=40))
def test_any_text_is_answered(text: str) -> None:
    read = count(text)
    assert read.number is None or 0 <= read.number <= LARGEST
