"""A few lines of a text source, with line numbers, for a person who wants to see where a figure comes from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from iotriage_parsers import containers
from iotriage_parsers.detect import detect, whole_file_readers
from iotriage_parsers.evidence import Failure
from iotriage_parsers.frozen import frozen
from iotriage_parsers.reader import HEAD_BYTES, Limits
from iotriage_parsers.text.lines import LineSource, decoded

LARGEST_EXCERPT_LINES = 400
LARGEST_LINE_BYTES = 64 * 1024

_LARGEST_READ_LINE_BYTES = 64 * 2**20


@frozen
class ExcerptLine:
    """`cut` says that the line is longer than the part shown."""

    number: int
    text: str
    cut: bool


@frozen
class Excerpt:
    """Lines in order; `more` says that the source goes on after the last. `total` is how many lines the source has,
    null where its end was not seen."""

    lines: tuple[ExcerptLine, ...]
    more: bool
    total: int | None = None


def excerpt_of(stream: BinaryIO, first: int, last: int, limits: Limits) -> Excerpt | Failure | None:
    """Lines `first` to `last` of a text, numbered as the readers number them; None for what is not a text.

    A compressed text is inflated as its reader does. Control sequences are taken out, and a line longer than 64 KiB
    is cut there.
    """
    head = stream.read(HEAD_BYTES)
    stream.seek(0)
    packing = containers.packing(head)
    if packing is None:
        return _excerpt(stream, first, last) if _is_text(head) else None
    with containers.inflated(stream, packing, limits) as inside:
        if isinstance(inside, Failure):
            return inside
        head = inside.file.read(HEAD_BYTES)
        inside.file.seek(0)
        return _excerpt(inside.file, first, last) if _is_text(head) else None


def _excerpt(stream: BinaryIO, first: int, last: int) -> Excerpt:
    number = 0
    shown: list[ExcerptLine] = []
    for number, raw in _lines(stream):
        if number > last:
            return Excerpt(tuple(shown), more=True)
        if number >= first:
            shown.append(_excerpt_line(number, raw))
    return Excerpt(tuple(shown), more=False, total=number)


def _lines(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    for chunk in LineSource(stream, _LARGEST_READ_LINE_BYTES):
        yield from enumerate(chunk.data.removesuffix(b"\n").split(b"\n"), chunk.first)


def _excerpt_line(number: int, raw: bytes) -> ExcerptLine:
    text, _ = decoded(raw[:LARGEST_LINE_BYTES].removesuffix(b"\r"))
    visible = "".join(c if c.isprintable() or c == "\t" else "\N{REPLACEMENT CHARACTER}" for c in text)
    return ExcerptLine(number, visible, len(raw) > LARGEST_LINE_BYTES)


def _is_text(head: bytes) -> bool:
    """Whether the source is read as text: no reader of whole files recognises it."""
    guess = detect(head)
    return guess is not None and all(guess.reader != r.id for r in whole_file_readers())
