"""What `diff` prints of two texts: the lines of both, of which the figures of two runs would be taken for one's."""

from __future__ import annotations

import re
from typing import Final

from iotriage_parsers.evidence import Failure

SURE: Final = 0.9
"""Share of the lines that must be diff's."""
LEAST_OF_EACH: Final = 3

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
    """Whether the first 64 KiB are of what diff prints, with lines of both texts."""
    if _HUNK.search(head) is not None:
        return _is_of(head, _UNIFIED, b"-", b"+")
    return _MIDDLE.search(head) is not None and _is_of(head, _PLAIN, b"<", b">")


def _is_of(head: bytes, form: re.Pattern[bytes], old: bytes, new: bytes) -> bool:
    lines = [line.rstrip(b"\r") for line in head.split(b"\n")]
    having = sum(form.match(line) is not None for line in lines)
    of_each = (sum(line.startswith(sign) for line in lines) for sign in (old, new))
    return having >= SURE * len(lines) and all(count >= LEAST_OF_EACH for count in of_each)
