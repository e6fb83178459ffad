"""A text that was pasted several times, one copy behind the other: it is one, and is read once.

A program that says the same again and again is none: lines of a copy differ from one another, and its first stands
there once.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import BinaryIO, Final

from iotriage_parsers.evidence import Problem

MOST_BYTES: Final = 8 * 2**20
LEAST_LINES: Final = 10
_FIRST_LINE: Final = re.compile(rb"[^\r\n]+[\r\n]+")
"""By it the second copy is looked for: other lines may begin as it does."""
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
    """What may be one copy: all before its first line stands there again, as a line or at the end of the one before."""
    first = _FIRST_LINE.match(text)
    if first is not None:
        for second in (b"\n" + first.group(), first.group()):
            at = text.find(second, first.end() - 1)
            if at > 0 and text.startswith(copy := text[:at].rstrip(), text.find(first.group(), at)):
                yield copy


def _times(copy: bytes, text: bytes) -> int | None:
    """How often the copy stands in the text; None where anything else does, or where it is no copy of a text."""
    lines = copy.splitlines()
    # First: a line of one letter stands millions of times in what is read.
    if len(lines) < LEAST_LINES or lines.count(lines[0]) > 1 or len(set(lines)) < _DIFFERENT * len(lines):
        return None
    between = text.split(copy)
    return None if any(piece.strip() for piece in between) else len(between) - 1
