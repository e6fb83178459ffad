"""Findings under a moved threshold: decided again only for the logs in which its rule then answers otherwise, from the
cached days (`iotriage.centre.judging.cached_days`); the findings of all other logs stay."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Final

import duckdb
import numpy as np
from numpy.typing import NDArray

from iotriage.centre.judging.cached_days import FIGURES, CachedDays, cached_days
from iotriage.centre.judging.conditions import TRIGGERED, Terms, metric_column
from iotriage.centre.judging.days import question_of_days
from iotriage.centre.judging.figures import Figures, figures, within_range
from iotriage.centre.judging.rules import InForce, judged_rules
from iotriage.centre.judging.settling import HIGH, LOW, MEDIUM, NONE, Judged, Scopes, cells_of, settled
from iotriage.centre.judging.verdicts import IMPACT, MOST_CLAIMS, WEIGHED_BY, fetched, weighed_by
from iotriage.centre.population import RuleSettled, SettledThreshold, Standing
from iotriage.centre.warehouse.literal import literal, parquet_scan
from iotriage.centre.warehouse.reading import count_of
from iotriage.metrics.tables.account.cells import CELLS

MOST_JUDGED: Final = 7
"""Days that one question judges, where they are not kept; `iotriage ingest` judges them all."""
LOGS_TOGETHER: Final = 100_000
"""So many logs are settled at once: what memory it takes."""

Columns = Mapping[str, NDArray[np.float64]]


def settled_under(root: Path, rule: str, threshold: str, first: date, last: date, value: float) -> SettledThreshold:
    """Raises `NotComparedError`, ValueError for a number out of the threshold's range, `BadManifestError`, and OSError
    where no judged day can be kept."""
    within_range(threshold, value)
    asked = figures(root, rule, threshold, first, last)
    cached = cached_days(root, asked.days, MOST_JUDGED)
    if not cached.findings:
        return SettledThreshold(value, 0, 0, (), cached.unjudged)
    return _Resettling(asked, cached, value).settled()


class _Resettling:
    def __init__(self, asked: Figures, kept: CachedDays, value: float) -> None:
        self._asked, self._kept, self._value = asked, kept, value
        self._connection = asked.cursor_of_scopes()
        self._rules = judged_rules()
        self._rule = next(i for i, rule in enumerate(self._rules) if rule.id == asked.rule.id)

    def settled(self) -> SettledThreshold:
        logs = self._take_logs()
        in_force = _sums_kept(self._kept.findings)
        before, after = np.zeros_like(in_force), np.zeros_like(in_force)
        led_by_another = 0
        for start in range(0, logs, LOGS_TOGETHER):
            count = min(LOGS_TOGETHER, logs - start)
            was, now = self._was(start), self._now(start)
            before += _sums(was, len(self._rules))
            after += _sums(now, len(self._rules))
            led_by_another += int(np.count_nonzero(_leaders(was, start, count) != _leaders(now, start, count)))
        moved = in_force + (after - before)
        rules = tuple(
            RuleSettled(rule.id, _standing(in_force[i]), _standing(moved[i]))
            for i, rule in enumerate(self._rules)
            if i == self._rule or not np.allclose(before[i], after[i], rtol=1e-9)
        )
        return SettledThreshold(self._value, logs, led_by_another, rules, self._kept.unjudged)

    def _take_logs(self) -> int:
        """Tables of the logs in which the rule answers otherwise, numbered by `log`, of the findings that they have,
        and of those that the rule would have."""
        now, then = self._asked.in_force("s."), self._asked.under(self._value)
        otherwise = f"({now} OR {then})" if self._asked.claims_look_at_it else f"({now} <> {then})"
        of_findings = parquet_scan(self._kept.findings)
        parts = self._asked.parts(self._value)
        columns = [f"{part} AS part{n}" for n, part in enumerate(parts)]
        columns += [f"NULL::DOUBLE AS part{n}" for n in range(len(parts), MOST_CLAIMS)]
        weighing, weighed = self._weighed(self._asked.force), self._weighed(self._asked.moved_to(self._value))
        shared = ", ".join(f"{sql} AS {name}" for name, sql in weighed.items())
        differently = [
            f"({weighing[name]} IS DISTINCT FROM {sql})" for name, sql in weighed.items() if sql != weighing[name]
        ]
        turned = "(day, key) IN (SELECT (s.day, s.key) FROM flaggable_scopes s WHERE " + otherwise + ")"
        for statement in (
            "CREATE OR REPLACE TEMP TABLE turned_logs AS SELECT row_number() OVER (ORDER BY day, key) - 1 AS log, "
            f"l.*, {shared} FROM {parquet_scan(self._kept.logs)} l WHERE {' OR '.join((turned, *differently))}",
            "CREATE OR REPLACE TEMP TABLE kept_findings AS SELECT log, f.* EXCLUDE (day, key) "
            f"FROM {of_findings} f JOIN (SELECT log, day, key FROM turned_logs) USING (day, key)",
            'CREATE OR REPLACE TEMP TABLE new_findings AS SELECT log, s."group", '
            f"{literal(self._asked.rule.id)} AS rule, {', '.join((*columns, *(f's.{c}' for c in (*IMPACT, *CELLS))))} "
            f"FROM flaggable_scopes s JOIN (SELECT log, day, key FROM turned_logs) USING (day, key) WHERE {then}",
        ):
            self._connection.execute(statement)
        return count_of(self._connection, "SELECT count(*) FROM turned_logs")

    def _weighed(self, force: InForce) -> Mapping[str, str]:
        columns = {id: metric_column("l", id, "number") for id in WEIGHED_BY}
        terms = Terms(columns, lambda threshold: force.sql(threshold, "l.site"))
        return weighed_by(question_of_days(self._rules, force), terms)

    def _was(self, start: int) -> Columns:
        outcome = ", ".join(f"{name}::DOUBLE AS {name}" for name in _OUTCOME)
        return fetched(
            self._connection,
            f"SELECT log, {_rule_index()} AS rule, {outcome} FROM kept_findings WHERE {_within(start)}",
        )

    def _now(self, start: int) -> Columns:
        found = fetched(
            self._connection,
            f"""
            SELECT log - {start} AS log, {_rule_index()} AS rule, {", ".join((*FIGURES, *CELLS))},
                CASE WHEN "group" IS NULL THEN {NONE} ELSE dense_rank() OVER (
                    PARTITION BY "group" IS NULL ORDER BY log, "group"
                ) - 1 END AS "group"
            FROM (
                SELECT log, "group", rule, {", ".join((*FIGURES, *CELLS))} FROM kept_findings
                WHERE rule <> {literal(self._asked.rule.id)}
                UNION ALL BY NAME FROM new_findings
            ) WHERE {_within(start)}
            """,
        )
        log, group, rule = (found[name].astype(np.int64) for name in ("log", "group", "rule"))
        parts = np.stack([found[f"part{n}"] for n in range(MOST_CLAIMS)], axis=1)
        verdict = np.full(len(log), TRIGGERED, dtype=np.int64)
        findings = Judged(log, group, rule, group, verdict, parts, *(found[name] for name in IMPACT))
        after = settled(findings, self._scopes(start, found, group), self._rules)
        alone = after.explained_by == NONE
        return {
            "log": found["log"] + start,
            "rule": found["rule"],
            "alone": alone.astype(np.float64),
            "severity": after.severity.astype(np.float64),
            "position": after.position.astype(np.float64),
            "takes": after.takes,
        }

    def _scopes(self, start: int, found: Columns, group: NDArray[np.int64]) -> Scopes:
        kinds = ("whole", "from_darshan", "every_second")
        shared = ("significant", "small_share", *kinds, "shortest", "runtime", *CELLS)
        logs = fetched(
            self._connection, f"SELECT {', '.join(shared)} FROM turned_logs WHERE {_within(start)} ORDER BY log"
        )
        of_group = group != NONE
        group_cells = np.full((int(group.max(initial=NONE)) + 1, len(CELLS)), np.nan)
        group_cells[group[of_group]] = cells_of(found)[of_group]
        return Scopes.of(logs, group_cells)


_OUTCOME: Final = ("alone", "severity", "position", "takes")
_SUMMED: Final = (
    "count(*)",
    "count(*) FILTER (alone)",
    *(f"count(*) FILTER (alone AND severity = {severity})" for severity in (HIGH, MEDIUM, LOW)),
    "count(*) FILTER (position = 0)",
    "coalesce(sum(takes) FILTER (NOT isnan(takes)), 0)",
)
"""What a `Standing` has, in its order."""


@lru_cache(maxsize=8)
def _sums_kept(files: tuple[Path, ...]) -> NDArray[np.float64]:
    """By rule, of all findings of the files: their names are those of what they hold."""
    found = np.zeros((len(judged_rules()), len(_SUMMED)))
    with closing(duckdb.connect()) as connection:
        query = f"SELECT {_rule_index()} AS i, {', '.join(_SUMMED)} FROM {parquet_scan(files)} GROUP BY i"
        for i, *sums in connection.execute(query).fetchall():
            found[i] = sums
    return found


def _sums(of: Columns, rules: int) -> NDArray[np.float64]:
    """What the findings of each rule sum up to: a row of `_SUMMED` columns a rule."""
    rule, alone, severity = of["rule"].astype(np.int64), of["alone"] == 1, of["severity"]
    takes = np.where(np.isnan(of["takes"]), 0.0, of["takes"])
    chosen = (*(alone & (severity == which) for which in (HIGH, MEDIUM, LOW)), of["position"] == 0)
    weights = (np.ones(len(rule)), alone, *chosen, takes)
    return np.stack([np.bincount(rule, weights=weight, minlength=rules) for weight in weights], axis=1)


def _leaders(of: Columns, start: int, count: int) -> NDArray[np.int64]:
    """The rule of each log's first finding, or NONE."""
    found = np.full(count, NONE, dtype=np.int64)
    first = of["position"] == 0
    found[of["log"][first].astype(np.int64) - start] = of["rule"][first].astype(np.int64)
    return found


def _standing(sums: NDArray[np.float64]) -> Standing:
    findings, alone, high, medium, low, leading = (round(float(n)) for n in sums[:-1])
    return Standing(findings, alone, high, medium, low, leading, max(0.0, float(sums[-1])))


def _rule_index() -> str:
    return f"list_position([{', '.join(literal(rule.id) for rule in judged_rules())}], rule) - 1"


def _within(start: int) -> str:
    return f"log >= {start} AND log < {start + LOGS_TOGETHER}"
