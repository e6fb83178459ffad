"""The figures of a period beside what is usual, from its trend."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from datetime import timedelta
from typing import Final

from iotriage.centre.report.answering import without_noise
from iotriage.centre.report.questions import columns
from iotriage.centre.report.section import Period, Section, Series, Trend

SHOWN: Final = (
    "jobs", "written", "read", "files", "hours", "io-hours", "io-share", "lost", "unexplained", "collective", "high",
)  # fmt: skip
_ADDED_UP: Final = ("count", "B", "process-hours")
_GIB: Final = 2**30


def totals(trend: Trend, period: Period, jobs: int) -> Section:
    """`jobs` are those of the whole period. Bytes in GiB and shares in per cent, for the figures of a column have one
    unit."""
    return Section(
        "totals",
        "totals",
        "Totals",
        "The period and its median day, beside the median of the days with logs among the 7 and the 28 before it; "
        "last, the median day over that of 28 days.",
        (
            *columns(what="words", in_all="count", a_day="count"),
            *columns(empty="no_days", median_of_7_days="count", median_of_28_days="count"),
            *columns(empty="no_ratio", against_28_days="ratio"),
        ),
        tuple(_row(series, trend, period, jobs) for series in trend.series if series.id in SHOWN),
    )


def _row(series: Series, trend: Trend, period: Period, jobs: int) -> tuple[str | float | None, ...]:
    name, unit = _named(series)
    by_day = dict(zip(trend.days, series.values, strict=True))
    week = _median(by_day[day] for day in trend.days if period.first - timedelta(days=7) <= day < period.first)
    days = [by_day[day] for day in trend.days if period.first <= day <= period.last]
    day = _median(days)
    known = [value for value in days if value is not None]
    added = sum(known) if series.unit in _ADDED_UP and known else day if len(days) == 1 else None
    if series.id == "jobs" and len(days) > 1:
        # A job of several days would count for each.
        added = jobs if known else None
    change = without_noise(day / series.usual) if day is not None and series.usual else None
    return (name, *(None if v is None else without_noise(v / unit) for v in (added, day, week, series.usual)), change)


def _named(series: Series) -> tuple[str, float]:
    match series.unit:
        case "B":
            return f"GiB {series.title.lower()}", _GIB
        case "share":
            return f"{series.title}, %", 0.01
        case _:
            return series.title, 1


def _median(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return statistics.median(known) if known else None
