"""The vectors that this evaluator and the page's share: tests/vectors/conditions.json."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from iotriage.analysis.condition import recompute, severity, verdict
from iotriage.analysis.document import ConditionNode, Finding
from iotriage.analysis.order import reevaluate, settle

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "conditions.json").read_text())
NODE = TypeAdapter(ConditionNode)
FINDING = TypeAdapter(Finding)
UNSTATED = {
    "title": "",
    "confidence": "measured",
    "headline": None,
    "summary": None,
    "advice": [],
    "citations": [],
    "locators": [],
    "supports": [],
    "clear_title": "",
}


def named(kind):
    return pytest.mark.parametrize("vector", VECTORS[kind], ids=[v["name"] for v in VECTORS[kind]])


@named("conditions")
def test_condition(vector):
    node = NODE.validate_python(vector["node"])
    assert recompute(node, vector["thresholds"]).answer is vector["answer"]


@named("verdicts")
def test_verdict(vector):
    assert verdict(vector["requires"], vector["condition"]) == vector["verdict"]


@named("severities")
def test_severity(vector):
    matters = None if vector["matters"] is None else NODE.validate_python(vector["matters"])
    assert severity(vector["verdict"], vector["base"], matters, vector["explained"]) == vector["severity"]


def _settled(vector, backwards):
    findings = [FINDING.validate_python(UNSTATED | f) for f in vector["findings"]]
    if backwards:
        findings.reverse()
    return settle([reevaluate(f, vector["thresholds"]) for f in findings])


@named("explained")
@pytest.mark.parametrize("backwards", [False, True], ids=["as given", "backwards"])
def test_explained(vector, backwards):
    settled = _settled(vector, backwards)
    assert [
        {
            "rule": f.rule,
            "scope": f.scope.id,
            "verdict": f.verdict,
            "severity": f.severity,
            "explained_by": f.explained_by,
        }
        for f in settled
    ] == vector["expect"]


def _given(advice):
    said = {"text": advice.text, "command": advice.command}
    return said if advice.withheld is None else {**said, "withheld": advice.withheld}


@named("advice")
@pytest.mark.parametrize("backwards", [False, True], ids=["as given", "backwards"])
def test_advice(vector, backwards):
    settled = _settled(vector, backwards)
    assert [
        {
            "rule": f.rule,
            "scope": f.scope.id,
            "advice": [_given(a) for a in f.advice],
        }
        for f in settled
    ] == vector["expect"]
    assert settle([reevaluate(f, vector["thresholds"]) for f in settled]) == settled


def test_there_are_enough_vectors_and_their_names_differ():
    for kind, vectors in VECTORS.items():
        names = [v["name"] for v in vectors]
        assert len(set(names)) == len(names), kind
    assert sum(len(v) for v in VECTORS.values()) >= 60
