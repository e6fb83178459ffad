"""What a script sets on a condition: of several values nobody can say which one held."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from iotriage_parsers.evidence import EnvironmentSetting, Problem

_BEGIN: Final = frozenset(("if", "switch"))
_END: Final = frozenset(("fi", "esac", "endif", "endsw"))
MOST_NAMED: Final = 4


class Branches:
    """Follows `if` and `case`, and what is set within them. With `taken` there is nothing but what was."""

    def __init__(self, *, taken: bool = False) -> None:
        self._taken = taken
        self._depth = 0
        self._open = 0
        self._within: set[tuple[str, int]] = set()
        self._latest: dict[str, int] = {}

    def note(self, words: Sequence[str]) -> list[str]:
        """The command without the pattern of a `case` before it."""
        first = words[0]
        if self._taken:
            return list(words)
        if self._open:
            self._follow(words)
        elif first == "case" and "in" in words:
            self._depth += 1
            words = words[words.index("in") + 1 :]
        elif first in _BEGIN and "".join(words[1:2]).startswith("(") and not words[1].startswith("(("):
            self._follow(words[1:])
        elif first in _BEGIN:
            self._depth += 1
        elif first in _END:
            self._depth = max(0, self._depth - 1)
        return list(words[1:] if self._depth and _begins_with_a_pattern(words) else words)

    def _follow(self, condition: Sequence[str]) -> None:
        """A condition in parentheses, which may go on behind `&&`. In csh a command on its line has no end."""
        for at, word in enumerate(condition):
            self._open += 0 if word.startswith(("'", '"')) else word.count("(") - word.count(")")
            if self._open <= 0:
                self._open = 0
                if condition[-1] == "then" or at == len(condition) - 1:
                    self._depth += 1
                return

    def keep(self, setting: EnvironmentSetting) -> None:
        """Keeps whether it is set on a condition: so is what one line sets twice, `… && A=1 || A=0`."""
        if self._depth or self._latest.get(setting.name) == setting.line:
            self._within.add((setting.name, setting.line))
        self._latest[setting.name] = setting.line

    def settled(self, settings: Sequence[EnvironmentSetting]) -> tuple[list[EnvironmentSetting], list[Problem]]:
        """The settings, each of several values as the variable itself, which is what is known of it."""
        latest: dict[str, list[EnvironmentSetting]] = {}
        for setting in settings:
            if (setting.name, setting.line) in self._within:
                latest.setdefault(setting.name, []).append(setting)
            else:
                latest[setting.name] = [setting]
        unknown = {name: found for name, found in latest.items() if len({s.value for s in found}) > 1}
        left_out = {id(setting) for found in unknown.values() for setting in found[:-1]}
        kept = [
            replace(setting, value=f"${setting.name}", cut_off=None)
            if setting.name in unknown and setting is unknown[setting.name][-1]
            else setting
            for setting in settings
            if id(setting) not in left_out
        ]
        return kept, [_which_held(name, [s.line for s in found]) for name, found in unknown.items()]


def _which_held(name: str, lines: Sequence[int]) -> Problem:
    different = list(dict.fromkeys(lines))
    named = ", ".join(map(str, different[:MOST_NAMED])) + (", …" if len(different) > MOST_NAMED else "")
    where = f"line{'s' if len(different) > 1 else ''} {named}"
    message = f"{name} is set to different values on a condition ({where}): which one held, is not known"
    return Problem("note", message, line=lines[0])


def _begins_with_a_pattern(words: Sequence[str]) -> bool:
    """`a)`, or `(a)` before its command."""
    first = words[0] if words else ""
    return first.endswith(")") and (first.count("(") < first.count(")") or (first.startswith("(") and len(words) > 1))
