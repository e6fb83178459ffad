"""A case document's figures as the relations that days are judged from, and what judging them answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import duckdb
import numpy as np
from pydantic import TypeAdapter

from iotriage.analysis.document import CaseDocument, DocumentRule, FileGroup, Finding, Findings, FindingScope, RuledOut
from iotriage.analysis.document.account import Account
from iotriage.analysis.document.metrics import AbsentMetric, DocumentMetric, KnownMetric
from iotriage.centre.judging.conditions import CLEAR, FAILED, TRIGGERED, UNKNOWN, number
from iotriage.centre.judging.rules import InForce, JudgedRule, in_order
from iotriage.centre.judging.settling import NONE, SEVERITIES
from iotriage.centre.judging.verdicts import Answers, Question, judge
from iotriage.centre.warehouse.literal import literal
from iotriage.metrics.tables.account.cells import CELLS, Cells
from iotriage.rules.core.claim import Claim
from iotriage.rules.core.condition import ALWAYS, IsOneOf, all_of

CLAIMS: Final = TypeAdapter(tuple[Claim, ...])

VERDICTS = {CLEAR: "clear", UNKNOWN: "unknown", TRIGGERED: "triggered", FAILED: "error"}
EVERY = tuple(VERDICTS)


@dataclass(frozen=True)
class Said:
    """A finding, seconds to nine digits: what several cells come to depends on the order of adding."""

    rule: str
    scope: str
    verdict: str
    severity: str
    explained_by: str | None
    takes_s: str | None
    at_least_s: str | None
    could_save_s: str | None


def said(findings: Findings) -> list[Said]:
    """Of a document, in its order, of the rules that apply."""
    return [
        Said(
            f.rule,
            f.scope.id,
            f.verdict,
            f.severity,
            f.explained_by,
            _rounded(f.takes_s),
            _rounded(f.could_save_at_least_s),
            _rounded(f.could_save_s),
        )
        for f in findings
        if f.verdict != "not_applicable"
    ]


def answered(
    connection: duckdb.DuckDBPyConnection, answers: Answers, rules: Sequence[JudgedRule]
) -> Mapping[int, list[Said]]:
    """The same of what was judged, by the log's index."""
    ids = dict(connection.execute('SELECT "group", id FROM asked_groups').fetchall())
    found, settled = answers.findings, answers.settled
    by_log: dict[int, list[Said]] = {}
    for i in np.lexsort((settled.position, found.log)):
        group, cause = int(found.group[i]), int(settled.explained_by[i])
        by_log.setdefault(int(found.log[i]), []).append(
            Said(
                rules[found.rule[i]].id,
                "job" if group == NONE else ids[group],
                VERDICTS[int(found.verdict[i])],
                SEVERITIES[settled.severity[i]],
                None if cause == NONE else rules[cause].id,
                _rounded(float(settled.takes[i])),
                _rounded(float(settled.at_least[i])),
                _rounded(float(settled.could_save[i])),
            )
        )
    return by_log


def _rounded(seconds: float | None) -> str | None:
    return None if seconds is None or np.isnan(seconds) else f"{seconds + 0.0:.9g}"


def judged(connection: duckdb.DuckDBPyConnection, document: CaseDocument, moves: Mapping[str, float]) -> list[Said]:
    """A document of made-up rules and metrics: each rule is asked about the scopes of which there is a finding."""
    if not document.findings:
        return []
    rules = in_order(_rule(id, document) for id in dict.fromkeys(f.rule for f in document.findings))
    thresholds = InForce({id: t.value for id, t in document.thresholds.items()}, {}).moved(moves)
    columns: dict[str, dict[str, str]] = {}
    rows = _rows(document)
    for scope in ("job", "group"):
        columns[scope] = {id: _unit(m) for kind, _, metrics in rows if kind == scope for id, m in metrics.items()}
    for scope, table in (("job", "judged_logs"), ("group", "judged_groups")):
        selects = [
            _select(document, row, columns[scope], place) for place, row in enumerate(r for r in rows if r[0] == scope)
        ]
        empty = "" if selects else " LIMIT 0"
        selects = selects or [_select(document, ("group", "g", {}), columns[scope], 0)]
        connection.execute(f"CREATE OR REPLACE TEMP TABLE {table} AS {' UNION ALL BY NAME '.join(selects)}{empty}")
    failed = ", ".join(
        f"(0, {literal(f.rule)}, {literal(f.scope.id)})" for f in document.findings if f.verdict == "error"
    )
    connection.execute("CREATE OR REPLACE TEMP TABLE failed_findings (log BIGINT, rule VARCHAR, scope VARCHAR)")
    if failed:
        connection.execute(f"INSERT INTO failed_findings VALUES {failed}")
    question = Question(rules, thresholds, columns["job"], columns["group"], document.significance, EVERY)
    return answered(connection, judge(connection, question), rules).get(0, [])


Row = tuple[str, str, Mapping[str, DocumentMetric | str]]


def _rows(document: CaseDocument) -> list[Row]:
    """The job, and its groups with what they have of the job's metrics; with whom each rule is asked about."""
    own = frozenset(id for group in document.groups for id in group.metrics)
    here = {id: m for id, m in document.metrics.items() if id in own}
    of_groups = (("group", g.id, {**here, **g.metrics, **_asked(document, g.id)}) for g in document.groups)
    return [("job", "job", {**document.metrics, **_asked(document, "job")}), *of_groups]


def _asked(document: CaseDocument, scope: str) -> dict[str, str]:
    here = {f.rule for f in document.findings if f.scope.id == scope}
    return {f"asked.{f.rule}": "yes" if f.rule in here else "no" for f in document.findings}


def _rule(id: str, document: CaseDocument) -> JudgedRule:
    finding = next(f for f in document.findings if f.rule == id)
    asked = document.rules[id]
    scope = "job" if finding.scope.kind == "job" else "group"
    requires = all_of(IsOneOf(f"asked.{id}", ("yes",)), asked.requires)
    return JudgedRule(
        id,
        scope,
        asked.severity,
        finding.priority,
        asked.leads,
        finding.weighed,
        asked.explains,
        requires,
        asked.condition,
        asked.claims,
    )


def _unit(metric: DocumentMetric | str) -> str:
    word = isinstance(metric, str) or (isinstance(metric, KnownMetric) and isinstance(metric.value, str))
    return "word" if word else "number"


def _select(document: CaseDocument, row: Row, columns: Mapping[str, str], place: int) -> str:
    _, id, metrics = row
    account = document.account
    cells = None if account is None else account.cells if id == "job" else account.groups.get(id)
    fixed = {
        "log": "0::BIGINT",
        "id": literal(id),
        "position": str(place),
        "site": "'generic'",
        "cells": _cells(cells),
        "account_basis": "NULL::VARCHAR" if account is None else literal(account.basis),
        "account_partial": "NULL::BOOLEAN" if account is None else str(account.partial),
        "savings": _impacts(document, id),
        "runtime_s": _seconds(None if account is None else account.runtime_s),
    }
    of_metrics = {id: value_sql(metrics.get(id), unit) for id, unit in columns.items()}
    of_metrics["lower_bounds"] = lower_bounds_sql(metrics)
    return "SELECT " + ", ".join(f'{sql} AS "{name}"' for name, sql in {**fixed, **of_metrics}.items())


def _seconds(known: float | None) -> str:
    return "NULL::DOUBLE" if known is None else number(known)


def value_sql(metric: DocumentMetric | str | None, unit: str) -> str:
    """A metric as the warehouse has it."""
    value = metric if isinstance(metric, str) else metric.value if isinstance(metric, KnownMetric) else None
    kind = "VARCHAR" if unit == "word" else "DOUBLE"
    return f"NULL::{kind}" if value is None else literal(value) if isinstance(value, str) else number(float(value))


def lower_bounds_sql(metrics: Mapping[str, DocumentMetric | str | None]) -> str:
    """The ids of those that are lower bounds."""
    lower = [id for id, m in metrics.items() if isinstance(m, KnownMetric) and m.bound == "lower"]
    return f"[{', '.join(map(literal, lower))}]::VARCHAR[]"


def _cells(cells: Cells | None) -> str:
    values = {cell: "NULL::DOUBLE" if cells is None else number(cells.of(cell)) for cell in CELLS}
    return "{" + ", ".join(f"'{cell}': {value}" for cell, value in values.items()) + "}"


def _impacts(document: CaseDocument, scope: str) -> str:
    known = {f.rule: f.says.impact for f in document.findings if f.scope.id == scope and f.says and f.says.impact}
    names = ("most_share", "least_share", "stays_s")
    shares = {
        rule: "{" + ", ".join(f"'{name}': {number(getattr(impact, name))}" for name in names) + "}"
        for rule, impact in known.items()
    }
    keys, values = ", ".join(map(literal, shares)), ", ".join(shares.values())
    kind = "MAP(VARCHAR, STRUCT(most_share DOUBLE, least_share DOUBLE, stays_s DOUBLE))"
    return f"MAP([{keys}], [{values}])::{kind}" if shares else f"MAP {{}}::{kind}"


def fixed_verdicts(document: CaseDocument) -> bool:
    """Whether a finding has a verdict that its conditions do not give it, or a rule is asked of job and files alike."""
    kinds: dict[str, set[str]] = {}
    for finding in document.findings:
        kinds.setdefault(finding.rule, set()).add(finding.scope.kind)
    return any(isinstance(f, RuledOut) or f.error is not None for f in document.findings) or any(
        len(of) > 1 for of in kinds.values()
    )


def allotment_document(empty: CaseDocument, vector: Mapping[str, Any]) -> CaseDocument:
    """The document of a vector of seconds: its findings, of rules that always hold, and what explains them."""
    claims = {rule: CLAIMS.validate_python(of) for rule, of in vector["claims"].items()}
    findings = [_holding(f["rule"], f["scope"], f["priority"]) for f in vector["findings"]]
    causes = {f["explained_by"] for f in vector["findings"] if f["explained_by"] is not None}
    findings += [_holding(rule, "job", 0) for rule in causes - {f.rule for f in findings}]
    explains = {cause: tuple(f["rule"] for f in vector["findings"] if f["explained_by"] == cause) for cause in causes}
    metrics = {scope: _known(values) for scope, values in vector["metrics"].items()}
    groups = {f.scope.id: f.scope for f in findings if f.scope.kind == "group"}
    return replace(
        empty,
        findings=tuple(findings),
        rules={
            f.rule: DocumentRule(
                "medium", False, explains.get(f.rule, ()), ALWAYS, ALWAYS, (), (), claims.get(f.rule, ())
            )
            for f in findings
        },
        metrics=metrics.get("job", {}),
        groups=tuple(FileGroup(id, id, id, 1, id, metrics.get(id, {})) for id in groups),
        account=Account(
            "Darshan",
            None,
            Cells(**vector["cells"]),
            {id: Cells(**cells) for id, cells in vector["groups"].items()},
            None,
            False,
        ),
    )


def _holding(rule: str, scope: str, priority: int) -> Finding:
    where = FindingScope("job" if scope == "job" else "group", scope, scope)
    return Finding(
        rule, rule, rule, where, "triggered", "medium", "measured", None, priority, True, None, (), None, None
    )


def _known(values: Mapping[str, float | str | None]) -> dict[str, DocumentMetric]:
    return {
        id: AbsentMetric("1", 0) if value is None else KnownMetric("1", value, "measured", None, ())
        for id, value in values.items()
    }
