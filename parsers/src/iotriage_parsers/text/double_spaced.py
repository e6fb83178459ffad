"""Texts with a blank line behind each line, as mails and word processors make of one that is pasted into them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

LEAST_LINES: Final = 6
_SURE: Final = 0.95


def is_double_spaced(first: Sequence[str]) -> bool:
    """Whether nearly each of the first lines of a text has an odd number of blank ones behind it: one more than it
    had."""
    runs: list[int] = []
    for line in first:
        if line.strip():
            runs.append(0)
        elif runs:
            runs[-1] += 1
    known = runs[:-1]
    return len(known) >= LEAST_LINES and sum(run % 2 for run in known) >= _SURE * len(known)


class Spacing:
    """Tells the blank lines that were put behind others, in the order in which they come."""

    def __init__(self) -> None:
        self._blanks = 0

    def is_added(self, line: bytes) -> bool:
        if line.strip():
            self._blanks = 0
            return False
        self._blanks += 1
        return self._blanks % 2 == 1
