"""Comparisons under a reader's own thresholds."""

from __future__ import annotations

import pytest
from sample_documents import document_of
from samples import case

from iotriage.analysis.decision.moved_thresholds import UnknownThresholdError, with_thresholds
from iotriage.analysis.decision.significance import FLOORS
from iotriage.analysis.document import CaseDocument
from iotriage.analysis.run_sets.comparison import Comparison, compare


def document(name: str) -> CaseDocument:
    return document_of(case(name).sources)


def _by_own(own: dict[str, float], *names: str) -> Comparison:
    return compare([(name, document(name)) for name in names], own)


def test_the_findings_of_the_runs_are_those_under_the_readers_numbers() -> None:
    assert _by_own({}, "11", "09").steps[0].gone == ("collective-disabled", "small-io")
    compared = _by_own({"collective-disabled.ranks": 16.0}, "11", "09")
    # Eight ranks are no longer enough: what it explained now stands as the cause.
    assert compared.steps[0].gone == ("small-io",)
    assert [c.rule for c in compared.steps[0].causes] == ["small-io"]
    moved = [(t.id, t.value, t.moved_from) for t in compared.moved]
    assert moved == [("collective-disabled.ranks", 16.0, 4.0)]
    assert set(compared.threshold_ids) > {"collective-disabled.ranks", "jitter.usual", FLOORS[0].id}


def test_what_is_usual_is_the_readers_before_the_sites() -> None:
    names = ("lustre-ssf-one-stripe", "lustre-ssf-striped")
    usual = _by_own({"jitter.usual": 100.0}, *names).usual
    assert (usual.factor, usual.moved_from) == (100.0, pytest.approx(12 / 8))
    assert _by_own({"jitter.usual": 100.0}, *names).outcome == "same"
    assert [t.id for t in _by_own({"jitter.usual": 100.0}, *names).moved] == ["jitter.usual"]


def test_a_document_that_was_moved_before_says_what_held_at_first() -> None:
    once = with_thresholds(document("11"), {"collective-disabled.ranks": 16.0})
    compared = compare([("11", once), ("09", document("09"))], {"collective-disabled.ranks": 8.0})
    assert {(t.value, t.moved_from) for t in compared.moved} == {(8.0, 4.0)}
    back = with_thresholds(once, {"collective-disabled.ranks": 4.0})
    assert back.thresholds == document("11").thresholds


def test_0_is_the_least_of_a_threshold_of_run_sets() -> None:
    names = ("11", "09")
    assert _by_own({"jitter.usual": 0.0}, *names) == _by_own({"jitter.usual": 1.0}, *names)
    assert [(t.id, t.value) for t in _by_own({"jitter.seconds": 0.0}, *names).moved] == [("jitter.seconds", 0.01)]


@pytest.mark.parametrize(
    "own", [{"no-such.threshold": 1.0}, {"jitter.usual": float("inf")}, {"jitter.usual": 0.9}, {"jitter.seconds": -1.0}]
)
def test_what_cannot_be_used_as_a_threshold_is_refused(own: dict[str, float]) -> None:
    with pytest.raises(UnknownThresholdError):
        _by_own(own, "11", "09")
