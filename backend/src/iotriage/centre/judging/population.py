"""A threshold put to the centre's own jobs: how its quantity is distributed over the days, and which jobs another
number would flag."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from datetime import date
from pathlib import Path
from typing import Final

from iotriage.centre.judging.conditions import number
from iotriage.centre.judging.figures import Figures, figures, within_range
from iotriage.centre.population import Counts, FigureBin, FlaggedLog, JobOutcome, MovedThreshold, Population, SiteValue
from iotriage.centre.warehouse.literal import literal
from iotriage.centre.warehouse.reading import count_of
from iotriage.rules.core.rule import Threshold

BINS: Final = 60
MOST_JOBS: Final = 20


def population(root: Path, rule: str, threshold: str, first: date, last: date) -> Population:
    """Raises `NotComparedError`, and `BadManifestError` where a day's files cannot be determined."""
    return _ThresholdQueries(figures(root, rule, threshold, first, last)).population()


def moved(
    root: Path, rule: str, threshold: str, first: date, last: date, value: float, outcomes: Sequence[JobOutcome]
) -> MovedThreshold:
    """What the threshold flags at the number `value`. Raises what `population` does, and ValueError for a number out of
    the threshold's range."""
    within_range(threshold, value)
    return _ThresholdQueries(figures(root, rule, threshold, first, last)).moved(value, outcomes)


class _ThresholdQueries:
    """Questions to the figures of one threshold."""

    def __init__(self, figures: Figures) -> None:
        self._figures = figures
        self._connection = figures.cursor()

    def _all(self, query: str) -> list[tuple[object, ...]]:
        return self._connection.cursor().execute(query).fetchall()

    def population(self) -> Population:
        ends = self._all("SELECT min(critical), max(critical) FROM flaggable WHERE isfinite(critical)")[0]
        low, high = _range(ends, self._figures.threshold)
        log = self._figures.threshold.scale == "log"
        edges = _edges(low, high, log=log)
        bins = self._bins(edges, log)
        always = count_of(self._connection.cursor(), "SELECT count(*) FROM flaggable WHERE isinf(critical)")
        sites = [str(site) for (site,) in self._all("SELECT DISTINCT site FROM flaggable ORDER BY site")]
        in_force = self._figures.force.value
        return Population(
            rule=self._figures.rule.id,
            threshold=self._figures.threshold.id,
            metrics=self._figures.quantity.metrics,
            direction=self._figures.quantity.direction,
            scale="log" if log else "linear",
            logs=self._figures.logs,
            deciding=sum(b.logs for b in bins),
            always=always,
            low=low,
            high=high,
            bins=bins,
            values=tuple(SiteValue(site, in_force(self._figures.threshold.id, site)) for site in sites),
            lacking=self._figures.lacking,
        )

    def _bins(self, edges: Sequence[float], log: bool) -> tuple[FigureBin, ...]:
        """What lies below the first edge is in the first bin, and above the last in the last."""
        at = "ln(greatest(critical, 1e-300))" if log else "critical"
        first, width = (math.log(edges[0]), math.log(edges[1] / edges[0])) if log else (edges[0], edges[1] - edges[0])
        index = f"least({BINS - 1}, greatest(0, floor(({at} - {number(first)}) / {number(width)})))::BIGINT"
        counts = dict(
            self._connection.cursor()
            .execute(f"SELECT {index} AS bin, count(*) FROM flaggable WHERE isfinite(critical) GROUP BY bin")
            .fetchall()
        )
        return tuple(FigureBin(edges[i], edges[i + 1], int(counts.get(i, 0))) for i in range(BINS))

    def moved(self, value: float, outcomes: Sequence[JobOutcome]) -> MovedThreshold:
        now, then = self._figures.in_force(), self._figures.under(value)
        nearest = f"abs(critical - {number(value)})"
        appear, drop = f"{then} AND NOT {now}", f"{now} AND NOT {then}"
        return MovedThreshold(
            value,
            self._counts(now, outcomes),
            self._counts(then, outcomes),
            count_of(self._connection.cursor(), f"SELECT count(*) FROM flaggable WHERE {appear}"),
            count_of(self._connection.cursor(), f"SELECT count(*) FROM flaggable WHERE {drop}"),
            self._nearest(appear, nearest),
            self._nearest(drop, nearest),
        )

    def _counts(self, where: str, outcomes: Sequence[JobOutcome]) -> Counts:
        helped, not_helped = (_listed(o.job_id for o in outcomes if o.helped is wanted) for wanted in (True, False))
        job = "coalesce(job_id, log)"
        found = self._all(
            f"SELECT count(*), count(DISTINCT (place, uid, {job})), count(DISTINCT (place, uid)), "
            f"coalesce(sum(node_hours), 0), count(*) - count(node_hours), "
            f"count(DISTINCT job_id) FILTER (job_id IN ({helped})), "
            f"count(DISTINCT job_id) FILTER (job_id IN ({not_helped})) FROM flaggable WHERE {where}"
        )[0]
        logs, jobs, users, hours, without, did, did_not = (
            float(n) if isinstance(n, int | float) else 0.0 for n in found
        )
        return Counts(int(logs), int(jobs), int(users), hours, int(without), int(did), int(did_not))

    def _nearest(self, where: str, nearest: str) -> tuple[FlaggedLog, ...]:
        rows = (
            self._connection.cursor()
            .execute(
                "SELECT day, log, job_id, uid, executable, CASE WHEN isfinite(critical) THEN critical END "
                f"FROM flaggable WHERE {where} ORDER BY {nearest}, log LIMIT {MOST_JOBS}"
            )
            .fetchall()
        )
        return tuple(FlaggedLog(*row) for row in rows)


def _range(ends: tuple[object, ...], threshold: Threshold) -> tuple[float, float]:
    """What is drawn: the figures there are, and the threshold's own number."""
    figures = [float(e) for e in ends if isinstance(e, int | float)]
    low, high = min((*figures, threshold.default)), max((*figures, threshold.default))
    low, high = max(low, threshold.minimum), min(high, threshold.maximum)
    if threshold.scale == "log":
        low = max(low, high * 1e-15, 1e-12)
    return (low, high) if high > low else (low, low + (abs(low) or 1.0))


def _edges(low: float, high: float, *, log: bool) -> list[float]:
    if log:
        return [low * (high / low) ** (i / BINS) for i in range(BINS)] + [high]
    return [low + (high - low) * i / BINS for i in range(BINS)] + [high]


def _listed(texts: Iterable[str]) -> str:
    return ", ".join(map(literal, texts)) or "NULL"
