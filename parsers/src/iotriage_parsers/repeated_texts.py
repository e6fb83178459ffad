"""A text that was pasted several times, one copy behind the other: it is one, and is read once.

A program that says the same again and again is none: lines of a copy differ from one another, and its first stands
there once.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
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
    found = ((copy, times) for copy in _beginnings(text) if (times := _times(copy, text)) is not None)
    copy, times = next(found, (b"", 0))
    if not copy:
        return None
    often = "twice" if times == 2 else f"{times} times"
    note = Problem("note", f"the text stands in it {often}, one copy behind the other: it was read once")
    return io.BytesIO(whole[: whole.index(copy) + len(copy)] + b"\n"), note


def _beginnings(text: bytes) -> Iterator[bytes]:
    """What may be one copy: all before its first bytes stand there again, or, as a copy may have these several times,
    before they do in the middle."""
    begin, middle = text[:_BEGIN], len(text) // 2
    for first, end in ((_BEGIN, len(text)), (max(middle - _BEGIN, 1), middle + 2 * _BEGIN)):
        at = text.find(begin, first, end)
        if at > 0 and text.startswith(copy := text[:at].rstrip(), at):
            yield copy


def _times(copy: bytes, text: bytes) -> int | None:
    """How often the copy stands in the text; None where anything else does, or where it is no copy of a text."""
    between = text.split(copy)
    if any(piece.strip() for piece in between):
        return None
    lines = copy.splitlines()
    differing = len(lines) >= LEAST_LINES and len(set(lines)) >= _DIFFERENT * len(lines)
    return len(between) - 1 if differing and lines.count(lines[0]) == 1 else None
