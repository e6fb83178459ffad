"""Joins a command line that a benchmark prints among its settings and that a mail program or a terminal broke."""

from __future__ import annotations

import re
from typing import Final

from iotriage_parsers.text.lines import Line

LEAST_WIDTH: Final = 60
"""The least width in columns at which lines are broken: a line that would be shorter with the next word was not."""
MOST_PIECES: Final = 16
_LONGEST: Final = 4_000
NEXT_COMMAND: Final = re.compile(r"[|;&>]|\d>")
"""Ends the arguments of a command in a line of shell."""
_A_SETTING: Final = re.compile(r"\s:|:(?:\s|$)|^-- |^-{3}")
"""Other lines that are printed below the command: a name, a colon and a value; or a rule."""


class WrappedCommand:
    """Begins with the line that names the command; `rest` is asked of each line below it."""

    def __init__(self) -> None:
        self._last = 0
        self._pieces = 0
        self._width = 0
        self.text: str | None = None

    def begin(self, line: Line, command: str) -> None:
        self.text = command.strip()
        self._last, self._pieces, self._width = line.number, 1, len(line.text)

    @property
    def is_open(self) -> bool:
        """Whether the next line may go on with it."""
        return self._pieces > 0

    def goes_on(self, line: Line) -> bool:
        """Whether this line is the command's next piece, which then is put to it."""
        rest = line.text.strip()
        is_next = 0 < self._pieces < MOST_PIECES and line.number == self._last + 1
        if not (is_next and rest) or _A_SETTING.search(rest) or not self._was_full(rest):
            self._pieces = 0
            return False
        self.text = f"{self.text} {rest}"[:_LONGEST]
        self._last, self._pieces, self._width = line.number, self._pieces + 1, len(line.text)
        return True

    def _was_full(self, rest: str) -> bool:
        return self._width + 1 + len(rest.split(maxsplit=1)[0]) >= LEAST_WIDTH
