"""A threshold put to the centre's own jobs: how its quantity is distributed over the days, and which jobs another
number would flag."""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from datetime import date
from pathlib import Path
from typing import Final

import duckdb

from iotriage.analysis.asking import MOST_GROUPS_JUDGED
from iotriage.centre.judging.conditions import NOT_APPLICABLE, number, verdict
from iotriage.centre.judging.critical import critical, flagged, quantity_of
from iotriage.centre.judging.days import lacking, question
from iotriage.centre.judging.rules import InForce, JudgedRule, declared, in_force, judged_rules
from iotriage.centre.population import Counts, FigureBin, FlaggedLog, JobOutcome, MovedThreshold, Population, SiteValue
from iotriage.centre.warehouse.literal import literal
from iotriage.centre.warehouse.manifest import counted, days_in
from iotriage.centre.warehouse.reading import opened
from iotriage.rules.core.rule import Threshold

BINS: Final = 60
MOST_JOBS: Final = 20
KEPT: Final = 4
"""So many thresholds' figures stay in memory: a drag asks for the same ones many times."""


class NotComparedError(LookupError):
    """The rule has no such threshold, or compares it in a way that no line can show."""


def population(root: Path, rule: str, threshold: str, first: date, last: date) -> Population:
    """Raises `NotComparedError`, and `BadManifestError` where a day's files cannot be told."""
    return _kept(root, rule, threshold, first, last).population()


def moved(
    root: Path, rule: str, threshold: str, first: date, last: date, value: float, outcomes: Sequence[JobOutcome]
) -> MovedThreshold:
    """The same; ValueError for a number out of the threshold's range."""
    declares = declared().get(threshold)
    if declares is None or not declares.minimum <= value <= declares.maximum:
        raise ValueError(f"{value} is not within the range of {threshold}")
    return _kept(root, rule, threshold, first, last).moved(value, outcomes)


_LOG = '"row" AS log, day, site, uid, job_id, executable, nnodes * runtime_s / 3600 AS node_hours'


class _Figures:
    """A table of the logs that the rule flags under some number: the figure that decides of each, `critical`."""

    def __init__(
        self, root: Path, rule: JudgedRule, threshold: Threshold, days: Iterable[date], force: InForce
    ) -> None:
        quantity = quantity_of(rule, threshold.id)
        if quantity is None:
            raise NotComparedError(threshold.id)
        self._rule, self._threshold, self._quantity, self._force = rule, threshold, quantity, force
        self._connection = opened(root, days)
        asked = question(judged_rules(), force).terms(rule.scope)
        figure = critical(rule, threshold.id, quantity, asked)
        applies = f"{verdict(rule.requires, rule.condition, asked)} <> {NOT_APPLICABLE}"
        read = "(FROM logs WHERE outcome = 'read')"
        query = _OF_LOGS if rule.scope == "job" else _OF_GROUPS
        extreme = "max" if quantity.direction == "above" else "min"
        self._connection.execute(query.format(figure=figure, applies=applies, read=read, extreme=extreme, log=_LOG))
        self._logs = _one(self._connection, f"SELECT count(*) FROM {read}")
        self._lacking = lacking(self._connection, root, (rule,)).get(rule.id, ())
        self._sites = [site for (site,) in self._all("SELECT DISTINCT site FROM flaggable ORDER BY site")]

    def _all(self, query: str) -> list[tuple[object, ...]]:
        return self._connection.cursor().execute(query).fetchall()

    def population(self) -> Population:
        ends = self._all("SELECT min(critical), max(critical) FROM flaggable WHERE isfinite(critical)")[0]
        low, high = _range(ends, self._threshold)
        log = self._threshold.scale == "log"
        edges = _edges(low, high, log)
        bins = self._bins(edges, log)
        always = _one(self._connection, "SELECT count(*) FROM flaggable WHERE isinf(critical)")
        return Population(
            self._rule.id,
            self._threshold.id,
            self._quantity.metrics,
            self._quantity.direction,
            "log" if log else "linear",
            self._logs,
            sum(b.logs for b in bins),
            always,
            low,
            high,
            bins,
            tuple(SiteValue(str(s), self._force.value(self._threshold.id, str(s))) for s in self._sites),
            self._lacking,
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
        now = flagged(self._force.sql(self._threshold.id, "site"), self._quantity)
        then = flagged(number(value), self._quantity)
        nearest = f"abs(critical - {number(value)})"
        appear, drop = f"{then} AND NOT {now}", f"{now} AND NOT {then}"
        return MovedThreshold(
            value,
            self._counts(now, outcomes),
            self._counts(then, outcomes),
            _one(self._connection, f"SELECT count(*) FROM flaggable WHERE {appear}"),
            _one(self._connection, f"SELECT count(*) FROM flaggable WHERE {drop}"),
            self._nearest(appear, nearest),
            self._nearest(drop, nearest),
        )

    def _counts(self, where: str, outcomes: Sequence[JobOutcome]) -> Counts:
        helped, not_helped = (_listed(o.job_id for o in outcomes if o.helped is wanted) for wanted in (True, False))
        job = "coalesce(job_id, log)"
        found = self._all(
            f"SELECT count(*), count(DISTINCT (site, uid, {job})), count(DISTINCT (site, uid)), "
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


_OF_LOGS: Final = """
CREATE TABLE flaggable AS
SELECT * FROM (SELECT {log}, {figure} AS critical FROM {read} l) WHERE critical IS NOT NULL
"""
_OF_GROUPS: Final = f"""
CREATE TABLE flaggable AS
WITH asked AS MATERIALIZED (
    SELECT l."row", g.position, {{figure}} AS critical, {{applies}} AS applies
    FROM groups g JOIN {{read}} l USING ("row")
),
first_ones AS (
    SELECT "row", critical FROM asked WHERE position < {MOST_GROUPS_JUDGED}
    UNION ALL
    SELECT "row", critical FROM (
        SELECT *, count(*) FILTER (applies) OVER (PARTITION BY "row" ORDER BY position) AS nth
        FROM asked WHERE "row" IN (SELECT "row" FROM asked WHERE position >= {MOST_GROUPS_JUDGED})
    ) WHERE position >= {MOST_GROUPS_JUDGED} AND nth <= {MOST_GROUPS_JUDGED}
),
of_logs AS (SELECT "row", {{extreme}}(critical) AS critical FROM first_ones WHERE critical IS NOT NULL GROUP BY "row")
SELECT {{log}}, critical FROM {{read}} l JOIN of_logs USING ("row")
"""
"""A rule is asked about the first groups of a log that it applies to."""

_Key = tuple[object, ...]
_figures: OrderedDict[_Key, _Figures] = OrderedDict()
_lock: Final = threading.Lock()


def _kept(root: Path, rule_id: str, threshold_id: str, first: date, last: date) -> _Figures:
    rule = next((r for r in judged_rules() if r.id == rule_id), None)
    threshold = declared().get(threshold_id)
    if rule is None or threshold is None:
        raise NotComparedError(threshold_id)
    days, force = [day for day in days_in(root) if first <= day <= last], in_force()
    key = (rule_id, threshold_id, counted(root, days)["steps"], repr(force))
    with _lock:
        found = _figures.get(key)
        if found is None:
            found = _figures[key] = _Figures(root, rule, threshold, days, force)
        _figures.move_to_end(key)
        while len(_figures) > KEPT:
            _figures.popitem(last=False)
        return found


def _range(ends: tuple[object, ...], threshold: Threshold) -> tuple[float, float]:
    """What is drawn: the figures there are, and the threshold's own number."""
    figures = [float(e) for e in ends if isinstance(e, int | float)]
    low, high = min((*figures, threshold.default)), max((*figures, threshold.default))
    low, high = max(low, threshold.minimum), min(high, threshold.maximum)
    if threshold.scale == "log":
        low = max(low, high * 1e-15, 1e-12)
    return (low, high) if high > low else (low, low + (abs(low) or 1.0))


def _edges(low: float, high: float, log: bool) -> list[float]:
    if log:
        return [low * (high / low) ** (i / BINS) for i in range(BINS)] + [high]
    return [low + (high - low) * i / BINS for i in range(BINS)] + [high]


def _one(connection: duckdb.DuckDBPyConnection, query: str) -> int:
    found = connection.cursor().execute(query).fetchone()
    return int(found[0]) if found is not None else 0


def _listed(texts: Iterable[str]) -> str:
    return ", ".join(map(literal, texts)) or "NULL"
