"""Records of one kind as they come, a list of counter names and values each, into columns."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from iotriage_parsers.evidence import NOT_AVAILABLE, Problem
from iotriage_parsers.frozen import frozen
from iotriage_parsers.readers.darshan_log.records import Rows

MOST_INCOMPLETE: Final = 100_000
"""Records that lack counters: each line of a hostile text could begin one, at 20 times its size in memory."""
_MOST_LAYOUTS: Final = 1_000
_SIGNED: Final = 2**63
_UNSIGNED: Final = 2**64


@frozen
class Shape:
    """The counters of a kind of record. `aliases` are names that older tools print, `optional` those that they do not
    print at all; `defaults` are what then stands for them, where that is not −1. A record whose counter `foreign` is
    above 0 belongs to another kind. `any_value` are record ids, which use all 64 bits; `file_id` is the row that names
    the record of the file, for kinds that belong to one."""

    module: str
    int_names: tuple[str, ...]
    float_names: tuple[str, ...]
    aliases: Mapping[str, str]
    optional: frozenset[str] = frozenset()
    defaults: Mapping[str, int] | None = None
    foreign: str | None = None
    any_value: frozenset[str] = frozenset()
    file_id: str | None = None


@frozen
class _Layout:
    """Where in a record's values each column is. `missing` and `unknown` are counter names."""

    ints: tuple[tuple[int, int], ...]
    floats: tuple[tuple[int, int], ...]
    foreign: int | None
    file_id: int | None
    missing: tuple[str, ...]
    unknown: tuple[str, ...]


class Columns:
    """Collects records; `rows` gives them all."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self._int_at = {name: i for i, name in enumerate(shape.int_names)}
        self._float_at = {name: i for i, name in enumerate(shape.float_names)}
        self._any_value = frozenset(self._int_at[name] for name in shape.any_value)
        defaults = shape.defaults or {}
        self._ints_of_none = [defaults.get(name, NOT_AVAILABLE) for name in shape.int_names]
        self._floats_of_none = [float(NOT_AVAILABLE)] * len(shape.float_names)
        self._layouts: dict[tuple[bytes, ...], _Layout] = {}
        self._ids, self._ranks, self._file_ids = array("Q"), array("q"), array("Q")
        self._ints, self._floats = array("q"), array("d")
        self._unknown: dict[str, None] = {}
        self._bad_values = 0
        self._first_bad = ""
        self._incomplete = 0
        self._first_missing = ""
        self._over = 0

    def __len__(self) -> int:
        return len(self._ids)

    def add(self, record: int, rank: int, names: Sequence[bytes], values: Sequence[bytes]) -> None:
        """One record. A value that is no number is not available, and counted."""
        key = tuple(names)
        layout = self._layouts.get(key)
        if layout is None:
            layout = self._layout(key)
            if len(self._layouts) < _MOST_LAYOUTS:
                self._layouts[key] = layout
        if layout.foreign is not None and self._value(values[layout.foreign], "") > 0:
            return
        if layout.missing:
            self._incomplete += 1
            self._first_missing = self._first_missing or layout.missing[0]
            if self._incomplete > MOST_INCOMPLETE:
                self._over += 1
                return
        for name in layout.unknown:
            self._unknown.setdefault(name)
        ints, floats = self._ints_of_none.copy(), self._floats_of_none.copy()
        try:
            for at, to in layout.ints:
                ints[to] = int(values[at])
            for at, to in layout.floats:
                floats[to] = float(values[at])
            self._ints.extend(ints)
        except (ValueError, OverflowError):
            self._carefully(layout, values, ints, floats)
            del self._ints[len(self._ids) * len(ints) :]
            self._ints.extend(ints)
        self._floats.extend(floats)
        if self.shape.file_id is not None:
            file = 0 if layout.file_id is None else self._value(values[layout.file_id], self.shape.file_id)
            self._file_ids.append(file if 0 <= file < _UNSIGNED else 0)
        self._ids.append(record)
        self._ranks.append(rank)

    def rows(self) -> Rows:
        """All records in the order of the text."""
        count = len(self._ids)
        return Rows(
            np.array(self._ids, np.uint64),
            np.array(self._ranks, np.int64),
            np.array(self._ints, np.int64).reshape(count, len(self.shape.int_names)),
            np.array(self._floats, np.float64).reshape(count, len(self.shape.float_names)),
            np.array(self._file_ids, np.uint64) if self.shape.file_id is not None else None,
        )

    def problems(self, *, cut: bool) -> tuple[Problem, ...]:
        """What was wrong with the records. `cut` says that the text ends inside one of them."""
        module = self.shape.module
        found: list[Problem] = []
        if self._incomplete:
            more = f"; {self._over} of them were not read" if self._over else ""
            lack = "record lacks" if self._incomplete == 1 else "records lack"
            found.append(
                Problem(
                    "truncated" if cut and self._incomplete == 1 else "damaged",
                    f"{module}: {self._incomplete} {lack} counters that darshan-parser prints (first: "
                    f"{self._first_missing}){more}; they are not available, and totals are lower bounds.",
                    loses_data=True,
                    where=module,
                )
            )
        if self._bad_values:
            found.append(
                Problem(
                    "unrecognised-number",
                    f"{module}: {self._bad_values} values are not numbers ({self._first_bad}); they are left out.",
                    loses_data=True,
                    where=module,
                )
            )
        if self._unknown:
            found.append(
                Problem(
                    "unknown-field",
                    f"{module}: counters that are not known here are left out: {', '.join(list(self._unknown)[:5])}.",
                    where=module,
                )
            )
        return tuple(found)

    def _layout(self, key: tuple[bytes, ...]) -> _Layout:
        ints: dict[int, int] = {}
        floats: dict[int, int] = {}
        unknown: list[str] = []
        foreign: int | None = None
        file_id: int | None = None
        for at, raw in enumerate(key):
            decoded = raw.decode("ascii", "replace")
            name = self.shape.aliases.get(decoded, decoded)
            if decoded == self.shape.foreign:
                foreign = at
            if decoded == self.shape.file_id:
                file_id = at
            elif name in self._int_at:
                ints[self._int_at[name]] = at
            elif name in self._float_at:
                floats[self._float_at[name]] = at
            elif decoded not in self.shape.optional and len(unknown) < 5:
                unknown.append(decoded)
        wanted = [n for n, i in self._int_at.items() if i not in ints]
        wanted += [n for n, i in self._float_at.items() if i not in floats]
        return _Layout(
            ints=tuple((at, to) for to, at in ints.items()),
            floats=tuple((at, to) for to, at in floats.items()),
            foreign=foreign,
            file_id=file_id,
            missing=tuple(name for name in wanted if name not in self.shape.optional),
            unknown=tuple(unknown),
        )

    def _carefully(self, layout: _Layout, values: Sequence[bytes], ints: list[int], floats: list[float]) -> None:
        for at, to in layout.ints:
            number = self._value(values[at], self.shape.int_names[to])
            if to in self._any_value and _SIGNED <= number < _UNSIGNED:
                number -= _UNSIGNED
            if not -_SIGNED <= number < _SIGNED:
                self._bad(values[at], self.shape.int_names[to])
                number = NOT_AVAILABLE
            ints[to] = number
        for at, to in layout.floats:
            try:
                floats[to] = float(values[at])
            except ValueError:
                self._bad(values[at], self.shape.float_names[to])
                floats[to] = np.nan

    def _value(self, text: bytes, name: str) -> int:
        try:
            return int(text)
        except ValueError:
            self._bad(text, name)
            return NOT_AVAILABLE

    def _bad(self, text: bytes, name: str) -> None:
        self._bad_values += 1
        self._first_bad = self._first_bad or f"first: {name} {text[:40].decode('utf-8', 'replace')!r}"
