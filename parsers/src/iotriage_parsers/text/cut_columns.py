"""Boxes whose lines were cut at a column, as `cut -c`, a pager or a picture of a terminal has them.

Their rules tell: they end in a +, and lack it there. What ends at that column may go on behind it.
"""

from __future__ import annotations

import re
from typing import Final

from iotriage_parsers.evidence import Problem
from iotriage_parsers.text.lines import Line

_RULE_WITHOUT_END: Final = re.compile(r"\s*\+-{20,}+")


class CutColumn:
    """Where the lines of a box end, as far as they have come."""

    def __init__(self) -> None:
        self._rule: int | None = None
        self._widths: dict[int, int] = {}

    def see(self, line: Line) -> None:
        self._widths[line.number] = len(line.text)
        if _RULE_WITHOUT_END.fullmatch(line.text) is not None:
            self._rule = len(line.text)

    @property
    def column(self) -> int | None:
        """The column at which all are cut; None where one goes on behind it, or the rules are whole."""
        return None if self._rule is None or max(self._widths.values()) > self._rule else self._rule

    def ends_there(self, number: int) -> bool:
        return self._rule is not None and self._widths.get(number) == self._rule


def cut_problem(what: str, column: int, line: int | None, left_out: str) -> Problem:
    message = f"the lines of {what} are cut at column {column}: {left_out}"
    return Problem("cut-lines", message, loses_data=True, line=line)
