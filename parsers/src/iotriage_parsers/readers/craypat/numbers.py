"""Numbers as CrayPAT prints them: a comma between thousands (none in 6.2.1 and in CSV), a point, `--` for no value."""

from __future__ import annotations

import re
from typing import Final

from iotriage_parsers.text.numbers import LARGEST, Count

NO_VALUE: Final = "--"

_NUMBER: Final = re.compile(
    r"[+-]?(?:[1-9][0-9]{0,2}(?:,[0-9]{3}){1,12}|[0-9]{1,40})(?:\.[0-9]{0,30})?(?:[eE][+-]?[0-9]{1,3})?%?"
)
_NOT_A_NUMBER: Final = re.compile(r"[+-]?(?:nan|inf|infinity)%?", re.IGNORECASE)


def measure(text: str) -> Count:
    """A quantity of 0 .. 2^63-1; a percent sign is dropped. Absent without a code is `--` or an empty cell."""
    if text in ("", NO_VALUE):
        return Count(None)
    if _NOT_A_NUMBER.fullmatch(text):
        return Count(None, "not-a-number", "not a number: left out")
    if not _NUMBER.fullmatch(text):
        return Count(None, "unrecognised-number", "unrecognised number: left out")
    value = float(text.rstrip("%").replace(",", ""))
    if value < 0:
        return Count(None, "out-of-range", "negative: overflow in the writer? Left out")
    if value > LARGEST:
        return Count(None, "out-of-range", "above 2^63-1: kept as text, left out")
    return Count(value)


def whole(text: str) -> int | None:
    """`text` as a count of things, or None where it is none."""
    number = measure(text).number
    return int(number) if number is not None and number == int(number) and "%" not in text else None


_CHANGED: Final = re.compile(r"[+-]?[0-9]{1,3}(?:[.'\u2019][0-9]{3}){0,12},[0-9]{1,30}%?")


def is_changed(text: str) -> bool:
    """Whether a cell is a figure with a comma for its point, as a spreadsheet or a locale writes it."""
    return _CHANGED.fullmatch(text) is not None and not is_number(text)


def is_number(text: str) -> bool:
    """Whether a table's cell looks like a value, usable or not; an empty cell does not."""
    return text == NO_VALUE or bool(_NUMBER.fullmatch(text) or _NOT_A_NUMBER.fullmatch(text))
