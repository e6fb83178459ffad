"""A person's own thresholds decide the document again: findings, order, headline, and what is told of them."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path

import pytest

from iotriage.analysis.document import CaseDocument
from iotriage.analysis.engine import diagnose
from iotriage.analysis.given import GivenSource
from iotriage.analysis.moved import UnknownThresholdError, with_thresholds
from iotriage_parsers.detect import read
from iotriage_parsers.reader import Limits

SAMPLES = Path(__file__).parents[3] / "sample-logs/darshan_log"


@cache
def _document(case: str) -> CaseDocument:
    path = next((SAMPLES / case).glob("*.darshan"))
    with path.open("rb") as stream:
        return diagnose([GivenSource(path.name, "0" * 64, path.stat().st_size, read(stream, Limits()))])


def test_a_finding_clears_when_its_threshold_is_moved_past_the_value() -> None:
    document = _document("03-fpp-many-small-files")
    assert document.headline.rule == "metadata-bound"
    before = next(t for t in document.thresholds if t.id == "metadata-bound.fraction")
    # A share of the time: none is above 1.
    moved = with_thresholds(document, {"metadata-bound.fraction": 1.0})
    assert "metadata-bound" not in {f.rule for f in moved.findings if f.verdict == "triggered"}
    assert moved.headline.rule != "metadata-bound"
    # What it explained stands by itself now.
    assert next(f for f in document.findings if f.rule == "small-io").explained_by == "metadata-bound"
    assert next(f for f in moved.findings if f.rule == "small-io").explained_by is None
    told = next(t for t in moved.thresholds if t.id == "metadata-bound.fraction")
    assert (told.value, told.moved_from, told.default) == (1.0, before.value, before.default)


def test_moving_back_gives_the_same_findings() -> None:
    document = _document("39-heat2d-legacy")
    own = {t.id: t.maximum for t in document.thresholds}
    back = {t.id: t.value for t in document.thresholds}
    assert with_thresholds(with_thresholds(document, own), back).findings == document.findings


def test_nothing_moved_is_the_same_document() -> None:
    document = _document("01-serial-gather")
    assert with_thresholds(document, {}) is document
    assert with_thresholds(document, {t.id: t.value for t in document.thresholds}) is document


@pytest.mark.parametrize("own", [{"no-such.threshold": 1.0}, {"serial-io.share": math.nan}])
def test_what_cannot_be_used_is_refused(own: dict[str, float]) -> None:
    with pytest.raises(UnknownThresholdError):
        with_thresholds(_document("01-serial-gather"), own)
