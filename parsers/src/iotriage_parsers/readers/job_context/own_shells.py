"""Shells that a script starts within its own lines, `(cd build; export A=1; make)`, `bash -c "…"`, `X=$(…)`: what they
set, load and enter ends with them, and holds for what they start.

https://www.gnu.org/software/bash/manual/bash.html: 3.7.3, Command Execution Environment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final, NamedTuple

from iotriage_parsers.evidence import ContextField, EnvironmentSetting, Launch, ModuleCommand
from iotriage_parsers.readers.job_context.launches.inherited import Inherited, Saved

_QUOTED: Final = re.compile(r"""\\.|"(?:[^"\\]|\\.)*+"|'[^']*+'""")
DEEPEST: Final = 16
MOST: Final = 500
"""Number of shells that are followed: remembering the state before each costs more the more it sets."""


class _Before(NamedTuple):
    """The state when a shell began: the number of settings, modules and launches so far, and the directory."""

    settings: int
    modules: int
    launches: int
    entered: ContextField | None
    inherited: Saved


class OwnShells:
    """Follows the shells of a script, whose lists these are. `entered` is the directory of the innermost one."""

    def __init__(
        self,
        settings: list[EnvironmentSetting],
        modules: list[ModuleCommand],
        launches: list[Launch],
        inherited: Inherited,
    ) -> None:
        self._settings, self._modules, self._launches = settings, modules, launches
        self._inherited = inherited
        self._open: list[_Before] = []
        self._followed = 0
        self._held: list[tuple[range, EnvironmentSetting]] = []
        self.entered: ContextField | None = None

    @contextmanager
    def around(self, words: Sequence[str]) -> Iterator[None]:
        """A command of these words, with what begins before it and ends behind it."""
        begin, end = _parentheses(words)
        for _ in range(begin):
            self._begin()
        yield
        for _ in range(end):
            self._end()

    @contextmanager
    def another(self) -> Iterator[None]:
        """A shell that is given its commands, or a script that is called."""
        depth = len(self._open)
        self._begin()
        yield
        while len(self._open) > depth:
            self._end()

    def apart(self) -> list[EnvironmentSetting]:
        """The settings that hold for some of what the script starts, and not for all of it."""
        return [setting for started, setting in self._held if len(started) < len(self._launches)]

    def partial(self) -> frozenset[str]:
        """The names of those of which no shell sets a value for the rest."""
        covered: dict[str, set[int]] = {}
        for started, setting in self._held:
            covered.setdefault(setting.name, set()).update(started)
        return frozenset(name for name, launches in covered.items() if len(launches) < len(self._launches))

    def _begin(self) -> None:
        self._followed += 1
        if len(self._open) < DEEPEST and self._followed <= MOST:
            counts = len(self._settings), len(self._modules), len(self._launches)
            self._open.append(_Before(*counts, self.entered, self._inherited.saved()))

    def _end(self) -> None:
        if not self._open:
            return
        before = self._open.pop()
        self._inherited.restore(before.inherited)
        started = range(before.launches, len(self._launches))
        if started:
            self._held += [(started, setting) for setting in self._settings[before.settings :]]
            return
        self.entered = before.entered
        del self._settings[before.settings :]
        del self._modules[before.modules :]


def _parentheses(words: Sequence[str]) -> tuple[int, int]:
    """How many shells begin before the command, and how many end behind it. Those of reckoning, `((`, are none, nor
    those of a list (`A=(1 2)`), of a function's name or within quotes: they are closed on their line."""
    plain = [_QUOTED.sub("", word) for word in words]
    if any("((" in word or ("))" in word and "(" not in word) for word in plain):
        return 0, 0
    more = sum(word.count("(") - word.count(")") for word in plain)
    begin = max(more, 1 if plain and plain[0].startswith("(") else 0)
    return begin, begin - more
