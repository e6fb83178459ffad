"""A TOML file read key by key, and refused with the file, the line, the key and the reason."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Sequence
from math import isfinite
from pathlib import Path
from typing import TypeVar

from iotriage.sites.toml_lines import line_of, lines_of

T = TypeVar("T")

_AT_LINE = re.compile(r"\(at line (\d+), column \d+\)")


class BadSiteError(ValueError):
    """A profile that cannot be used. The message is "file:line: key: reason"."""


class Table:
    """One table of the file; what nobody asked for is refused at the end."""

    def __init__(self, file: str, text: str, at: str, content: dict[str, object]) -> None:
        self._file, self._text, self._at, self._content = file, text, at, content
        self._left = set(content)

    def refuse(self, key: str, reason: str) -> BadSiteError:
        path = f"{self._at}.{key}" if self._at else key
        return BadSiteError(f"{self._file}:{line_of(lines_of(self._text), path)}: {path}: {reason}")

    def end(self) -> None:
        if self._left:
            raise self.refuse(sorted(self._left)[0], "is not a key of this table")

    def has(self, key: str) -> bool:
        return key in self._content

    def words(self, key: str, words: Sequence[T]) -> tuple[T, ...]:
        found = self.texts(key)
        known = tuple(w for name in found for w in words if w == name)
        if len(known) != len(found):
            raise self.refuse(key, f"must each be one of {', '.join(map(str, words))}")
        return known

    def text(self, key: str) -> str:
        value = self._take(key)
        if not isinstance(value, str) or not value.strip():
            raise self.refuse(key, "must be a text that is not empty")
        return value

    def text_or_none(self, key: str) -> str | None:
        return self.text(key) if self.has(key) else None

    def shaped(self, key: str, shape: re.Pattern[str], reason: str) -> str:
        value = self.text(key)
        if not shape.fullmatch(value):
            raise self.refuse(key, reason)
        return value

    def word(self, key: str, words: Sequence[T], default: T | None = None) -> T:
        if default is not None and not self.has(key):
            return default
        value = self._take(key)
        found = next((w for w in words if w == value), None)
        if found is None:
            raise self.refuse(key, f"must be one of {', '.join(map(str, words))}")
        return found

    def word_or_none(self, key: str, words: Sequence[T]) -> T | None:
        return self.word(key, words) if self.has(key) else None

    def integer(self, key: str, least: int) -> int | None:
        if not self.has(key):
            return None
        value = self._take(key)
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise self.refuse(key, f"must be a whole number of at least {least}")
        return value

    def number(self, key: str) -> float:
        value = self._take(key)
        if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
            raise self.refuse(key, "must be a number")
        return float(value)

    def positive(self, key: str) -> float | None:
        if not self.has(key):
            return None
        value = self.number(key)
        if value <= 0:
            raise self.refuse(key, "must be above zero")
        return value

    def texts(self, key: str, *, least: int = 0) -> tuple[str, ...]:
        value = self._take(key) if self.has(key) or least else []
        if not isinstance(value, list) or len(value) < least or not all(isinstance(v, str) and v for v in value):
            raise self.refuse(key, f"must be a list of at least {least} texts" if least else "must be a list of texts")
        return tuple(value)

    def expressions(self, key: str) -> tuple[str, ...]:
        """Regular expressions on names."""
        found = self.texts(key)
        for expression in found:
            self._compiled(key, expression)
        return found

    def whole_names(self, key: str) -> tuple[str, ...]:
        """Regular expressions on names that must match from the first character to the last."""
        found = self.expressions(key)
        for expression in found:
            if not (expression.startswith("^") and expression.endswith("$")):
                raise self.refuse(key, f"{expression!r} must begin with ^ and end with $")
        return found

    def paths(self, key: str, *, least: int = 0) -> tuple[str, ...]:
        """Regular expressions anchored at the start, as paths are matched from their start."""
        found = self.texts(key, least=least)
        for expression in found:
            self._compiled(key, expression)
            if not expression.startswith("^/") or expression == "^/":
                raise self.refuse(key, f"{expression!r} must begin with ^/ and name a directory")
        return found

    def table(self, key: str) -> Table:
        value = self._take(key)
        if not isinstance(value, dict):
            raise self.refuse(key, "must be a table")
        return Table(self._file, self._text, f"{self._at}.{key}" if self._at else key, value)

    def tables(self, key: str, read: Callable[[Table], T], *, least: int = 0) -> tuple[T, ...]:
        value = self._take(key) if self.has(key) or least else []
        if not isinstance(value, list) or len(value) < least or not all(isinstance(v, dict) for v in value):
            many = f"at least {least} tables" if least else "tables"
            raise self.refuse(key, f"must be a list of {many}")
        at = f"{self._at}.{key}" if self._at else key
        return tuple(read(Table(self._file, self._text, f"{at}[{i}]", v)) for i, v in enumerate(value))

    def unique(self, key: str, names: Sequence[str]) -> None:
        twice = next((n for n in names if names.count(n) > 1), None)
        if twice is not None:
            raise self.refuse(key, f"{twice!r} stands twice")

    def _compiled(self, key: str, expression: str) -> None:
        try:
            re.compile(expression)
        except re.error as error:
            raise self.refuse(key, f"{expression!r} is not a regular expression: {error}") from error

    def _take(self, key: str) -> object:
        if not self.has(key):
            raise self.refuse(key, "is missing")
        self._left.discard(key)
        return self._content[key]


def read_table(path: Path) -> Table:
    """The whole file. BadSiteError where it is not TOML; OSError where it cannot be read."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        reason = f"not TOML: it is not UTF-8 ({error.reason} at byte {error.start})"
        raise BadSiteError(f"{path}:1: file: {reason}") from error
    try:
        content: dict[str, object] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        at = _AT_LINE.search(str(error))
        line = int(at[1]) if at is not None else text.count("\n") + 1
        raise BadSiteError(f"{path}:{line}: file: not TOML: {error}") from error
    return Table(str(path), text, "", content)
