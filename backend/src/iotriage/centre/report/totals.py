"""The figures of a period beside what is usual, from its trend."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from datetime import timedelta
from typing import Final

from iotriage.centre.report.answering import without_noise
from iotriage.centre.report.questions import columns
from iotriage.centre.report.section import Column, Period, PeriodKind, Section, Series, Trend
from iotriage_parsers.frozen import frozen

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


@frozen
class Went:
    """How a period went, and how many jobs it had in all."""

    period: Period
    trend: Trend
    jobs: int

    @property
    def days_with_logs(self) -> int:
        jobs = next((series.values for series in self.trend.series if series.id == "jobs"), ())
        by_day = zip(self.trend.days, jobs, strict=True)
        return sum(value is not None and self.period.first <= day <= self.period.last for day, value in by_day)


def beside_period_before(now: Went, before: Went) -> Section:
    """The same figures of the period before, where it has logs. How many days of each have some stands in the note: a
    sum of fewer days is less."""
    kind = now.period.kind
    as_before = {series.id: series for series in before.trend.series}
    rows = tuple(
        _row_beside(series, _figures(series, now), _figures(as_before[series.id], before))
        for series in now.trend.series
        if series.id in SHOWN and series.id in as_before
    )
    of_each = (f"of {w.days_with_logs} of the {w.period.days} days of {w.period.said}" for w in (now, before))
    return Section(
        "period-before",
        "totals",
        f"Beside the {kind} before",
        f"Logs are {' and '.join(of_each)}: sums are of these days. Last, the median day over that of the {kind} "
        "before.",
        (
            Column("what", "text"),
            *(Column(title, "count", empty="no_days") for title in _titles(kind)),
            Column("against that day", "ratio", empty="no_ratio"),
        ),
        rows if before.days_with_logs else (),
        none=f"The warehouse has no such logs of {before.period.said}.",
    )


def _titles(kind: PeriodKind) -> tuple[str, ...]:
    return (f"in the {kind}", f"in the {kind} before", "on its median day", f"on that of the {kind} before")


def _row_beside(
    series: Series, now: tuple[float | None, float | None], before: tuple[float | None, float | None]
) -> tuple[str | float | None, ...]:
    name, unit = _named(series)
    shown = (now[0], before[0], now[1], before[1])
    return (name, *(_in_unit(value, unit) for value in shown), _over(now[1], before[1]))


def _row(series: Series, trend: Trend, period: Period, jobs: int) -> tuple[str | float | None, ...]:
    name, unit = _named(series)
    by_day = dict(zip(trend.days, series.values, strict=True))
    week = _median(by_day[day] for day in trend.days if period.first - timedelta(days=7) <= day < period.first)
    added, day = _figures(series, Went(period, trend, jobs))
    return (name, *(_in_unit(v, unit) for v in (added, day, week, series.usual)), _over(day, series.usual))


def _figures(series: Series, went: Went) -> tuple[float | None, float | None]:
    """What it is in all, where it is something that adds up, and on the median day."""
    period = went.period
    days = [v for day, v in zip(went.trend.days, series.values, strict=True) if period.first <= day <= period.last]
    day = _median(days)
    known = [value for value in days if value is not None]
    added = sum(known) if series.unit in _ADDED_UP and known else day if len(days) == 1 else None
    if series.id == "jobs" and len(days) > 1:
        # A job of several days would count for each.
        added = went.jobs if known else None
    return added, day


def _in_unit(value: float | None, unit: float) -> float | None:
    return None if value is None else without_noise(value / unit)


def _over(value: float | None, other: float | None) -> float | None:
    return without_noise(value / other) if value is not None and other else None


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
