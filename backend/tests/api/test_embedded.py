"""What an exported page carries: every answer that its own links and thresholds ask for."""

from __future__ import annotations

import json

import pytest

from iotriage.analysis.document import CaseDocument
from iotriage.analysis.inputs import ReadSource
from iotriage.api.embedded import case_without_store, embedded_answers
from iotriage.api.rules import rule_view
from iotriage.intake.diagnosis import diagnose_inputs
from iotriage.rules import all_rules
from iotriage.store.sources import utc_now
from iotriage_parsers import detect
from iotriage_parsers.reader import Limits

from .conftest import SHARED


@pytest.fixture(scope="module")
def document() -> CaseDocument:
    with SHARED.open("rb") as stream:
        outcome = detect.read_or_unpack(stream, Limits())
    made = diagnose_inputs([ReadSource("log", "0" * 64, 1, outcome)], None)
    assert made is not None
    return made


@pytest.fixture(scope="module")
def embedded(document: CaseDocument) -> dict[str, str]:
    return embedded_answers(case_without_store(document, "a job", utc_now()))


def test_the_rule_of_every_finding_is_embedded_whatever_its_verdict_is_now(
    document: CaseDocument, embedded: dict[str, str]
) -> None:
    assert {f.verdict for f in document.findings} > {"triggered"}
    for finding in document.findings:
        rule = json.loads(embedded[f"api/v1/rules/{finding.rule}"])
        assert [t["id"] for t in rule["thresholds"]] == [t.id for t in rule_view(all_rules()[finding.rule]).thresholds]


def test_every_threshold_of_an_embedded_rule_that_can_be_moved_has_its_number_in_the_document(
    document: CaseDocument, embedded: dict[str, str]
) -> None:
    known = set(document.thresholds)
    for rule in document.rules:
        assert {t["id"] for t in json.loads(embedded[f"api/v1/rules/{rule}"])["thresholds"]} <= known


def test_it_carries_the_case_its_site_and_the_release(document: CaseDocument, embedded: dict[str, str]) -> None:
    case = json.loads(embedded["api/v1/cases/case"])
    assert case["document"]["made_by"]["decides"] == document.made_by.decides
    assert json.loads(embedded[f"api/v1/sites/{document.site.id}"])["id"] == document.site.id
    assert json.loads(embedded["api/v1/info"])["version"] == document.made_by.iotriage
    assert json.loads(embedded["api/v1/cases/case/portrait"])["nprocs"] == document.job.nprocs
