"""Functions that a script defines and never calls: their contents are not carried out.
https://www.gnu.org/software/bash/manual/bash.html: 3.3, Shell Functions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from iotriage_parsers.evidence import JobContext, Problem

_BEGINS: Final = re.compile(
    r"(?:function\s+([A-Za-z_][\w-]{0,80})(?:\s*\(\s*\))?|([A-Za-z_][\w-]{0,80})\s*\(\s*\))\s*(\{.*)?"
)
_BRACE: Final = re.compile(r"\$\{[^}]{0,400}\}|([{}])")
_WORD: Final = re.compile(r"[A-Za-z_][\w-]{0,80}")
_BEGUN: Final = re.compile(r"([A-Za-z_][\w-]{0,80})\$\{?\w")
"""The beginning of a function's name that ends in a variable: `setup_$SYSTEM`."""
_BY_ARGUMENT: Final = re.compile(r"\"?\$\{?[@*1]\}?\"?(?:[\s;]|$)")
"""A command that is passed to the script as its arguments: `"$@"`."""
_OUTSIDE: Final = ""
MOST: Final = 200
MOST_WORDS: Final = 20_000


@dataclass(slots=True)
class _Function:
    name: str
    first: int
    last: int = 0


class Functions:
    """Follows the lines of a script. A function counts as called where its name stands outside of it, on any line that
    is not in a function that nothing calls."""

    def __init__(self) -> None:
        self._found: list[_Function] = []
        self._open: _Function | None = None
        self._depth = 0
        self._words: dict[str, set[str]] = {_OUTSIDE: set()}
        """By the function in which they stand."""
        self._room = MOST_WORDS
        self._is_any_called = False

    def note(self, line: int, text: str) -> None:
        """A line of the script, without its indentation."""
        if text.startswith("#"):
            return
        begins = _BEGINS.fullmatch(text) if self._open is None and len(self._found) < MOST else None
        if begins is not None:
            self._open, self._depth = _Function(begins[1] or begins[2], line), 0
            self._found.append(self._open)
            text = begins[3] or ""
        if self._open is not None:
            ends = self._end_in(text)
            self._note_words(self._open.name, text[:ends])
            if ends is None:
                return
            self._open.last, self._open, text = line, None, text[ends:]
        self._is_any_called = self._is_any_called or _BY_ARGUMENT.match(text) is not None
        self._note_words(_OUTSIDE, text)

    def _end_in(self, text: str) -> int | None:
        """Where the function that is open ends."""
        for brace in _BRACE.finditer(text):
            self._depth += {"{": 1, "}": -1}.get(brace[1], 0)
            if brace[1] == "}" and self._depth <= 0:
                return brace.end()
        return None

    def _note_words(self, where: str, text: str) -> None:
        found = _WORD.findall(text)
        self._room -= len(found)
        self._is_any_called = self._is_any_called or self._room < 0
        if self._room >= 0:
            begun = tuple(_BEGUN.findall(text))
            named = (one.name for one in self._found if begun and one.name.startswith(begun))
            self._words.setdefault(where, set()).update(found, named)

    def _called(self) -> set[str]:
        """The names that stand outside of all functions, or in one that is called or whose end was not found."""
        reached, looked_at = set[str](), [_OUTSIDE, *(one.name for one in self._found if not one.last)]
        while looked_at:
            fresh = self._words.get(looked_at.pop(), set()) - reached
            reached |= fresh
            looked_at += fresh
        return reached

    def carried_out(self, context: JobContext) -> tuple[JobContext, list[Problem]]:
        """The context without what stands in functions that nothing calls, and a note of each that has any. A text of
        functions alone, of which none starts a program, is another script's: they are called there."""
        called = self._called()
        left = [one for one in self._found if one.last and one.name not in called and not self._is_any_called]
        inside = {line for one in left for line in range(one.first, one.last + 1)}
        if all(launch.line in inside for launch in context.launches):
            return context, []
        kept = replace(
            context,
            environment=tuple(one for one in context.environment if one.line not in inside),
            modules=tuple(one for one in context.modules if one.line not in inside),
            stripe_commands=tuple(one for one in context.stripe_commands if one.line not in inside),
            launches=tuple(one for one in context.launches if one.line not in inside),
        )
        return kept, list(_notes(left, context))


def _notes(left: list[_Function], context: JobContext) -> Iterator[Problem]:
    kinds = (context.environment, context.modules, context.stripe_commands, context.launches)
    lines = [part.line for parts in kinds for part in parts]
    for one in left:
        if any(one.first <= line <= one.last for line in lines):
            message = f"line {one.first}: nothing calls {one.name}(): what stands in it is left out"
            yield Problem("note", message, line=one.first)
