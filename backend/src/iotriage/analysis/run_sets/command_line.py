"""The command line of a job in words: its arguments by name, and which of them only say where it works."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping

from iotriage.rules.core.words import plain


def arguments_of(command_line: str | None) -> Mapping[str, str]:
    """The arguments of a command line: `key=value` and `--key value` by key, the others by place ("argument 1")."""
    found: dict[str, str] = {}
    place = 0
    words = iter(words_of(command_line)[1:])
    for word in words:
        key, equals, value = word.lstrip("-").partition("=")
        if equals and re.fullmatch(r"[A-Za-z_][\w.:-]*", key):
            found[plain(key)] = plain(value)
        else:
            place += 1
            found[f"argument {place}"] = plain(word)
    return found


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
