"""How far a command is: on standard error, in one line of a terminal that is written over; nothing elsewhere."""

from __future__ import annotations

import sys
import time

_SECONDS_BETWEEN = 0.1


class Progress:
    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()
        self._told = 0.0

    def says(self, words: str) -> None:
        now = time.monotonic()
        if self._terminal and now - self._told >= _SECONDS_BETWEEN:
            self._told = now
            self._write(words)

    def ends(self) -> None:
        """The line is empty for what comes next."""
        if self._terminal and self._told:
            self._told = 0.0
            self._write("")

    def _write(self, words: str) -> None:
        sys.stderr.write(f"\r\033[K{words}")
        sys.stderr.flush()
