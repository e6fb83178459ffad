"""Recognises the output of `diff`. It has lines of two texts, whose figures would otherwise be read as one run's."""

from __future__ import annotations

import re
from typing import Final

from iotriage_parsers.evidence import Failure

SURE: Final = 0.9
"""Share of the lines that must look like diff's."""
LEAST_OF_EACH: Final = 3
_CHANGED: Final = (re.compile(rb"^-(?!--)", re.MULTILINE), re.compile(rb"^\+(?!\+\+ )", re.MULTILINE))

_PLAIN: Final = re.compile(rb"(?:[<>] |[<>]$|---$|\d{1,9}(?:,\d{1,9})?[acd]\d{1,9}(?:,\d{1,9})?$|diff |Only in )")
_UNIFIED: Final = re.compile(rb"(?:[ +-]|$|@@ |diff |index |\\ No newline)")
_HUNK: Final = re.compile(rb"^@@ -\d{1,9}(?:,\d{1,9})? \+\d{1,9}(?:,\d{1,9})? @@", re.MULTILINE)
_MIDDLE: Final = re.compile(rb"^< .{0,4096}\r?\n---\r?\n> ", re.MULTILINE)
REFUSAL: Final = Failure(
    "unsupported",
    "what diff prints of two texts: the lines of both stand in it, and which of them belong together does not",
    "Give the two texts themselves: iotriage compare ONE OTHER holds two runs against each other.",
)


def of_two_texts(head: bytes) -> bool:
    """Whether the first 64 KiB are output of diff with lines of both texts."""
    if _HUNK.search(head) is not None and all(sign.search(head) for sign in _CHANGED):
        return _is_of(head, _UNIFIED)
    return _MIDDLE.search(head) is not None and _is_of(head, _PLAIN) and _has_both(head)


def _is_of(head: bytes, form: re.Pattern[bytes]) -> bool:
    lines = [line.rstrip(b"\r") for line in head.split(b"\n")]
    return sum(form.match(line) is not None for line in lines) >= SURE * len(lines)


def _has_both(head: bytes) -> bool:
    """Whether lines of both texts are there. A mail quotes with only one of the two signs."""
    return all(sum(line.startswith(sign) for line in head.split(b"\n")) >= LEAST_OF_EACH for sign in (b"<", b">"))
