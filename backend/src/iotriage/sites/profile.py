"""Reads a site's TOML file into a `Site`, or refuses it with the file, the key and the reason."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Sequence
from math import isfinite
from pathlib import Path
from typing import Literal, TypeVar, get_args

from iotriage.sites.site import (
    EnvironmentAdvice,
    FileSystem,
    FileSystemKind,
    ManualStriping,
    Site,
    SiteSource,
    ThresholdOverride,
)

T = TypeVar("T")

_PATTERNS = ("serial", "file-per-process", "file-per-node", "shared-independent", "shared-collective", "subfiling")
_STATUS: tuple[Literal["current", "retired", "generic"], ...] = ("current", "retired", "generic")
_KINDS: tuple[FileSystemKind, ...] = get_args(FileSystemKind)
_STRIPING: tuple[ManualStriping, ...] = get_args(ManualStriping)
_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


class BadSiteError(ValueError):
    """A profile that cannot be used. The message is "file: key: reason"."""


def load(path: Path) -> Site:
    """The profile in `path`. BadSiteError when it is not TOML, lacks a key, has one that is not known, or has a
    value of the wrong type or range; OSError when it cannot be read."""
    try:
        content: dict[str, object] = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadSiteError(f"{path}: not TOML: {error}") from error
    return _site(_Table(str(path), "", content))


class _Table:
    """One table of the file, read key by key; what nobody asked for is refused at the end."""

    def __init__(self, file: str, at: str, content: dict[str, object]) -> None:
        self._file, self._at, self._content = file, at, content
        self._left = set(content)

    def refuse(self, key: str, reason: str) -> BadSiteError:
        return BadSiteError(f"{self._file}: {self._at}{key}: {reason}")

    def end(self) -> None:
        if self._left:
            raise self.refuse(sorted(self._left)[0], "is not a key of this table")

    def text(self, key: str) -> str:
        value = self._take(key)
        if not isinstance(value, str) or not value.strip():
            raise self.refuse(key, "must be a text that is not empty")
        return value

    def word(self, key: str, words: Sequence[T], default: T | None = None) -> T:
        if default is not None and key not in self._content:
            return default
        value = self._take(key)
        found = next((w for w in words if w == value), None)
        if found is None:
            raise self.refuse(key, f"must be one of {', '.join(map(str, words))}")
        return found

    def integer(self, key: str, least: int) -> int | None:
        if key not in self._content:
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

    def texts(self, key: str, *, least: int = 0) -> tuple[str, ...]:
        value = self._take(key) if key in self._content or least else []
        if not isinstance(value, list) or len(value) < least or not all(isinstance(v, str) and v for v in value):
            raise self.refuse(key, f"must be a list of at least {least} texts" if least else "must be a list of texts")
        return tuple(value)

    def expressions(self, key: str, *, least: int = 0) -> tuple[str, ...]:
        """Regular expressions anchored at the start, as paths are matched from their start."""
        found = self.texts(key, least=least)
        for expression in found:
            try:
                re.compile(expression)
            except re.error as error:
                raise self.refuse(key, f"{expression!r} is not a regular expression: {error}") from error
            if not expression.startswith("^/") or expression == "^/":
                raise self.refuse(key, f"{expression!r} must begin with ^/ and name a directory")
        return found

    def table(self, key: str) -> _Table:
        value = self._take(key)
        if not isinstance(value, dict):
            raise self.refuse(key, "must be a table")
        return _Table(self._file, f"{self._at}{key}.", value)

    def tables(self, key: str, read: Callable[[_Table], T]) -> tuple[T, ...]:
        value = self._take(key) if key in self._content else []
        if not isinstance(value, list) or not all(isinstance(v, dict) for v in value):
            raise self.refuse(key, "must be a list of tables")
        return tuple(read(_Table(self._file, f"{self._at}{key}[{i}].", v)) for i, v in enumerate(value))

    def has(self, key: str) -> bool:
        return key in self._content

    def _take(self, key: str) -> object:
        if key not in self._content:
            raise self.refuse(key, "is missing")
        self._left.discard(key)
        return self._content[key]


def _site(t: _Table) -> Site:
    site = Site(
        id=_checked(t, "id", _ID, "must be lower-case words with hyphens"),
        title=t.text("title"),
        status=t.word("status", _STATUS),
        checked=_checked(t, "checked", _DATE, "must be a date, YYYY-MM-DD, in quotes"),
        version=t.text("version"),
        detect_paths=t.expressions("detect_paths"),
        shared_file_stripe_count=_stripe_count(t),
        notes=t.texts("notes"),
        file_systems=t.tables("file_systems", _file_system),
        thresholds=t.tables("thresholds", _override),
        environment=t.tables("environment", _environment),
    )
    t.end()
    _unique(t, "file_systems", [f.id for f in site.file_systems])
    _unique(t, "thresholds", [o.threshold for o in site.thresholds])
    return site


def _file_system(t: _Table) -> FileSystem:
    found = FileSystem(
        id=_checked(t, "id", _ID, "must be lower-case words with hyphens"),
        title=t.text("title"),
        kind=t.word("kind", _KINDS),
        mounts=t.expressions("mounts", least=1),
        osts=t.integer("osts", 1),
        default_stripe_count=t.integer("default_stripe_count", 1),
        default_stripe_size_bytes=t.integer("default_stripe_size_bytes", 65536),
        manual_striping=t.word("manual_striping", _STRIPING, "yes"),
        source=_source(t.table("source")) if t.has("source") else None,
    )
    if found.source is None and (found.osts or found.default_stripe_count or found.default_stripe_size_bytes):
        raise t.refuse("source", "is missing, and there are figures")
    t.end()
    return found


def _override(t: _Table) -> ThresholdOverride:
    found = ThresholdOverride(t.text("threshold"), t.number("value"), _source(t.table("source")), t.text("why"))
    t.end()
    return found


def _environment(t: _Table) -> EnvironmentAdvice:
    found = EnvironmentAdvice(
        t.word("pattern", _PATTERNS), t.text("text"), t.texts("lines", least=1), _source(t.table("source"))
    )
    t.end()
    return found


def _source(t: _Table) -> SiteSource:
    found = SiteSource(t.text("document"), t.text("section"), t.text("says"))
    t.end()
    return found


def _checked(t: _Table, key: str, shape: re.Pattern[str], reason: str) -> str:
    value = t.text(key)
    if not shape.fullmatch(value):
        raise t.refuse(key, reason)
    return value


def _stripe_count(t: _Table) -> int | None:
    count = t.integer("shared_file_stripe_count", -1)
    if count == 0:
        raise t.refuse("shared_file_stripe_count", "must be −1 for all OSTs, or at least 1")
    return count


def _unique(t: _Table, key: str, names: Sequence[str]) -> None:
    twice = next((n for n in names if names.count(n) > 1), None)
    if twice is not None:
        raise t.refuse(key, f"{twice!r} stands twice")
