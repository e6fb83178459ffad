"""Functions that a script defines and never calls: what stands in them is not carried out.

https://www.gnu.org/software/bash/manual/bash.html: 3.3, Shell Functions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from iotriage_parsers.evidence import JobContext, Problem

_BEGINS: Final = re.compile(
    r"(?:function\s+([A-Za-z_][\w-]{0,80})(?:\s*\(\s*\))?|([A-Za-z_][\w-]{0,80})\s*\(\s*\))\s*(\{.*)?"
)
_EXPANDED: Final = re.compile(r"\$\{[^}]{0,400}\}")
_WORD: Final = re.compile(r"[A-Za-z_][\w-]{0,80}")
MOST: Final = 200
MOST_WORDS: Final = 20_000


@dataclass(slots=True)
class _Function:
    name: str
    first: int
    last: int = 0


class Functions:
    """Follows the lines of a script. A function counts as called where its name stands on any line outside of it."""

    def __init__(self) -> None:
        self._found: list[_Function] = []
        self._open: _Function | None = None
        self._depth = 0
        self._words: dict[str, int] = {}
        """With the number of the last line outside of the function of that name."""

    def note(self, line: int, text: str) -> None:
        """A line of the script, without its indentation."""
        if text.startswith("#"):
            return
        begins = _BEGINS.fullmatch(text) if self._open is None and len(self._found) < MOST else None
        if begins is not None:
            self._open, self._depth = _Function(begins[1] or begins[2], line), 0
            self._found.append(self._open)
        elif len(self._words) < MOST_WORDS:
            own = "" if self._open is None else self._open.name
            self._words.update((word, line) for word in _WORD.findall(text) if word != own)
        if self._open is not None:
            braces = _EXPANDED.sub("", text)
            self._depth += braces.count("{") - braces.count("}")
            if self._depth <= 0 and "}" in braces:
                self._open.last, self._open = line, None

    def carried_out(self, context: JobContext) -> tuple[JobContext, list[Problem]]:
        """The context without what stands in functions that nothing calls, and a note of each that has any. A text of
        functions alone, of which none starts a program, is another script's: they are called there."""
        left = [one for one in self._found if one.last and one.name not in self._words]
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
