"""Evidence that every program can take on: whole numbers of 64 bits, numbers with an end, texts of Unicode characters.

A text can state any number of digits, and JSON half a character (`"\\ud800"`): neither a database nor another program
holds that. Darshan's own logs need no such look: their numbers have 64 bits, and their bytes are decoded as UTF-8.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, is_dataclass, replace
from functools import cache
from operator import attrgetter, is_
from types import NoneType
from typing import Final, get_args, get_type_hints

from iotriage_parsers.evidence.evidence import Evidence
from iotriage_parsers.evidence.problem import Problem
from iotriage_parsers.frozen import frozen

_SMALLEST, _LARGEST = -(2**63), 2**64 - 1


class _Gone:
    """Stands for a value that no program could hold."""


_GONE: Final = _Gone()


def representable(evidence: Evidence) -> Evidence:
    """The evidence itself where all of it is; else what is, with a problem that says so. A figure that is not is None
    where it may be absent, and where it may not be, what it belongs to is left out. Half a character is \\uNNNN."""
    if _is_representable((evidence.parts, evidence.problems)):
        return evidence
    seen = _Seen()
    parts = _cleaned(evidence.parts, seen)
    problems = _cleaned(evidence.problems, seen)
    assert isinstance(parts, tuple)
    assert isinstance(problems, tuple)
    return replace(evidence, parts=parts, problems=(*problems, *seen.problems()))


def _is_representable(values: tuple[object, ...]) -> bool:
    """Whether nothing has to change, as for almost all there is: without a call for each of a million figures."""
    waiting = [values]
    while waiting:
        for value in waiting.pop():
            kind: type = type(value)
            if value is None or kind is bool:
                continue
            if isinstance(value, str):
                if not value.isascii() and not _is_unicode(value):
                    return False
            elif isinstance(value, int):
                if not _SMALLEST <= value <= _LARGEST:
                    return False
            elif isinstance(value, float):
                if not math.isfinite(value):
                    return False
            elif isinstance(value, tuple):
                waiting.append(value)
            elif (columns := _columns_of(kind)) is not None:
                waiting.append(columns.of(value))
    return True


@dataclass(slots=True)
class _Seen:
    """How much was found that is not representable."""

    numbers: int = 0
    texts: int = 0

    def problems(self) -> tuple[Problem, ...]:
        numbers = f"{self.numbers:,} numbers have no end or are beyond 64 bits; they are left out."
        texts = f"{self.texts:,} texts have half characters, which are written as \\uNNNN."
        lost = (Problem("out-of-range", numbers, loses_data=True),) if self.numbers else ()
        return (*lost, Problem("encoding", texts)) if self.texts else lost


def _cleaned(value: object, seen: _Seen) -> object:
    """The value itself where nothing in it had to change; _GONE where nothing of it is left."""
    if isinstance(value, str):
        return value if value.isascii() else _text(value, seen)
    if isinstance(value, int | float):
        if _SMALLEST <= value <= _LARGEST if isinstance(value, int) else math.isfinite(value):
            return value
        seen.numbers += 1
        return _GONE
    if isinstance(value, tuple):
        return _items(value, seen)
    if is_dataclass(value) and not isinstance(value, type):
        return _record(value, seen)
    return value


def _is_unicode(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _text(value: str, seen: _Seen) -> str:
    if _is_unicode(value):
        return value
    seen.texts += 1
    return value.encode("utf-8", "backslashreplace").decode()


def _items(value: tuple[object, ...], seen: _Seen) -> object:
    cleaned = [_cleaned(item, seen) for item in value]
    if all(map(is_, cleaned, value)):
        return value
    left = tuple(item for item in cleaned if item is not _GONE)
    # Of several figures each has its place; of several records each stands for itself.
    return left if len(left) == len(value) or all(map(is_dataclass, value)) else _GONE


def _record(value: object, seen: _Seen) -> object:
    kind: type = type(value)
    columns = _columns(kind)
    held = columns.of(value)
    kept = [_cleaned(item, seen) for item in held]
    if all(map(is_, kept, held)):
        return value
    filled = [None if k is _GONE and absent else k for k, absent in zip(kept, columns.may_be_absent, strict=True)]
    if any(item is _GONE for item in filled):
        return _GONE
    made: object = kind(**dict(zip(columns.names, filled, strict=True)))
    return made


@frozen
class _Columns:
    names: tuple[str, ...]
    may_be_absent: tuple[bool, ...]
    of: Callable[[object], tuple[object, ...]]


@cache
def _columns_of(kind: type) -> _Columns | None:
    return _columns(kind) if is_dataclass(kind) else None


@cache
def _columns(record: type) -> _Columns:
    annotations = get_type_hints(record)
    names = tuple(annotations)
    get = attrgetter(*names)
    optional = tuple(NoneType in get_args(annotation) for annotation in annotations.values())
    return _Columns(names, optional, get if len(names) > 1 else lambda value: (get(value),))
