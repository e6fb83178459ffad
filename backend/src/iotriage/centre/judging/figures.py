"""The figures that decide whether a rule flags a log, for one threshold over some days: tables in memory, asked many
times while the threshold is dragged."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Final

import duckdb

from iotriage.analysis.evaluation import MOST_GROUPS_JUDGED
from iotriage.centre.judging.cached_days import KEY
from iotriage.centre.judging.conditions import (
    NOT_APPLICABLE,
    MetricColumn,
    Terms,
    claimed,
    number,
    verdict,
    verdict_parts,
)
from iotriage.centre.judging.critical import critical, flagged, quantity_of
from iotriage.centre.judging.days import days_without_columns, question_of_days
from iotriage.centre.judging.rules import InForce, JudgedRule, declared, in_force, judged_rules
from iotriage.centre.judging.verdicts import IMPACT
from iotriage.centre.warehouse.literal import literal
from iotriage.centre.warehouse.manifest import counted, days_in
from iotriage.centre.warehouse.misdated import counted_earlier
from iotriage.centre.warehouse.placing import placed
from iotriage.centre.warehouse.reading import READ_LOGS, count_of, opened
from iotriage.metrics.tables.account.cells import CELLS
from iotriage.rules.core.claim import metrics_of_claim
from iotriage.rules.core.condition import Compare, leaves_of
from iotriage.rules.core.rule import Threshold

KEPT: Final = 4
"""So many thresholds' figures stay in memory."""


class NotComparedError(LookupError):
    """The rule has no such threshold, or compares it in a way that no line can show."""


_LOG: Final = '"row" AS log, day, site, place, uid, job_id, executable, nnodes * runtime_s / 3600 AS node_hours'


class Figures:
    """A table of the logs that the rule flags under some number: the figure that decides of each, `critical`."""

    def __init__(
        self, root: Path, rule: JudgedRule, threshold: Threshold, days: Iterable[date], force: InForce
    ) -> None:
        quantity = quantity_of(rule, threshold.id)
        if quantity is None:
            raise NotComparedError(threshold.id)
        self.rule, self.threshold, self.quantity, self.force = rule, threshold, quantity, force
        self.days = tuple(days)
        asked = question_of_days((rule,), force)
        self._connection = opened(root, self.days, asked.metrics_read)
        self._making = threading.Lock()
        self._has_scopes = False
        self._terms = asked.terms(rule.scope)
        self._critical = critical(rule, threshold.id, quantity, self._terms)
        query = _LOGS if rule.scope == "job" else _LOGS_OF_GROUPS
        extreme = "max" if quantity.direction == "above" else "min"
        self._connection.execute(query.format(**self._written(), extreme=extreme, log=_LOG))
        self.logs = count_of(self._connection, f"SELECT count(*) FROM {READ_LOGS}")
        self.lacking = days_without_columns(self._connection, root, (rule,)).get(rule.id, ())

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """A cursor of the connection that has the table `flaggable`."""
        return self._connection.cursor()

    def cursor_of_scopes(self) -> duckdb.DuckDBPyConnection:
        """With the table `flaggable_scopes` too: the job, or the groups of files, that a finding would be of, with all
        that the rule says about it."""
        with self._making:
            if not self._has_scopes:
                query = _SCOPES if self.rule.scope == "job" else _SCOPES_OF_GROUPS
                self._connection.execute(query.format(**self._written(), carried=self._carried()))
                self._has_scopes = True
        return self.cursor()

    def in_force(self, of: str = "") -> str:
        """Whether the rule flags a row of one of the tables by the number in force, as SQL."""
        return flagged(self.force.sql(self.threshold.id, f"{of}site"), self.quantity)

    def under(self, value: float) -> str:
        return flagged(number(value), self.quantity)

    def moved_to(self, value: float) -> InForce:
        return self.force.moved({self.threshold.id: value})

    def parts(self, value: float) -> list[str]:
        """What each claim of the rule asks for where the threshold is `value`, of a row `s` of `flaggable_scopes`."""
        force = self.moved_to(value)
        looked_at = self._looked_at().items()
        columns = {id: replace(of, value=f's."{id}"', lower=f's."{id} is lower"') for id, of in looked_at}
        terms = Terms(columns, lambda id: force.sql(id, "s.site"))
        return [claimed(claim, terms, lambda cell: f"s.{cell}") for claim in self.rule.claims]

    @property
    def claims_look_at_it(self) -> bool:
        """Whether the seconds of a finding depend on the threshold too."""
        leaves = (leaf for claim in self.rule.claims for leaf in leaves_of(claim.when))
        return any(isinstance(leaf, Compare) and leaf.threshold == self.threshold.id for leaf in leaves)

    def _looked_at(self) -> Mapping[str, MetricColumn]:
        wanted = frozenset[str]().union(*map(metrics_of_claim, self.rule.claims))
        return {id: of for id, of in self._terms.metrics.items() if id in wanted}

    def _carried(self) -> str:
        table = "l" if self.rule.scope == "job" else "g"
        impact = f"{table}.savings[{literal(self.rule.id)}]"
        columns = [f'{of.value} AS "{id}", {of.lower} AS "{id} is lower"' for id, of in self._looked_at().items()]
        columns += [f"{table}.cells.{cell} AS {cell}" for cell in CELLS]
        columns += [f"{impact}.{name} AS {name}" for name in IMPACT]
        return ", ".join(columns)

    def _written(self) -> Mapping[str, str]:
        said = verdict_parts(self.rule.requires, self.rule.condition, self._terms)
        applies = f"{verdict(said)} <> {NOT_APPLICABLE}"
        which = '"row"' if self.rule.scope == "job" else '("row", scope)'
        failed = f"(SELECT {which} FROM findings WHERE verdict = 'error' AND rule = {literal(self.rule.id)})"
        key = KEY.replace('"row"', 'l."row"')
        read = {"read": READ_LOGS, "placed": placed(READ_LOGS, READ_LOGS)}
        return {**read, "figure": self._critical, "applies": applies, "key": key, "failed": failed}


_LOGS: Final = """
CREATE TABLE flaggable AS
SELECT * FROM (SELECT {log}, {figure} AS critical FROM {placed} l WHERE "row" NOT IN {failed})
WHERE critical IS NOT NULL
"""
_FIRST_GROUPS: Final = f"""
CREATE TABLE first_ones AS
WITH asked AS MATERIALIZED (
    SELECT l."row", g.position, {{figure}} AS critical, {{applies}} AS applies
    FROM groups g JOIN {{read}} l USING ("row") WHERE (g."row", g.id) NOT IN {{failed}}
)
SELECT "row", position, critical FROM asked WHERE position < {MOST_GROUPS_JUDGED} AND critical IS NOT NULL
UNION ALL
SELECT "row", position, critical FROM (
    SELECT *, count(*) FILTER (applies) OVER (PARTITION BY "row" ORDER BY position) AS nth
    FROM asked WHERE "row" IN (SELECT "row" FROM asked WHERE position >= {MOST_GROUPS_JUDGED})
) WHERE position >= {MOST_GROUPS_JUDGED} AND nth <= {MOST_GROUPS_JUDGED} AND critical IS NOT NULL
"""
"""A rule is asked about the first groups of a log that it applies to."""

_LOGS_OF_GROUPS: Final = f"""
{_FIRST_GROUPS};
CREATE TABLE flaggable AS
WITH of_logs AS (SELECT "row", {{extreme}}(critical) AS critical FROM first_ones GROUP BY "row")
SELECT {{log}}, critical FROM {{placed}} l JOIN of_logs USING ("row")
"""
_SCOPES: Final = """
CREATE TABLE flaggable_scopes AS
SELECT l.day, {key} AS key, NULL::VARCHAR AS "group", l.site, f.critical, {carried}
FROM {read} l JOIN (SELECT log AS "row", critical FROM flaggable) f USING ("row")
"""
_SCOPES_OF_GROUPS: Final = """
CREATE TABLE flaggable_scopes AS
SELECT l.day, {key} AS key, g.id AS "group", l.site, f.critical, {carried}
FROM first_ones f JOIN groups g USING ("row", position) JOIN {read} l USING ("row")
"""

_Key = tuple[object, ...]
_figures: OrderedDict[_Key, Figures] = OrderedDict()
_lock: Final = threading.Lock()


def figures(root: Path, rule_id: str, threshold_id: str, first: date, last: date) -> Figures:
    """Raises `NotComparedError`, and `BadManifestError` where a day's files cannot be determined."""
    rule = next((r for r in judged_rules() if r.id == rule_id), None)
    threshold = declared().get(threshold_id)
    if rule is None or threshold is None:
        raise NotComparedError(threshold_id)
    days, force = [day for day in days_in(root) if first <= day <= last], in_force()
    logs = counted(root, days)["steps"].paths, tuple(counted_earlier(root, days).items())
    key = (rule_id, threshold_id, logs, repr(force))
    with _lock:
        found = _figures.get(key)
        if found is None:
            found = _figures[key] = Figures(root, rule, threshold, days, force)
        _figures.move_to_end(key)
        while len(_figures) > KEPT:
            _figures.popitem(last=False)
        return found


def within_range(threshold_id: str, value: float) -> None:
    """Raises ValueError where the threshold cannot have the number."""
    threshold = declared().get(threshold_id)
    if threshold is None or not threshold.may_be_set_to(value):
        raise ValueError(f"{value} is not within the range of {threshold_id}")
