"""Rows of a benchmark's table that a mail program broke at a blank: what follows is put to them, where that makes them
whole, and only then. A row that stays cut is reported."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from iotriage_parsers.evidence import Problem
from iotriage_parsers.text.lines import Line

MOST_PIECES: Final = 4


class WrappedRows:
    """`begins` matches how a row begins, `is_whole` tells a whole one. Lines are given without what stands before and
    behind their text."""

    def __init__(self, tool: str, begins: re.Pattern[str], is_whole: Callable[[str], bool]) -> None:
        self._tool = tool
        self._begins, self._is_whole = begins, is_whole
        self._held: Line | None = None
        self._pieces = 0
        self._torn: list[int] = []

    def row(self, line: Line) -> Line | None:
        """The whole row that ends with this line, at the line where it begins; None where none does."""
        if self._begins.match(line.text):
            self.give_up()
            if self._is_whole(line.text):
                return line
            self._held, self._pieces = line, 1
            return None
        if self._held is None:
            return None
        joined = self._held._replace(text=f"{self._held.text} {line.text}", ended=line.ended)
        self._pieces += 1
        if self._is_whole(joined.text):
            self._held = None
            return joined
        self._held = joined
        if self._pieces == MOST_PIECES:
            self.give_up()
        return None

    @property
    def is_open(self) -> bool:
        """Whether the last line may be a piece of a row."""
        return self._held is not None

    def give_up(self) -> None:
        """Discards the pieces that were held: they do not form a whole row."""
        if self._held is not None:
            self._torn.append(self._held.number)
        self._held = None

    def problems(self) -> tuple[Problem, ...]:
        """That rows are cut, at the end of the block."""
        self.give_up()
        if not self._torn:
            return ()
        first, more = self._torn[0], len(self._torn) - 1
        others = f", and so are {more:,} more" if more else ""
        message = f"line {first} is torn: a row of {self._tool} is cut{others}. Its figures were left out"
        return (Problem("torn", message, loses_data=True, line=first),)
