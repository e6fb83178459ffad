"""The command line of a job in words: its arguments by name, and which of them only say where it works."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping

from iotriage.rules.core.words import printable

_KEY = re.compile(r"[A-Za-z_][\w.:-]*")
_OPTION = re.compile(r"--?[A-Za-z_][\w.:-]*")
_TAKES_A_PLACE = re.compile(
    r"file|path|dir|out|in|input|log|conf|config|name|prefix|data|mesh|restart|table|mask", re.I
)
GIVEN = "given"
"""What stands for an option that has no value."""


def arguments_of(command_line: str | None) -> Mapping[str, str]:
    """The arguments of a command line: `key=value` by key, options by name with the word behind them where that is
    their value, the others by place among themselves ("argument 1"): an option put in front moves none of them. An
    option that stands there several times has its values in their order."""
    found: dict[str, str] = {}
    place = 0
    words = words_of(command_line)[1:]
    while words:
        word = words.pop(0)
        key, equals, value = word.lstrip("-").partition("=")
        if equals and _KEY.fullmatch(key):
            _add(found, printable(key), printable(value))
        elif _OPTION.fullmatch(word):
            taken = words.pop(0) if words and _is_value_of(word, words[0]) else GIVEN
            _add(found, printable(key), printable(taken))
        else:
            place += 1
            found[f"argument {place}"] = printable(word)
    return found


def _is_value_of(option: str, word: str) -> bool:
    """Whether the word behind an option is its value: behind a long one, a place is it only by the option's name."""
    if _OPTION.fullmatch(word) or "=" in word:
        return False
    if not option.startswith("--") or not is_path(word):
        return True
    return any(_TAKES_A_PLACE.fullmatch(part) for part in re.split(r"[-_.]", option.lstrip("-")))


def _add(found: dict[str, str], key: str, value: str) -> None:
    found[key] = f"{found[key]} {value}" if key in found else value


def words_of(command_line: str | None) -> list[str]:
    if not command_line:
        return []
    try:
        return shlex.split(command_line)
    except ValueError:
        return command_line.split()


def is_path(value: str) -> bool:
    """A name of a file or directory: where a run writes is not what it does."""
    return "/" in value or re.fullmatch(r"[\w.-]+\.[A-Za-z]\w{0,9}", value) is not None
