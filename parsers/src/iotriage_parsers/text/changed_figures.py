"""Rows of benchmarks in which a mail, a spreadsheet or a locale wrote the figures otherwise: "1600,00", "20,480.0",
"20 480.0".

What a comma or a blank means there is not guessed at: such a row is left out, and said to be.
"""

from __future__ import annotations

import re
from typing import Final

from iotriage_parsers.evidence import Problem

_CHANGED: Final = re.compile(
    r"\d[,\u066b\u066c'\u2019\u2009\u202f]\d|(?<![\w.,-])[1-9]\d{0,2}(?: \d{3})+(?=[kKMGT]?i?B\b|\W|$)"
)
"""A point or nothing stands there where a program of the C locale prints a figure. One blank before three digits parts
thousands, whatever blanks were between columns: of figures that have decimals, as of these rows, what stands before it
would have a point."""


class ChangedFigures:
    """Counts the rows of one tool that were left out for that."""

    def __init__(self, tool: str) -> None:
        self._tool = tool
        self._first: int | None = None
        self._count = 0

    def finds(self, text: str) -> bool:
        """Whether a row with this text is such a one."""
        return _CHANGED.search(text) is not None

    def looked_at(self, text: str, line: int) -> bool:
        """Whether a row with this text is such a one; then it is kept in mind."""
        changed = self.finds(text)
        if changed:
            self._first = self._first or line
            self._count += 1
        return changed

    def problems(self) -> tuple[Problem, ...]:
        """That they were left out; nothing where there were none."""
        if self._first is None:
            return ()
        first, more = self._first, self._count - 1
        others = f" (and {more:,} more rows)" if more else ""
        message = (
            f"line {first} is a row of {self._tool} whose figures are not as it prints them, with commas or blanks "
            f"where it has none{others}: left out"
        )
        return (Problem("unrecognised-number", message, loses_data=True, line=first),)
