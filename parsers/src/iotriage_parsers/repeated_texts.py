"""A text that was pasted several times, one copy behind the other: it is one, and is read once.

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
"""Bytes by which the second copy is looked for."""
_DIFFERENT: Final = 0.5
"""Share of a copy's lines that differ from all others, at least."""


def one_copy(stream: BinaryIO) -> tuple[BinaryIO, Problem] | None:
    """The first of the copies that are all of the text, blank lines apart; None where it is none such."""
    if stream.seek(0, 2) > MOST_BYTES:
        return None
    stream.seek(0)
    whole = stream.read()
    text = whole.strip()
    copy = text[: max(text.find(text[:_BEGIN], _BEGIN), 0)].rstrip()
    if not copy:
        return None
    between = text.split(copy)
    if any(piece.strip() for piece in between):
        return None
    lines = copy.splitlines()
    differing = len(lines) >= LEAST_LINES and len(set(lines)) >= _DIFFERENT * len(lines)
    once = lines.count(lines[0]) == 1
    if not (differing and once):
        return None
    times = "twice" if len(between) == 3 else f"{len(between) - 1} times"
    note = Problem("note", f"the text stands in it {times}, one copy behind the other: it was read once")
    return io.BytesIO(whole[: whole.index(copy) + len(copy)] + b"\n"), note
