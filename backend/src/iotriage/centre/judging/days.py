"""Days of a warehouse judged by the rules, thresholds and site profiles of today."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import Literal

import duckdb

from iotriage.centre.judging.rules import InForce, JudgedRule
from iotriage.centre.judging.verdicts import WEIGHED_BY, Question
from iotriage.centre.warehouse.columns import is_number
from iotriage.centre.warehouse.metrics_used import load_metrics_used
from iotriage.metrics.core.registry import metrics_of_scope

_LOGS = """
CREATE OR REPLACE TEMP VIEW judged_logs AS
SELECT n.log, l.* FROM logs l JOIN numbered_logs n USING ("row")
"""
_GROUPS = """
CREATE OR REPLACE TEMP VIEW judged_groups AS
SELECT n.log, g.* FROM groups g JOIN numbered_logs n USING ("row")
"""
_FAILED = """
CREATE OR REPLACE TEMP TABLE failed_findings AS
SELECT n.log, f.rule, f.scope FROM findings f JOIN numbered_logs n USING ("row") WHERE f.verdict = 'error'
"""


def number_logs(connection: duckdb.DuckDBPyConnection) -> None:
    """Makes the relations that are judged of the logs that were read."""
    connection.execute(
        'CREATE OR REPLACE TEMP TABLE numbered_logs AS SELECT "row", row_number() OVER () - 1 AS log '
        "FROM logs WHERE outcome = 'read'"
    )
    connection.execute(_LOGS)
    connection.execute(_GROUPS)
    connection.execute(_FAILED)


def question_of_days(rules: tuple[JudgedRule, ...], thresholds: InForce) -> Question:
    """The rules put to those columns of the warehouse that they look at."""
    read = frozenset(WEIGHED_BY).union(*(rule.looks_at for rule in rules))
    return Question(rules, thresholds, _units("job", read), _units("group", read))


def _units(scope: Literal["job", "group"], read: frozenset[str]) -> Mapping[str, Literal["number", "word"]]:
    metrics = metrics_of_scope(scope).items()
    return {id: "number" if is_number(spec) else "word" for id, spec in metrics if id in read}


def days_without_columns(
    connection: duckdb.DuckDBPyConnection, root: Path, rules: Iterable[JudgedRule]
) -> Mapping[str, tuple[date, ...]]:
    """By rule, the days that have logs of which it cannot be asked; rules of which there are none are left out."""
    written = connection.execute(
        "SELECT looked_at, list(DISTINCT day ORDER BY day) FROM logs WHERE outcome = 'read' GROUP BY looked_at"
    ).fetchall()
    known = {digest: load_metrics_used(root, digest) for digest, _ in written}
    found: dict[str, tuple[date, ...]] = {}
    for rule in rules:
        days = {day for digest, of in written if not rule.looks_at <= known[digest] for day in of}
        if days:
            found[rule.id] = tuple(sorted(days))
    return found
