"""A text that was pasted twice, one copy behind the other: it is one, and is read once.

A program that says the same again and again is none: lines of a copy differ from one another, and its first stands
there once.
"""

from __future__ import annotations

import io
from typing import BinaryIO, Final

from iotriage_parsers.evidence import Problem

MOST_BYTES: Final = 8 * 2**20
LEAST_LINES: Final = 10
_BEGIN: Final = 64
"""Bytes by which the second copy is looked for around the middle of the text."""
_DIFFERENT: Final = 0.5
"""Share of a copy's lines that differ from all others, at least."""

NOTE: Final = Problem("note", "the text stands in it twice, one copy behind the other: it was read once")


def one_copy(stream: BinaryIO) -> BinaryIO | None:
    """The first of two copies that are all of the text, blank lines apart; None where it is none such."""
    if stream.seek(0, 2) > MOST_BYTES:
        return None
    stream.seek(0)
    whole = stream.read()
    text = whole.strip()
    middle = len(text) // 2
    at = text.find(text[:_BEGIN], max(middle - _BEGIN, 1), middle + 2 * _BEGIN)
    copy = text[: max(at, 0)].rstrip()
    if not copy or copy != text[at:]:
        return None
    lines = copy.splitlines()
    differing = len(lines) >= LEAST_LINES and len(set(lines)) >= _DIFFERENT * len(lines)
    once = lines.count(lines[0]) == 1
    return io.BytesIO(whole[: whole.index(copy) + len(copy)] + b"\n") if differing and once else None
