"""The rows of a block, and the figures in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

from iotriage_parsers.evidence.mpiio_stats import Direction
from iotriage_parsers.text.numbers import ONLY_FIGURES, Count, count

Kind = Literal["ranks", "seconds", "scale", "total", "ticks", "rate"]

MIB: Final = 2**20


class LayoutRow(NamedTuple):
    """A row with the direction taken out, and the ways in which it is printed for each; the first is the usual one."""

    label: str
    kind: Kind
    write: tuple[str, ...]
    read: tuple[str, ...]


def _same(label: str, kind: Kind) -> LayoutRow:
    return LayoutRow(label, kind, (label,), (label,))


LAYOUT: Final[tuple[LayoutRow, ...]] = (
    LayoutRow("active ranks", "ranks", ("number of ranks writing",), ("number of ranks reading",)),
    LayoutRow("idle ranks", "ranks", ("number of ranks not writing",), ("number of ranks not reading",)),
    _same("open/close/trunc time", "seconds"),
    _same("open/trunc time", "seconds"),
    _same("close sys time", "seconds"),
    _same("close fsync time", "seconds"),
    _same("close group-unlock time", "seconds"),
    _same("close other + wait time", "seconds"),
    LayoutRow("file access time", "seconds", ("file write time",), ("file read time",)),
    _same("time scale", "scale"),
    _same("total", "total"),
    _same("imbalance", "ticks"),
    _same("open/close/trunc", "ticks"),
    _same("open/trunc", "ticks"),
    _same("close sys", "ticks"),
    _same("close fsync", "ticks"),
    _same("close group-unlock", "ticks"),
    _same("close other + wait", "ticks"),
    _same("local compute", "ticks"),
    _same("wait for coll", "ticks"),
    _same("collective", "ticks"),
    LayoutRow("exchange", "ticks", ("exchange/write",), ("read/exchange", "exchange/read")),
    _same("data send", "ticks"),
    _same("sieve read", "ticks"),
    LayoutRow("file access", "ticks", ("file write",), ("file read",)),
    LayoutRow("data receive", "ticks", (), ("data receive",)),
    _same("other", "ticks"),
    LayoutRow("data send BW", "rate", ("data send BW (MiB/s)",), ("data send BW (MiB/s)",)),
    LayoutRow("data receive BW", "rate", (), ("data receive BW (MiB/s)",)),
    LayoutRow("raw BW", "rate", ("raw write BW (MiB/s)",), ("raw read BW (MiB/s)",)),
    LayoutRow("net BW", "rate", ("net write BW (MiB/s)",), ("net read BW (MiB/s)",)),
)
"""Every row that some version prints, in the printed order."""

ORDER: Final = tuple(row.label for row in LAYOUT)
KIND: Final[dict[str, Kind]] = {row.label: row.kind for row in LAYOUT}
KNOWN: Final[dict[Direction, dict[str, str]]] = {
    "write": {printed: row.label for row in LAYOUT for printed in row.write},
    "read": {printed: row.label for row in LAYOUT for printed in row.read},
}
EVERY_PRINTED: Final = frozenset((*KNOWN["write"], *KNOWN["read"]))

OF_2017: Final = (
    "active ranks", "idle ranks", "open/close/trunc time", "time scale", "total", "imbalance", "open/close/trunc",
    "local compute", "wait for coll", "collective", "exchange", "data send", "file access", "other", "data send BW",
    "raw BW", "net BW",
)  # fmt: skip
"""The rows of writes of all ranks that versions before 8 print, whatever the calls were."""

OF_LATER_2017: Final = "open/close/trunc time"
"""The row of these that the first of them do not print, as Theta's guide shows."""

OF_EVERY_VERSION: Final = ("time scale", "total", "net BW")
"""Version 8.1 leaves out the rows of collective calls where there was none, and those of opening and closing where they
are not those of all ranks."""

COLLECTIVE: Final[dict[Direction, frozenset[str]]] = {
    "write": frozenset(("wait for coll", "collective", "exchange", "data send", "data send BW")),
    "read": frozenset(("wait for coll", "collective", "exchange", "data receive", "data receive BW")),
}
"""Rows of which version 8.1 prints all or none."""

_OVERLAPS: Final = " (*)"
_SCALE: Final = re.compile(r"time scale: 1 = (2\*\*\S+)")
_EXPONENT: Final = re.compile(r"2\*\*([0-9]{1,2})")
_HEADER_WORDS: Final = frozenset(("min", "max", "ave", "clock", "ticks"))
_DIGITS_OF_PERCENT: Final = 3
_PERCENT: Final = re.compile(r"(?:100|[1-9]?[0-9])\s?%")
_COLUMNS: Final = 3
_OF_THREE_COLUMNS: Final[tuple[Kind, ...]] = ("ticks", "seconds")


class Printed(NamedTuple):
    """A line as `label = text`. `label` has single blanks and no footnote mark; `column` is where the `=` stands."""

    label: str
    text: str
    column: int
    has_value: bool


def printed(body: str) -> Printed:
    """`body` is a line without its `|`. The line of the time scale is also the header of the columns."""
    scale = _SCALE.match(body.strip())
    if scale is not None:
        return Printed("time scale", scale.group(1), -1, has_value=True)
    label, equals, text = body.partition("=")
    words = " ".join(label.split()).removesuffix(_OVERLAPS)
    return Printed(words, text.strip(), len(label), bool(equals and text.strip()))


def is_header(body: str) -> bool:
    """Whether the line names the columns or underlines them."""
    return all(word in _HEADER_WORDS or not word.strip("-") for word in body.split())


def begins_a_label(text: str) -> bool:
    return any(label.startswith(text) for label in EVERY_PRINTED)


def exponent(text: str) -> int | None:
    """The k of `2**k`, None for any other text."""
    match = _EXPONENT.fullmatch(text)
    return int(match.group(1)) if match else None


class Columns(NamedTuple):
    """The words of a row's columns. The percent is printed three digits wide: 100 stands without a blank before it."""

    words: tuple[str, ...]
    percent: str | None


def columns(text: str) -> Columns:
    words = re.sub(r"\s+%", "%", text).split()
    if not words or not words[-1].endswith("%"):
        return Columns(tuple(words), None)
    percent = words.pop()[:-1]
    if percent.isdecimal() and len(percent) > _DIGITS_OF_PERCENT:
        words.append(percent[:-_DIGITS_OF_PERCENT])
        percent = percent[-_DIGITS_OF_PERCENT:]
    return Columns(tuple(words), percent)


class Figures(NamedTuple):
    """What a row's columns say, one for each; empty where they are not as many as this kind of row has."""

    counts: tuple[Count, ...]
    percent: int | None = None

    def wrong(self) -> Iterator[Count]:
        return (c for c in self.counts if c.code is not None)


def figures(kind: Kind, text: str) -> Figures:
    """A row of ticks with one number has it in the column of the average, where a percent follows: else it may be that
    of the least, which a break has left alone."""
    words, percent = columns(text)
    of_average = kind == "ticks" and percent is not None and len(words) == 1
    if not of_average and len(words) != (_COLUMNS if kind in _OF_THREE_COLUMNS else 1):
        return Figures(())
    read = decimal if kind in ("seconds", "rate") else count
    return Figures(
        tuple(read(word) for word in words),
        int(percent) if percent is not None and percent.isdecimal() and percent.isascii() else None,
    )


def has_all_columns(kind: Kind, text: str) -> bool:
    """Whether a row of least, most and average has all three; True of rows of another kind."""
    return kind not in _OF_THREE_COLUMNS or len(columns(text).words) == _COLUMNS


def with_its_end(kind: Kind, text: str, rest: str) -> str | None:
    """The row's text with `rest`, which stands alone on the line below it; None where that is not what the row lacks.
    A figure that was broken itself makes one column too many, but for the percent, which is the last."""
    words, percent = columns(text)
    if kind not in _OF_THREE_COLUMNS or percent is not None:
        return None
    if kind == "ticks" and len(words) == _COLUMNS:
        return f"{text} {rest}" if _PERCENT.fullmatch(rest) else None
    if kind == "ticks" and len(words) > _COLUMNS:
        whole = f"{words[-1]}{rest}"
        return f"{text.removesuffix(words[-1])}{whole}" if _PERCENT.fullmatch(whole) else None
    joined = f"{text} {rest}"
    return joined if ONLY_FIGURES.fullmatch(rest) and has_all_columns(kind, joined) else None


def decimal(text: str) -> Count:
    """A number of 0 or more with or without a fraction."""
    read = count(text)
    return Count(read.number) if read.code == "note" else read
