"""Titles of boxes that a terminal broke at its width: the rest of the file's name stands alone on the next line."""

from __future__ import annotations

from iotriage_parsers.text.lines import Line
from iotriage_parsers.wrapped_lines import OF_TERMINALS

_NEW = ("|", "+")
"""What a row or a rule of the box begins with."""


def rest_of_title(title: Line, line: Line) -> str | None:
    """What of the title's name stands on `line`. None where it is none of it: the title does not fill a terminal's
    width, or the line has blanks, as what a program prints between has."""
    full = len(title.text) in OF_TERMINALS and not title.text.endswith((" ", "\t"))
    rest = line.text
    if not full or line.number != title.number + 1 or not rest or rest.startswith(_NEW):
        return None
    return rest if rest.split() == [rest] else None
