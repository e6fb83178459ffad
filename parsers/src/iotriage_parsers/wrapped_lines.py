"""Recognises texts copied from a terminal that broke long lines at its width. Rows of tables and file names are then
cut in two, and what is read from them may be wrong.

Such a text has lines that all end at the greatest length and break within a word, and no lines just a little shorter,
as there would be if words had been wrapped. The pieces are not joined: a row that has just this length looks the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from statistics import median
from typing import Final

from iotriage_parsers.evidence import Problem

LEAST_BREAKS: Final = 3
LOOSE: Final = 4
"""One of so many breaks must be within a word: a program that formats its output continues it after blanks."""
OF_TERMINALS: Final = frozenset((80, 100, 120, 132, 160))
"""Usual widths of terminals, in columns. At other widths, lines of greatest length are more likely to have that length
by themselves."""
USUAL_FULL_TOGETHER: Final = 2
"""Number of consecutive full lines up to which a text counts as broken: more of them are rows of a table."""
MOST_NEARLY: Final = 4
NEARLY: Final = 10
"""Columns by which lines are shorter where whole words were wrapped."""
MOST_LOOKED_AT: Final = 4_000

_DIGITS: Final = re.compile(r"\d+")
_NEW: Final = ("|", "+", "#")
"""Beginnings of rows of tables, boxes and comments, which do not continue the line before."""
_RULE: Final = re.compile(r"[\s|+]*([-=*#_.~])[-=*#_.~|+ ]*")


def broken_lines(head: bytes) -> Problem | None:
    """A problem, where lines of the first 64 KiB are broken; None where they are as they were printed."""
    width = _width(head)
    if width is None:
        return None
    message = (
        f"long lines are broken at {width} columns, as a terminal shows them: rows and names are cut there, and what "
        "was read of them may be wrong. Give the file itself"
    )
    return Problem("torn", message, loses_data=True)


def _width(head: bytes) -> int | None:
    text = head[: head.rfind(b"\n") + 1].decode("utf-8", errors="replace")
    lines = text.splitlines()[:MOST_LOOKED_AT]
    width = max(map(len, lines), default=0)
    if width not in OF_TERMINALS:
        return None
    runs = [(at, length) for at, length in _runs(lines, width) if _goes_on(lines, at, length)]
    # A warning that is repeated has one length, whatever its numbers are.
    different = {_DIGITS.sub("", lines[at + length - 1]) for at, length in runs}
    tight = sum(_within_a_word(lines, at, length) for at, length in runs)
    nearly = sum(width - NEARLY <= len(line) < width for line in lines)
    if len(different) < LEAST_BREAKS or tight * LOOSE < len(runs) or nearly > MOST_NEARLY * len(runs):
        return None
    return width if median(length for _, length in runs) <= USUAL_FULL_TOGETHER else None


def _runs(lines: Sequence[str], width: int) -> Iterator[tuple[int, int]]:
    """Where lines that are full begin, and how many follow one another; rules are none."""
    at = 0
    while at < len(lines):
        end = at
        while end < len(lines) and len(lines[end]) == width and _RULE.fullmatch(lines[end]) is None:
            end += 1
        if end > at:
            yield at, end - at
        at = end + 1


def _goes_on(lines: Sequence[str], at: int, length: int) -> bool:
    """Whether the line after the full ones continues in the middle of a word or column."""
    after = lines[at + length] if at + length < len(lines) else ""
    last = lines[at + length - 1]
    # A box's side, a new row, or what was filled with blanks, is no rest.
    if last.endswith(" ") and after.startswith(" "):
        return False
    return bool(after.strip()) and not last.endswith(("|", "+")) and not after.startswith(_NEW)


def _within_a_word(lines: Sequence[str], at: int, length: int) -> bool:
    return not lines[at + length - 1][-1].isspace() and not lines[at + length][0].isspace()
