"""Blocks that are comments, as the notes of an earlier run in a script are: of which run, nothing tells."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import Final

from iotriage_parsers.evidence import JobContext, Part, Problem
from iotriage_parsers.text.blocks import BlockReader
from iotriage_parsers.text.prefix import Prefix

MOST_NAMED: Final = 4
_SIGN: Final = re.compile(r"[\s>|]*#(?!\d{3}:)")
"""HDF5 numbers the lines of its errors behind one."""


def is_comment(text: str, prefix: Prefix | None) -> bool:
    """Whether the line, with the prefix of its block, is a comment."""
    return (prefix is not None and "comment" in prefix.kinds) or _SIGN.match(text) is not None


class CommentedBlocks:
    """Where blocks are that are comments, by the id of their reader."""

    def __init__(self) -> None:
        self._spans: dict[str, list[tuple[int, int]]] = {}

    def keep(self, reader: str, first: int, last: int) -> None:
        self._spans.setdefault(reader, []).append((first, last))

    def of(self, reader: BlockReader) -> Iterator[Problem]:
        """The problem that blocks of this reader stand in comments and are not read."""
        spans = sorted(self._spans.get(reader.id, ()))
        if not spans:
            return
        named = ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in spans[:MOST_NAMED])
        more = ", …" if len(spans) > MOST_NAMED else ""
        of = "line" if named.isdecimal() else "lines"
        message = (
            f"{reader.title} in comments ({of} {named}{more}): of which run, nothing says, and it is not read. Give "
            "what that run printed, without the signs of comments"
        )
        yield Problem("note", message, line=spans[0][0])


class Scripts:
    """Where scripts stand in a text."""

    def __init__(self, parts: Iterable[Part]) -> None:
        scripts = (p.lines for p in parts if isinstance(p, JobContext) and p.source == "script")
        self._lines = sorted((script.first, script.last) for script in scripts)

    def have(self, first: int, last: int) -> bool:
        """Whether these lines stand between those of one."""
        at = bisect_left(self._lines, (first, 0))
        return at > 0 and last < self._lines[at - 1][1]
