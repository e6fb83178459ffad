"""Loops of a script: what they change from one pass to the next, as `n=$((n * 2))` below a launch, is not known of any
pass but the first, and so neither is the size of what they start by it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from iotriage_parsers.readers.job_context.variables import Variables

_BEGIN: Final = frozenset(("while", "until", "for", "select", "foreach"))
_END: Final = frozenset(("done", "end"))
_BEFORE: Final = frozenset(("do", "then", "else", "{", "time", "!"))


class Repeated(NamedTuple):
    """A launch within a loop: its index among all launches, and its words as written."""

    place: int
    words: list[str]


class Loops:
    """Follows those of a script, whose variables these are."""

    def __init__(self, variables: Variables) -> None:
        self._variables = variables
        self._open: list[list[Repeated]] = []

    def launched(self, place: int, words: Sequence[str]) -> None:
        if self._open:
            self._open[-1].append(Repeated(place, list(words)))

    def note(self, words: Sequence[str]) -> Iterator[Repeated]:
        """The launches of the loop that ends with this command and changes variables, of which from here on nothing is
        known."""
        first = next((word for word in words if word not in _BEFORE), "")
        if first in _BEGIN:
            self._variables.begin_loop()
            self._open.append([])
        elif first in _END and self._open:
            launches, changes = self._open.pop(), self._variables.end_loop()
            if self._open:
                self._open[-1] += launches
            if changes:
                yield from launches
