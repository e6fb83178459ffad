"""A person's own thresholds decide the document again: findings, order, headline, and what is told of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

import pytest
from described import MIB, Part, Work, osts
from described import document as diagnosed
from sample_documents import document_of
from samples import case

from iotriage.analysis.decision.moved_thresholds import UnknownThresholdError, with_thresholds
from iotriage.analysis.document import CaseDocument
from iotriage.rules.core.action import SetStripe
from iotriage.rules.core.advice import Advice, advice_text


@cache
def _document(name: str) -> CaseDocument:
    return document_of(case(name).sources)


def test_a_finding_clears_when_its_threshold_is_moved_past_the_value() -> None:
    document = _document("03-fpp-many-small-files")
    assert document.headline.rule == "many-small-files"
    before = document.thresholds["many-small-files.files"]
    moved = with_thresholds(document, {"many-small-files.files": before.maximum})
    assert "many-small-files" not in {f.rule for f in moved.findings if f.verdict == "triggered"}
    # Who has the same seconds as it stands first now, and what it explained by itself.
    assert moved.headline.rule == "metadata-bound"
    assert next(f for f in document.findings if f.rule == "small-io").explained_by == "many-small-files"
    assert next(f for f in moved.findings if f.rule == "small-io").explained_by is None
    told = moved.thresholds["many-small-files.files"]
    assert (told.value, told.moved_from, told.default) == (before.maximum, before.value, before.default)


def test_moving_back_gives_the_same_findings() -> None:
    document = _document("39-heat2d-legacy")
    own = {t.id: t.maximum for t in document.thresholds.values()}
    back = {t.id: t.value for t in document.thresholds.values()}
    assert with_thresholds(with_thresholds(document, own), back).findings == document.findings


def test_nothing_moved_is_the_same_document() -> None:
    document = _document("01-serial-gather")
    assert with_thresholds(document, {}) is document
    assert with_thresholds(document, {t.id: t.value for t in document.thresholds.values()}) is document


def test_a_number_about_run_sets_moves_nothing_in_one_case() -> None:
    document = _document("01-serial-gather")
    assert with_thresholds(document, {"jitter.usual": 2.0}) is document


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("small-io.fracton", "small-io.fracton is not a threshold of these rules; did you mean small-io.fraction?"),
        ("nothing", "nothing is not a threshold of these rules: `iotriage rules` lists them"),
    ],
)
def test_a_threshold_that_there_is_not_is_answered_with_the_nearest(typed: str, said: str) -> None:
    with pytest.raises(UnknownThresholdError) as unknown:
        with_thresholds(_document("03-fpp-many-small-files"), {typed: 0.5})
    assert f"{unknown.value}" == said


@pytest.mark.parametrize(
    "own",
    [
        {"no-such.threshold": 1.0},
        {"serial-io.share": math.nan},
        {"serial-io.share": 1.5},
        {"lock-contention.share-of-job": -1.0},
        {"significance.seconds": 61.0},
        {"significance.bytes": 0.5},
        {"significance.bytes": -0.1},
    ],
)
def test_what_cannot_be_used_is_refused(own: dict[str, float]) -> None:
    with pytest.raises(UnknownThresholdError):
        with_thresholds(_document("01-serial-gather"), own)


@pytest.mark.parametrize("threshold", ["significance.bytes", "many-small-files.files", "shared-log.count"])
def test_0_on_a_logarithmic_line_is_the_least_that_it_has(threshold: str) -> None:
    document = _document("03-fpp-many-small-files")
    least = {t.id: t.minimum for t in document.thresholds.values()}.get(threshold, 0.0)
    assert with_thresholds(document, {threshold: 0.0}) == with_thresholds(document, {threshold: least})


def _striped(document: CaseDocument) -> dict[str, str | None]:
    """By rule, the first line of the triggered findings that stripes a directory; None where it is withheld."""
    found = [f for f in document.findings if f.verdict == "triggered" and f.says and _stripes(f.says.advice)]
    return {f.rule: f.advice[0].command for f in found}


def _stripes(advice: Sequence[Advice]) -> bool:
    return any(isinstance(action, SetStripe) for one in advice for action in one.actions)


FOR_MANY_RANKS = {"ssf-understriped.some-ranks": 96.0}
"""One stripe for 24 ranks is let be: a third finding that stripes."""

OUT = "/fs3/z01/z01/auser/channel/out"


@pytest.mark.parametrize(
    ("own", "lines"),
    [
        ({}, {"single-aggregator": "-c 4 -S 8M", "ssf-stripe-size": "-c 4 -S 8M"}),
        ({"single-aggregator.bytes": 2.0**40}, {"ssf-stripe-size": "-c 1 -S 8M"}),
        ({"ssf-stripe-size.stripe-size": 65536.0}, {"single-aggregator": "-c 4 -S 1M"}),
    ],
    ids=["as diagnosed", "count cleared", "size cleared"],
)
def test_a_line_that_two_findings_share_has_the_options_of_those_that_are_triggered(
    own: dict[str, float], lines: dict[str, str]
) -> None:
    moved = with_thresholds(_document("lustre-archer-cached"), own | FOR_MANY_RANKS)
    assert _striped(moved) == {rule: f"lfs setstripe {options} {OUT}" for rule, options in lines.items()}
    assert moved.headline.command == moved.findings[0].advice[0].command


TWO_KINDS_OF_FILES = Work(
    (
        Part("/scratch/run/out/own.{}", range(96), writes=400, size=4 * MIB, write_s=30.0, osts=osts(16)),
        Part("/scratch/run/out/field", range(96), "MPI-IO", writes=100, size=8 * MIB, write_s=40.0, collective=True),
        Part("/scratch/run/out/field", range(0, 96, 24), writes=2400, size=8 * MIB, write_s=38.0, osts=(3,)),
    ),
    nprocs=96,
    runtime_s=150,
    nodes=4,
)
"""Files of each rank, and one of all, in one directory: each kind wants another number of stripes."""


def test_advice_is_withheld_as_soon_as_a_finding_before_it_contradicts_it_and_no_longer() -> None:
    """Who takes more of the time is said first, and keeps its advice."""
    both = diagnosed(TWO_KINDS_OF_FILES)
    found = {f.rule: f for f in both.findings}
    keeps, gives = found["ssf-understriped"], found["fpp-striped"]
    assert (keeps.takes_s or 0.0) > (gives.takes_s or 0.0)
    assert (keeps.advice[0].command or "").startswith("lfs setstripe -c 4 ")
    assert gives.advice[0].command is None
    assert advice_text(gives.advice[0]).startswith("Not advised: lfs setstripe on ")
    assert f"“{keeps.title}” asks for -c 4" in advice_text(gives.advice[0])
    alone = with_thresholds(both, {"ssf-understriped.file-size": 2.0**44})
    assert (_striped(alone)["fpp-striped"] or "").startswith("lfs setstripe -c 1 ")
    back = with_thresholds(alone, {t.id: t.moved_from for t in alone.thresholds.values() if t.moved_from is not None})
    assert back.findings == both.findings


def test_the_next_run_proves_what_holds_under_the_numbers_chosen() -> None:
    document = _document("lustre-archer-cached")
    moved = with_thresholds(document, {"single-aggregator.bytes": 2.0**40} | FOR_MANY_RANKS)
    assert document.next_run is not None
    assert moved.next_run is not None
    before, after = ({e.rule: e.script for e in run.experiments} for run in (document.next_run, moved.next_run))
    assert "single-aggregator" in before
    assert set(after) == {"ssf-stripe-size"}
    # The files had one stripe, and B keeps that.
    assert "lfs setstripe -c 1 -S 8M ." in after["ssf-stripe-size"]
