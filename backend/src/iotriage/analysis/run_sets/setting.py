"""A setting of a run, and when two are not the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from iotriage.metrics.core.metric import Confidence
from iotriage_parsers.frozen import frozen

SettingKind = Literal[
    "hint",
    "environment",
    "striping",
    "placement",
    "library",
    "calls",
    "argument",
    "program",
    "processes",
    "work",
    "instrumentation",
]
"""`calls` is how the program does its I/O, as the counters show it; `work` how much it moves; `instrumentation` is
what only makes the run say more of itself; `placement` where the files are."""

Origin = Literal["command line", "script"]
"""Sources that have a setting or show that it was left alone."""

TWICE = 2.0
"""Average sizes and numbers of files that differ by less than this factor are called alike."""
QUARTER = 0.25
"""Shares of the accesses that lie nearer than this are called alike: a header and a last piece are not how a file is
written."""


@frozen
class Setting:
    """`value` is in words, as a person would write it. `size` is the figure behind it where it is not chosen but
    counted: two such differ from a factor of two on, and of a figure that grows with the ranks or the bytes of the run
    only where `each`, what falls to one of these, does so too. `share` is the figure where it is a part of the whole.
    `least` is set where a log that lacks records has only the least of it. `origin` is None where a source that lacks
    it proves nothing."""

    kind: SettingKind
    name: str
    value: str
    confidence: Confidence = "measured"
    size: float | None = None
    each: float | None = None
    share: float | None = None
    least: bool = False
    origin: Origin | None = None

    @property
    def key(self) -> tuple[SettingKind, str]:
        return self.kind, self.name

    @property
    def counted(self) -> bool:
        """Whether it is not chosen but read off the counters."""
        return self.size is not None or self.share is not None


def differ(one: Setting | None, other: Setting | None, factor: float = TWICE) -> bool:
    """Whether both are known, and are not the same, figures where one is `factor` times the other: what one run has at
    least may be as much as the other has, unless it is more already."""
    if one is None or other is None:
        return False
    if one.share is not None and other.share is not None:
        return abs(one.share - other.share) >= QUARTER
    if one.size is None or other.size is None:
        return one.value != other.value
    if one.least or other.least:
        return _is_surely_more(one, other, factor) or _is_surely_more(other, one, factor)
    each = one.each is None or other.each is None or _far_apart(one.each, other.each, factor)
    return each and _far_apart(one.size, other.size, factor)


def _is_surely_more(one: Setting, other: Setting, factor: float) -> bool:
    more = (one.size or 0.0) > (other.size or 0.0) and not other.least
    return more and _far_apart(one.size or 0.0, other.size or 0.0, factor)


def _far_apart(one: float, other: float, factor: float) -> bool:
    low, high = sorted((one, other))
    return high > 0 and (low == 0 or high / low >= factor)


def union_of_keys(runs: Iterable[Mapping[tuple[SettingKind, str], Setting]]) -> tuple[tuple[SettingKind, str], ...]:
    """Every setting that any of the runs has, in the order of the first that has it."""
    return tuple(dict.fromkeys(key for run in runs for key in run))
