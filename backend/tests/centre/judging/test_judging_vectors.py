"""The third evaluator: conditions and decisions of tests/vectors/decisions.json, decided by DuckDB."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest
from judged_documents import VERDICTS, allotment_document, fixed_verdicts, judged, lower_bounds_sql, said, value_sql
from pydantic import TypeAdapter

from iotriage.analysis.decision.basis import basis_of
from iotriage.analysis.decision.moved_thresholds import with_thresholds
from iotriage.analysis.decision.order import decide_findings
from iotriage.analysis.document import CaseDocument
from iotriage.analysis.document.metrics import KnownMetric
from iotriage.centre.judging.conditions import (
    NOT_APPLICABLE,
    Terms,
    answer,
    metric_column,
    number,
    verdict,
    verdict_parts,
)
from iotriage.rules.core.condition import Compare, Condition, Present, all_of, any_of

VECTORS = json.loads((Path(__file__).parents[2] / "vectors" / "decisions.json").read_text(encoding="utf-8"))
CONDITION = TypeAdapter(Condition)
DOCUMENT = TypeAdapter(CaseDocument)
OF_ANSWER = {True: all_of(), False: any_of(), None: Compare("absent", ">", "t")}


@pytest.fixture(scope="module")
def database() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        yield connection


def named(kind):
    return pytest.mark.parametrize("vector", VECTORS[kind], ids=[v["name"] for v in VECTORS[kind]])


@named("conditions")
def test_condition(vector, database):
    metrics = {
        id: KnownMetric("1", m["value"], "measured", m["bound"], ()) if m["value"] is not None else None
        for id, m in vector["metrics"].items()
    }
    units = {id: "word" if m and isinstance(m.value, str) else "number" for id, m in metrics.items()}
    terms = Terms(
        {id: metric_column("m", id, unit) for id, unit in units.items()},
        lambda threshold: number(float(vector["thresholds"][threshold])),
    )
    values = (f'{value_sql(m, units[id])} AS "{id}"' for id, m in metrics.items())
    columns = ", ".join((*values, f"{lower_bounds_sql(metrics)} AS lower_bounds"))
    asked = answer(CONDITION.validate_python(vector["condition"]), terms)
    assert database.execute(f"SELECT {asked} FROM (SELECT {columns}) m").fetchone() == (vector["answer"],)


@named("verdicts")
def test_verdict(vector, database):
    """Of a figure that is there: where none is, a rule that cannot hold does not apply."""
    terms = Terms({id: metric_column("m", id, "number") for id in ("seen", "absent")}, number_of)
    condition = all_of(Present("seen"), OF_ANSWER[vector["condition"]])
    asked = verdict(verdict_parts(OF_ANSWER[vector["requires"]], condition, terms))
    columns = "1.0::DOUBLE AS seen, NULL::DOUBLE AS absent, []::VARCHAR[] AS lower_bounds"
    (found,) = database.execute(f"SELECT {asked} FROM (SELECT {columns}) m").fetchone()
    assert {**VERDICTS, NOT_APPLICABLE: "not_applicable"}[found] == vector["verdict"]


def number_of(_):
    return number(1.0)


def _documents():
    found = []
    for vector in VECTORS["decisions"]:
        document = DOCUMENT.validate_python(VECTORS["empty_document"] | vector["document"])
        if not fixed_verdicts(document):
            found.append(pytest.param(document, vector["moves"], id=vector["name"]))
    return found


@pytest.mark.parametrize(("document", "moves"), _documents())
def test_decision(document, moves, database):
    basis = basis_of(document)
    once = replace(document, findings=decide_findings(document.findings, basis))
    assert judged(database, document, moves) == said(with_thresholds(once, moves).findings)


def test_nearly_all_decisions_can_be_put_to_a_query():
    """Those that cannot have a finding whose verdict no condition gives it."""
    assert len(_documents()) >= len(VECTORS["decisions"]) - 8


def test_allotments_are_those_of_the_documents(database):
    """The seconds of the vectors that give cells and claims: each is asked of rules that always hold."""
    for vector in VECTORS["allotments"]:
        document = allotment_document(DOCUMENT.validate_python(VECTORS["empty_document"]), vector)
        found = judged(database, document, {})
        takes = sorted([f.rule, f.scope, float(f.takes_s)] for f in found if f.takes_s is not None)
        assert takes == sorted(vector["takes"]), vector["name"]
