"""The lines of one component, and what they say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from iotriage_parsers.evidence import Problem, StripeComponent, StripeField
from iotriage_parsers.text.numbers import count
from iotriage_parsers.text.wording import short

_SIZE: Final = re.compile(r"(\d{1,18})([kKMGTPE])")
_UNITS: Final = "KMGTPE"
_PATTERNS: Final = {"1": "raid0", "100": "mdt", "0": None}
"""As Lustre before 2.10 prints them, in hexadecimal: LOV_PATTERN_RAID0, LOV_PATTERN_MDT, none chosen."""
_ALL_OR_ANY: Final = ("-1", "65535", "4294967295")
"""As a stripe count or offset is printed that is none: LOV_ALL_STRIPES and LOV_OFFSET_DEFAULT are −1 in 16 bits, which
some versions print without a sign."""
_NUMBERS: Final = ("stripe_count", "stripe_size", "extension_size", "stripe_offset", "extent.e_start", "extent.e_end")
_EXTENT: Final = ("extent.e_start", "extent.e_end")
_SIZES: Final = ("stripe_size", "extension_size", *_EXTENT)
_LEAST_SIZE: Final = 1 << 16
"""LOV_MIN_STRIPE_SIZE in lustre_user.h: what stripes and components are multiples of. A figure that is none lacks its
last digits or its unit, as where lines are cut at a column."""


@dataclass(slots=True)
class ComponentLines:
    """`default` is true where the figures stand on one line, as for what new files of a directory get."""

    line: int
    composite: bool
    fields: dict[str, StripeField] = field(default_factory=dict)
    figures: dict[str, int] = field(default_factory=dict)
    osts: list[int] = field(default_factory=list)
    torn: list[int] = field(default_factory=list)
    """Lines of its table that are no row as it is printed."""
    in_table: bool = False
    default: bool = False
    widths: dict[str, int] = field(default_factory=dict)

    def add(self, label: str, text: str, line: int, width: int = 0) -> None:
        """`width` is that of the line, where the figure ends it."""
        self.fields[label] = StripeField(label, text, line)
        self.widths[label] = width
        figure = _figure(text)
        if figure is None:
            self.figures.pop(label, None)
        else:
            self.figures[label] = figure

    def has(self, label: str) -> bool:
        return label in self.fields

    @property
    def full(self) -> bool:
        """Whether nothing of it is missing. A table alone has no count, so it is never known to be cut. What the
        component before it is extended into has the size of such a step in place of its stripes'."""
        if not self.fields:
            return bool(self.osts)
        size = self.has("stripe_size") or self.has("extension_size")
        if not (self.has("stripe_count") and size and self.has("stripe_offset")):
            return False
        if self.default or not (self.in_table or "objects" in self.fields):
            return True
        stripes = self._number("stripe_count")
        return stripes is None or len(self.osts) >= stripes

    def component(self) -> StripeComponent:
        """What the lines say; a number that cannot be used is absent, and in `problems`."""
        pattern = self._pattern()
        stripes, size = self._number("stripe_count"), self._number("stripe_size")
        if stripes == 0 and pattern is None and self.default:
            stripes, size = None, size or None
        if stripes is None and self.osts and not self.torn and not self.has("stripe_count"):
            stripes = len(self.osts)
        on_mdt = pattern is not None and "mdt" in pattern.split(",")
        mirror = self._number("mirror_id")
        return StripeComponent(
            line=self.line,
            start_bytes=self._number("extent.e_start") or 0,
            end_bytes=self._number("extent.e_end"),
            stripe_count=stripes,
            over_all_osts=self._text("stripe_count") in _ALL_OR_ANY,
            stripe_size_bytes=size,
            pattern=pattern,
            pool=self._text("pool") or None,
            first_ost=None if on_mdt else self._first_ost(),
            osts=tuple(self.osts),
            component_id=self._number("id"),
            mirror_id=mirror or None,
            flags=tuple(f for f in self._text("flags").split(",") if f and f != "0"),
            fields=tuple(self.fields.values()),
        )

    @property
    def placed(self) -> bool:
        """Whether it is known which bytes of the file it has: an end that is no figure is not that of the file."""
        return not any(self._unread(label) for label in _EXTENT)

    def problems(self) -> Iterator[Problem]:
        """Numbers that are none. -1 (all, any), EOF and N/A are none on purpose."""
        for number in self.torn:
            message = f"the row on line {number} cannot be read: its object is left out"
            yield Problem("unrecognised-number", message, loses_data=True, line=number)
        for label in _NUMBERS:
            if not self._unread(label):
                continue
            found, why = self.fields[label], "unrecognised number"
            if self._is_no_size(label):
                why = "no multiple of 64 KiB, as sizes of Lustre are, so that its last digits or its unit are missing"
            elif self._is_cut(label):
                why = "cut where other lines are, so that digits may be missing"
            message = f'"{label}" is {shown(found.text)} on line {found.line}: {why}, left out'
            yield Problem("unrecognised-number", message, loses_data=True, line=found.line)

    @property
    def is_cut(self) -> bool:
        """Whether a size lacks digits."""
        return any(self._is_no_size(label) for label in _SIZES)

    def _unread(self, label: str) -> bool:
        found = self.fields.get(label)
        on_purpose = (*_ALL_OR_ANY, "EOF", "N/A")
        return found is not None and found.text not in on_purpose and self._number(label) is None

    def _text(self, label: str) -> str:
        found = self.fields.get(label)
        return "" if found is None else found.text

    def _number(self, label: str) -> int | None:
        if label in ("stripe_count", "stripe_offset") and self._text(label) in _ALL_OR_ANY:
            return None
        number = self.figures.get(label)
        return None if number is None or self._is_no_size(label) or self._is_cut(label) else number

    def _is_no_size(self, label: str) -> bool:
        return label in _SIZES and self.figures.get(label, 0) % _LEAST_SIZE != 0

    def _is_cut(self, label: str) -> bool:
        """Whether the figure ends where a size was cut, and no line goes on behind that."""
        at = [self.widths.get(size, 0) for size in _SIZES if self._is_no_size(size)]
        width = self.widths.get(label, 0)
        return bool(at) and width > 0 and width == max(self.widths.values()) and set(at) == {width}

    def _first_ost(self) -> int | None:
        if self.has("stripe_offset"):
            return self._number("stripe_offset")
        return self.osts[0] if self.osts else None

    def _pattern(self) -> str | None:
        text = self._text("pattern")
        return _PATTERNS.get(text, text) or None


def _figure(text: str) -> int | None:
    size = _SIZE.fullmatch(text)
    if size is not None:
        return int(size.group(1)) << 10 * (_UNITS.index(size.group(2).upper()) + 1)
    number = count(text).number if text else None
    return number if isinstance(number, int) else None


def shown(text: str | None) -> str:
    """`text` as a message names it."""
    if text is None:
        return "a file without a name"
    return f'"{short(text)}"'
