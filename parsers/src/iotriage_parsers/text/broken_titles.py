"""Titles of boxes that a terminal broke at its width, the rest of the file's name standing alone on the next line; and
those behind which another rank wrote a line of its own before they had ended."""

from __future__ import annotations

import re
from typing import Final

from iotriage_parsers.text.lines import Line
from iotriage_parsers.wrapped_lines import OF_TERMINALS

_NEW = ("|", "+")
"""What a row or a rule of the box begins with."""

_ROW_BEHIND: Final = re.compile(r"\|[ \t]{1,8}(?:MPIIO (?:write|read) |[A-Za-z][\w /().*-]{1,40}=)")
"""A row of a box, or the title of another, behind a name."""


def own_name(name: str) -> str:
    """The name that ends where a row begins."""
    row = _ROW_BEHIND.search(name)
    return name if row is None else name[: row.start()]


def rest_of_title(title: Line, line: Line) -> str | None:
    """What of the title's name stands on `line`. None where it is none of it: the title does not fill a terminal's
    width, or the line has blanks, as what a program prints between has."""
    full = len(title.text) in OF_TERMINALS and not title.text.endswith((" ", "\t"))
    rest = line.text
    if not full or line.number != title.number + 1 or not rest or rest.startswith(_NEW):
        return None
    return rest if rest.split() == [rest] else None
