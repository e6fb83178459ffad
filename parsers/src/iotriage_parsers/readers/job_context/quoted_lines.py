"""Commands whose quotes, or lists of words, go on over several lines, as `echo "` with a text below it, and `ARGS=(`:
what stands there is no command."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from iotriage_parsers.readers.job_context.here_documents import goes_on
from iotriage_parsers.text.lines import Line

MOST_LINES: Final = 60
LONGEST: Final = 4_096
_LIST: Final = "=("
_GIVEN_TO_A_SHELL: Final = re.compile(
    r"""(?:^|[\s/])(?:ba|da|k|z|c|tc)?sh(?:\s+-[\w-]{1,40}){0,9}\s+-\w{0,9}c\s+["'][^"']*$"""
)
"""`bash -c "`, where each line below is a command of its own."""
_TYPOGRAPHIC: Final = frozenset("\u201c\u201d\u201e\u2018\u2019")
_COMMENT: Final = re.compile(r"(?:^|\s)#.*")


def is_open(text: str) -> bool:
    """Whether the shell reads on below these lines for the end of a quote or a list. Quotes of a word processor end one
    as its writer meant it."""
    return _is_open(_within(text, [""]))


def _is_open(within: Sequence[str]) -> bool:
    return any(inside not in ("", "(") for inside in within)


def _within(text: str, before: Sequence[str]) -> list[str]:
    """In which quotes and parentheses a text ends that begins in these, the outermost first."""
    if not _TYPOGRAPHIC.isdisjoint(text):
        return [""]
    within, at = list(before), 0
    while at < len(text):
        sign, inside, left = text[at], within[-1], text[at - 1 : at]
        if inside in ("'", "$'"):
            if sign == "'":
                within.pop()
            at += inside == "$'" and sign == "\\"
        elif sign == "\\":
            at += 1
        elif sign == '"' and inside == '"':
            within.pop()
        elif sign == '"':
            within.append('"')
        elif sign == "'" and inside != '"':
            within.append("$'" if left == "$" else "'")
        elif sign == "(" and (inside in ("(", _LIST) or left == "$"):
            within.append("(")
        elif sign == "(" and not inside and left == "=":
            within.append(_LIST)
        elif sign == ")" and inside in ("(", _LIST):
            within.pop()
        elif sign == "#" and inside != '"' and text[max(at - 1, 0)] in "# \t;\n":
            at = len(text) if (end := text.find("\n", at)) < 0 else end
        at += 1
    return within


class QuotedLines:
    """The lines of one such command, as they come."""

    def __init__(self) -> None:
        self._held: list[Line] = []
        self._within: list[str] = []

    @property
    def is_open(self) -> bool:
        return bool(self._held)

    def begin(self, line: Line) -> bool:
        """Whether one begins with this line, which then is held; one that a backslash continues is another matter."""
        self._within = _within(line.text, [""])
        self._held = [line] if not line.text.rstrip().endswith("\\") and _is_open(self._within) else []
        return bool(self._held)

    def add(self, line: Line) -> Line | None:
        """The whole command, at the line where it begins, if it ends with this one."""
        self._held.append(line)
        self._within = _within(line.text, self._within)
        if _is_open(self._within):
            return None
        return self._held[0]._replace(text=self._joined())

    def _joined(self) -> str:
        text = self._held[0].text.strip()
        to_a_shell = _GIVEN_TO_A_SHELL.search(text) is not None
        for held in self._held[1:]:
            is_cut = goes_on(text)
            below = _COMMENT.sub("", held.text).strip() if to_a_shell else held.text.strip()
            text = f"{text[:-1] if is_cut else text}{'; ' if to_a_shell and not is_cut else ' '}{below}"
        return text

    @property
    def goes_too_far(self) -> bool:
        """Whether no script goes on for so long: the quote was none, as an apostrophe of a sentence behind a script."""
        return len(self._held) > MOST_LINES or sum(len(held.text) for held in self._held) > LONGEST

    def given_up(self) -> list[Line]:
        """The lines that are held, each to be read by itself."""
        held, self._held = self._held, []
        return held
