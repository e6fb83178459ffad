"""Recognises a text that was pasted several times, one copy after the other, so that it is read once. Output of a
program that prints the same lines again and again is something else: in a pasted copy, the lines differ from one
another and the first line occurs once."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import BinaryIO, Final

from iotriage_parsers.evidence import Problem

MOST_BYTES: Final = 8 * 2**20
LEAST_LINES: Final = 10
_FIRST_LINE: Final = re.compile(rb"[^\r\n]+[\r\n]+")
"""The search for the second copy uses a whole first line, since other lines may begin alike."""
_DIFFERENT: Final = 0.5
"""The least share of a copy's lines that must differ from all its other lines."""


def one_copy(stream: BinaryIO) -> tuple[BinaryIO, Problem] | None:
    """The first copy, where the whole text is copies of it, blank lines apart; None otherwise."""
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
    """The number of copies that make up the text; None where it contains anything else."""
    lines = copy.splitlines()
    # First: a line of one letter stands millions of times in what is read.
    if len(lines) < LEAST_LINES or lines.count(lines[0]) > 1 or len(set(lines)) < _DIFFERENT * len(lines):
        return None
    between = text.split(copy)
    return None if any(piece.strip() for piece in between) else len(between) - 1
