"""Titles of boxes that a terminal broke at its width, the rest of the file's name standing alone on the next line; and
those behind which another rank wrote a line of its own before they had ended."""

from __future__ import annotations

import re
from typing import Final

from iotriage_parsers.text.lines import Line
from iotriage_parsers.wrapped_lines import OF_TERMINALS

_NEW = ("|", "+")
"""What a row or a rule of the box begins with."""

_WITHOUT_NAME = (" access patterns for", " ranks, for", " only, for")

_ROW_BEHIND: Final = re.compile(r"\|[ \t]{1,8}(?:MPIIO (?:write|read) |[A-Za-z][\w /().*-]{1,40}=)")
"""A row of a box, or the title of another, behind a name."""


def own_name(name: str) -> str:
    """The name that ends where a row begins."""
    row = _ROW_BEHIND.search(name)
    return name if row is None else name[: row.start()]


def rest_of_title(title: Line, line: Line) -> str | None:
    """What of the title's name stands on `line`: the end of it where the title fills a terminal's width, all of it
    where a mail program broke the title at the blank before. None where it is none of it: the line has blanks, as what
    a program prints between has."""
    full = len(title.text) in OF_TERMINALS and not title.text.endswith((" ", "\t"))
    is_nameless = title.text.rstrip().endswith(_WITHOUT_NAME)
    rest = line.text.strip() if is_nameless else line.text
    if not (full or is_nameless) or line.number != title.number + 1 or not rest or rest.startswith(_NEW):
        return None
    return rest if rest.split() == [rest] else None
