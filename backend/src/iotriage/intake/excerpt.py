"""A few lines of a text source, with their numbers, for a person who wants to see where a figure stands."""

from __future__ import annotations

import io
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from iotriage_parsers.text.lines import LineSource, decoded

LARGEST_EXCERPT_LINES = 400
LARGEST_LINE_BYTES = 64 * 1024

_LARGEST_READ_LINE_BYTES = 64 * 2**20
_HEAD_BYTES = 4096
_TEXT_CONTROLS = frozenset(b"\0\t\n\v\f\r\x1a\x1b\b\a")
_BYTE_ORDER_MARKS = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class ExcerptLine:
    """`cut` says that the line is longer than what is shown of it."""

    number: int
    text: str
    cut: bool


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Lines in order; `more` says that the source goes on after the last."""

    lines: tuple[ExcerptLine, ...]
    more: bool


def excerpt_of(stream: BinaryIO, first: int, last: int) -> Excerpt | None:
    """Lines `first` to `last` of a text, numbered as the readers number them; None for what is not a text.

    Control sequences are taken out. A line longer than 64 KiB is cut there.
    """
    if not _is_text(stream):
        return None
    wanted = itertools.dropwhile(lambda line: line[0] < first, _lines(stream))
    found = tuple(itertools.takewhile(lambda line: line[0] <= last + 1, wanted))
    shown = tuple(_shown(number, raw) for number, raw in found if number <= last)
    return Excerpt(shown, len(found) > len(shown))


def _lines(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    for chunk in LineSource(stream, _LARGEST_READ_LINE_BYTES):
        yield from enumerate(chunk.data.removesuffix(b"\n").split(b"\n"), chunk.first)


def _shown(number: int, raw: bytes) -> ExcerptLine:
    text, _ = decoded(raw[:LARGEST_LINE_BYTES].removesuffix(b"\r"))
    visible = "".join(c if c.isprintable() or c == "\t" else "\N{REPLACEMENT CHARACTER}" for c in text)
    return ExcerptLine(number, visible, len(raw) > LARGEST_LINE_BYTES)


def _is_text(stream: BinaryIO) -> bool:
    head = stream.read(_HEAD_BYTES)
    stream.seek(0, io.SEEK_SET)
    if head.startswith(_BYTE_ORDER_MARKS):
        return True
    controls = sum(byte < 0x20 and byte not in _TEXT_CONTROLS for byte in head)
    return controls * 50 <= len(head)
