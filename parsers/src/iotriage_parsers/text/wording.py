"""Counts and quoted text, as readers put them into their messages."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from iotriage_parsers.evidence import BenchmarkRates, Part
from iotriage_parsers.evidence.benchmark_rates import RatesTool


def plural(count: int, one: str, many: str | None = None) -> str:
    """A count with its noun: "1 block", "1,200 blocks"."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


LONGEST_SHOWN: Final = 80
"""Number of characters of the source that a message quotes at most."""


def short(text: str) -> str:
    """The text, or its beginning where it is long."""
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 3]}…"


def rates_of(parts: Iterable[Part], tool: RatesTool) -> list[BenchmarkRates]:
    """The rates of this benchmark that a text has."""
    return [part for part in parts if isinstance(part, BenchmarkRates) and part.tool == tool]


def phases_phrase(title: str, runs: Iterable[BenchmarkRates], one: str) -> str | None:
    """`runs` by number and phases, under a title: "fio: 2 runs (write, read)"; None for none."""
    counted = list(runs)
    phases = ", ".join(dict.fromkeys(rate.phase for run in counted for rate in run.rates))
    named = f" ({phases})" if phases else ""
    return f"{title}: {plural(len(counted), one)}{named}" if counted else None
