"""Blocks that a script only quotes, as the notes of an earlier run in its comments, or in a file that it writes by a
here-document: of which run, nothing tells."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Final

from iotriage_parsers.evidence import JobContext, Part, Problem
from iotriage_parsers.frozen import frozen
from iotriage_parsers.text.blocks import BlockReader, BlockResult, ReadBlock
from iotriage_parsers.text.prefix import Prefix

MOST_NAMED: Final = 4
_SIGN: Final = re.compile(r"[\s>|]*#(?!\d{3}:)")
"""HDF5 numbers the lines of its errors behind one."""


def is_comment(text: str, prefix: Prefix | None) -> bool:
    """Whether the line, with the prefix of its block, is a comment."""
    return (prefix is not None and "comment" in prefix.kinds) or _SIGN.match(text) is not None


@frozen
class _Place:
    """Where in a script such blocks are, and without what to give them."""

    named: str
    without: str


_COMMENTS: Final = _Place("comments", "without the signs of comments")
_DOCUMENT: Final = _Place("a here-document", "by itself")


class QuotedBlocks:
    """Where blocks are that a script quotes, by the id of their reader."""

    def __init__(self) -> None:
        self._spans: dict[tuple[str, _Place], list[tuple[int, int]]] = {}

    def keep_commented(self, reader: str, first: int, last: int) -> None:
        self._spans.setdefault((reader, _COMMENTS), []).append((first, last))

    def take_out(self, found: Mapping[str, list[ReadBlock]], signed: Container[tuple[int, str]]) -> None:
        """Takes those blocks that a script quotes from all that were found. Of `signed` ones, by first line and reader,
        each line begins as a comment does: they are such where they stand in a script."""
        read = [block.read for blocks in found.values() for block in blocks]
        scripts, documents = Scripts(part for block in read for part in block.parts), _Documents(read)

        def is_quoted(block: ReadBlock, reader: str) -> bool:
            if (block.first, reader) in signed and scripts.have(block.first, block.last):
                self.keep_commented(reader, block.first, block.last)
                return True
            end = documents.end_of(block.first)
            if end is not None and block.read.parts:
                self._spans.setdefault((reader, _DOCUMENT), []).append((block.first, min(block.last, end - 1)))
            return end is not None

        for reader, blocks in found.items():
            blocks[:] = [block for block in blocks if not is_quoted(block, reader)]

    def of(self, reader: BlockReader) -> Iterator[Problem]:
        """That they are not read."""
        for place in (_COMMENTS, _DOCUMENT):
            spans = sorted(self._spans.get((reader.id, place), ()))
            if spans:
                yield _not_read(reader.title, place, spans)


def _not_read(title: str, place: _Place, spans: Sequence[tuple[int, int]]) -> Problem:
    named = ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in spans[:MOST_NAMED])
    more = ", …" if len(spans) > MOST_NAMED else ""
    of = "line" if named.isdecimal() else "lines"
    message = (
        f"{title} in {place.named} ({of} {named}{more}): of which run, nothing says, and it is not read. Give what "
        f"that run printed, {place.without}"
    )
    return Problem("note", message, line=spans[0][0])


class Scripts:
    """Where scripts stand in a text."""

    def __init__(self, parts: Iterable[Part]) -> None:
        scripts = (p.lines for p in parts if isinstance(p, JobContext) and p.source == "script")
        self._lines = sorted((script.first, script.last) for script in scripts)

    def have(self, first: int, last: int) -> bool:
        """Whether these lines stand between those of one."""
        at = bisect_left(self._lines, (first, 0))
        return at > 0 and last < self._lines[at - 1][1]


class _Documents:
    """Where blocks quote another file, as a script does by a here-document."""

    def __init__(self, found: Iterable[BlockResult]) -> None:
        self._lines = sorted((lines.first, lines.last) for block in found for lines in block.quoted)

    def end_of(self, line: int) -> int | None:
        """The last line of that within which a line stands; None where it stands in none."""
        at = bisect_left(self._lines, (line, 0))
        return self._lines[at - 1][1] if at > 0 and line < self._lines[at - 1][1] else None
