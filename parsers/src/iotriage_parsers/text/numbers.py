"""Numbers as a C program prints them, as a crash leaves them, and as a person's spreadsheet mangles them."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from iotriage_parsers.evidence.problem import ProblemCode

LARGEST: Final = 2**63 - 1
ONLY_FIGURES: Final = re.compile(r"\d[\d.]{0,18}%?(?:\s{1,40}(?:=|[\d.]{1,19}%?|%|[KMGTPE]i?B)){0,9}\s*")
"""A line that may be the rest of a row that was broken within a number."""

_INTEGER: Final = re.compile(r"[+-]?[0-9]++")
_FLOAT: Final = re.compile(
    r"[+-]?(?:[0-9]{1,30}+\.[0-9]{0,30}+(?:[eE][+-]?[0-9]{1,4})?|[0-9]{1,30}+[eE][+-]?[0-9]{1,4})"
)
_NOT_A_NUMBER: Final = frozenset(("nan", "inf", "infinity"))
_DIGITS_OF_LARGEST: Final = 19


def decimals(text: str) -> int:
    """The number of digits after the decimal point. A program prints all numbers of a column with the same count, and a
    line that was cut has fewer."""
    return len(text.strip().partition(".")[2])


class Count(NamedTuple):
    """A count as it was read. `number` is None where it is absent or must not be used; `code` and `why` then give the
    reason. Absent without a code is `NA`: there was nothing to count, and nothing is wrong."""

    number: int | float | None
    code: ProblemCode | None = None
    why: str = ""


def count(text: str) -> Count:
    """A count of 0 .. 2^63-1. Decimal always: leading zeros are padding, never octal. Thousands separators and
    decimal commas are not guessed at. Work is bounded by the length of `text`, whatever stands there."""
    if text.isdecimal() and text.isascii() and len(text) < _DIGITS_OF_LARGEST:
        return Count(int(text))
    if text.upper() in ("NA", "N/A"):
        return Count(None)
    if _INTEGER.fullmatch(text):
        return _integer(text)
    if text.lower().lstrip("+-") in _NOT_A_NUMBER:
        return Count(None, "not-a-number", "not a number: left out")
    if _FLOAT.fullmatch(text):
        return _float(text)
    return Count(None, "unrecognised-number", "unrecognised number: left out")


def whole(text: str | None) -> int | None:
    """A count written in plain digits; None for ranges, shell variables, `NA` and anything else."""
    number = count(text).number if text else None
    return number if isinstance(number, int) else None


def _integer(text: str) -> Count:
    digits = text.lstrip("+-").lstrip("0") or "0"
    if text.startswith("-") and digits != "0":
        return Count(None, "out-of-range", "negative: 32-bit overflow in the writer? Left out")
    if len(digits) > _DIGITS_OF_LARGEST or int(digits) > LARGEST:
        return Count(None, "out-of-range", "above 2^63-1: kept as text, left out")
    return Count(int(digits))


def _float(text: str) -> Count:
    value = float(text)
    if value < 0:
        return Count(None, "out-of-range", "negative: 32-bit overflow in the writer? Left out")
    if value > LARGEST:
        return Count(None, "out-of-range", "above 2^63-1: kept as text, left out")
    number = int(value) if value.is_integer() else value
    return Count(number, "note", f"an integer was expected, read as {number}")
