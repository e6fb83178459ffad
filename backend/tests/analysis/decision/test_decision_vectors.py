"""The vectors that this evaluator and the page's share: tests/vectors/decisions.json.

Of a decision's document only what matters to it is written; the rest is that of `empty_document`.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from iotriage.analysis.decision.allotment import allot_seconds
from iotriage.analysis.decision.basis import DecisionBasis, basis_of, grounds_of
from iotriage.analysis.decision.condition import (
    answer,
    answered,
    can_be,
    evidence_that_settles,
    leaves,
    severity,
    verdict,
)
from iotriage.analysis.decision.headline import headline_of
from iotriage.analysis.decision.moved_thresholds import with_thresholds
from iotriage.analysis.decision.order import decide_findings
from iotriage.analysis.decision.unexplained import unexplained_of
from iotriage.analysis.document import CaseDocument, DocumentRule, Finding, FindingScope, Headline, ThresholdInForce
from iotriage.analysis.document.account import Account, Investigation, Investigations, Rate
from iotriage.analysis.document.finding import EvidenceHeadlines
from iotriage.metrics.core.metric import Metric
from iotriage.metrics.tables.account.cells import Cells
from iotriage.rules.core.claim import Claim
from iotriage.rules.core.condition import ALWAYS, Condition
from iotriage.rules.core.rule import Impact, Statement

VECTORS = json.loads((Path(__file__).parents[2] / "vectors" / "decisions.json").read_text(encoding="utf-8"))
CONDITION = TypeAdapter(Condition)
DOCUMENT = TypeAdapter(CaseDocument)
CLAIM = TypeAdapter(Claim)
INVESTIGATION = TypeAdapter(Investigation)
NOTHING_ASKED = Investigations({}, Investigation("trace one run", None), ())
NOTHING_SAID = EvidenceHeadlines(None, None, Headline("too little", None, None, "unknown", None), "", "")
KINDS = (
    "conditions",
    "can_be",
    "settling",
    "verdicts",
    "severities",
    "allotments",
    "savings",
    "investigations",
    "decisions",
)


def named(kind):
    return pytest.mark.parametrize("vector", VECTORS[kind], ids=[v["name"] for v in VECTORS[kind]])


def _metrics(vector):
    return {
        id: Metric(id, id, "1", None, reason="not recorded", settled_by=tuple(found.get("settled_by", ())))
        if found["value"] is None
        else Metric(id, id, "1", found["value"], confidence="measured", bound=found.get("bound"))
        for id, found in vector["metrics"].items()
    }


def _threshold(id, value, minimum, maximum):
    stated_by = Statement("project", "test vectors", "a number for the test")
    return ThresholdInForce(id, "rule", id, "1", value, value, stated_by, minimum, maximum, "linear")


@named("conditions")
def test_condition(vector):
    condition, metrics = CONDITION.validate_python(vector["condition"]), _metrics(vector)
    thresholds = {id: _threshold(id, value, value, value) for id, value in vector["thresholds"].items()}
    assert answer(condition, metrics, thresholds) is vector["answer"]
    assert answered(condition, metrics, thresholds).answer is vector["answer"]
    assert vector["answer"] in can_be(condition, metrics, thresholds)


@named("can_be")
def test_what_a_condition_can_be(vector):
    condition = CONDITION.validate_python(vector["condition"])
    thresholds = {id: _threshold(id, **bounds) for id, bounds in vector["thresholds"].items()}
    assert can_be(condition, _metrics(vector), thresholds) == frozenset(vector["answers"])


@named("settling")
def test_what_could_decide_it(vector):
    nodes = (answered(CONDITION.validate_python(vector[of]), _metrics(vector), {}) for of in ("requires", "condition"))
    assert list(evidence_that_settles(*nodes)) == vector["settled_by"]


@named("verdicts")
def test_verdict(vector):
    assert verdict(vector["requires"], vector["condition"]) == vector["verdict"]


@named("severities")
def test_severity(vector):
    found = severity(
        vector["verdict"],
        vector["base"],
        weighed=vector["weighed"],
        significant=vector["significant"],
        explained=vector["explained"],
        small_share=vector.get("small_share", False),
    )
    assert found == vector["severity"]


@named("allotments")
def test_allotment(vector):
    metrics = {scope: _metrics_of(values) for scope, values in vector["metrics"].items()}
    claims = {rule: tuple(CLAIM.validate_python(claim) for claim in of) for rule, of in vector["claims"].items()}
    rules = {rule: DocumentRule("medium", False, (), ALWAYS, ALWAYS, (), (), of) for rule, of in claims.items()}
    groups = {group: Cells(**cells) for group, cells in vector["groups"].items()}
    account = Account("Darshan", None, Cells(**vector["cells"]), groups, None, False)
    basis = DecisionBasis(rules, metrics.pop("job", {}), metrics, {}, ALWAYS, account, NOTHING_ASKED, NOTHING_SAID)
    findings = [_claiming(**finding) for finding in vector["findings"]]
    for given in (findings, findings[::-1]):
        found = allot_seconds(given, basis)
        assert sorted([*where, seconds] for where, seconds in found.takes.items()) == sorted(vector["takes"])
        assert sorted([*where, seconds] for where, seconds in found.reaches.items()) == sorted(vector["reaches"])
        assert found.left == Cells(**vector["left"])
    whole = sum(vector["cells"].values())
    assert sum(found.takes.values()) + found.left.total == whole


@named("savings")
def test_saving(vector):
    bounds = Impact(**vector["impact"]).of(vector["takes"], vector["reaches"], vector["io"], vector["runtime"])
    assert bounds == (None if vector["saves"] is None else pytest.approx(tuple(vector["saves"])))


@named("investigations")
def test_the_investigation_that_is_meant(vector):
    of_cells = {cell: tuple(map(INVESTIGATION.validate_python, asked)) for cell, asked in vector["of_cells"].items()}
    investigations = Investigations(of_cells, NOTHING_ASKED.otherwise, (Rate("node", 2.0, 1e6),))
    account = Account("Darshan", None, Cells(**vector["cells"]), {}, None, False)
    rules = {rule: DocumentRule("medium", False, (), ALWAYS, ALWAYS, (), (), ()) for rule in vector["triggered"]}
    metrics = _metrics_of(vector.get("metrics", {}))
    thresholds = {id: _threshold(id, value, value, value) for id, value in vector.get("thresholds", {}).items()}
    basis = DecisionBasis(rules, metrics, {}, thresholds, ALWAYS, account, investigations, NOTHING_SAID)
    found = unexplained_of([_claiming(rule, "job", 1, None) for rule in vector["triggered"]], basis)
    assert found is not None
    assert (found.experiment, found.kind, len(found.rates)) == (vector["meant"], vector["kind"], vector["rates"])


def _metrics_of(values):
    return {
        id: Metric(id, id, "1", value, None if value is None else "measured", "not recorded" if value is None else None)
        for id, value in values.items()
    }


def _claiming(rule, scope, priority, explained_by):
    where = FindingScope("job" if scope == "job" else "group", scope, scope)
    return Finding(
        rule, rule, rule, where, "triggered", "medium", "measured", explained_by, priority, True, None, (), None, None
    )


@named("decisions")
@pytest.mark.parametrize("backwards", [False, True], ids=["as given", "backwards"])
def test_decision(vector, backwards):
    document = DOCUMENT.validate_python(VECTORS["empty_document"] | vector["document"])
    if backwards:
        document = replace(document, findings=document.findings[::-1])
    once = _decided(document)
    moved = with_thresholds(once, vector["moves"])
    assert _said(moved) == vector["expect"]
    assert _decided(moved) == moved


def _decided(document):
    """The document as it is decided by its own thresholds."""
    basis = basis_of(document)
    findings = decide_findings(document.findings, basis)
    headline = headline_of(findings, basis, unexplained_of(findings, basis))
    return replace(document, findings=findings, headline=headline)


def _said(document):
    headline, basis = document.headline, basis_of(document)
    unanswered = {}
    for finding in document.findings:
        grounds = grounds_of(finding, basis) if finding.verdict == "unknown" else None
        for node in () if grounds is None else (grounds.requires, grounds.condition):
            unanswered.setdefault(finding.rule, []).extend(x.reason for x in leaves(node) if x.answer is None)
    return {
        "headline": {
            "sentence": headline.sentence,
            "figure": headline.figure,
            "action": headline.action,
            "command": headline.command,
            "severity": headline.severity,
            "rule": headline.rule,
            "lead": headline.lead,
            "investigates": headline.investigates,
            "gives_way": headline.gives_way,
        },
        "findings": [
            {
                "rule": f.rule,
                "scope": f.scope.id,
                "verdict": f.verdict,
                "severity": f.severity,
                "explained_by": f.explained_by,
                "advice": [_given(a) for a in f.advice],
            }
            for f in document.findings
        ],
        "unanswered": unanswered,
    }


def _given(advice):
    said = {"text": advice.text, "command": advice.command}
    return said if advice.withheld is None else {**said, "withheld": advice.withheld}


def test_there_are_enough_vectors_and_their_names_differ():
    for kind in KINDS:
        names = [v["name"] for v in VECTORS[kind]]
        assert len(set(names)) == len(names), kind
    assert sum(len(VECTORS[kind]) for kind in KINDS) >= 200
