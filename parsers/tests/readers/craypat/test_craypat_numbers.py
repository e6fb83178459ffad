"""Figures of CrayPAT's tables: a comma parts thousands, and is no point."""

from __future__ import annotations

import pytest

from iotriage_parsers.readers.craypat.numbers import is_changed, is_number, measure


@pytest.mark.parametrize(
    ("text", "number"),
    [("1,204", 1204), ("12,345.5", 12345.5), ("0.516", 0.516), ("1,048,576", 1 << 20), ("98.5%", 98.5)],
)
def test_thousands(text: str, number: float) -> None:
    assert is_number(text)
    assert measure(text).number == number


@pytest.mark.parametrize("text", ["0,516", "0,000", "95,367432", "1.048,576", "0,5%", "00,123"])
def test_a_comma_for_a_point_is_no_thousands(text: str) -> None:
    assert measure(text).number is None
    assert not is_number(text)
    assert is_changed(text)
