"""What we say about every sample is what the committed files say; `make golden` writes them again, the diff is read."""

from __future__ import annotations

import json
import re

import pytest
from sample_documents import current_golden_files, document_of
from samples import SAID, Case, cases

from iotriage.analysis.document import Finding


@pytest.mark.parametrize("case", cases(), ids=str)
def test_sample_is_said_as_committed(case: Case) -> None:
    assert case.sources, f"{case} has no source"
    today = current_golden_files(case)
    for name in SAID:
        assert case.golden_file(name).is_file(), f"{case}/{name} is missing: run `make golden`"
        assert case.golden_file(name).read_text(encoding="utf-8") == today[name], (
            f"{case}/{name}: run `make golden`, read the diff"
        )


OF_THE_MEAN_RANK = re.compile(r"timers\.\w+_max_fraction")
"""What one rank takes of the mean rank's time may be more than all of it."""


def test_no_share_is_more_than_the_whole() -> None:
    for case in cases():
        for id, metric in json.loads(case.golden_file("metrics.json").read_text(encoding="utf-8")).items():
            if metric["unit"] == "share" and not OF_THE_MEAN_RANK.fullmatch(id):
                assert metric["value"] <= 1, (case, id)


NOBODY_SAYS = re.compile(
    r"\btimes times\b|(?<![\d.,])1 (times|ranks|files|calls|accesses|nodes|lines|stripes|OSTs)\b|\bNone\b|\bnan\b"
    r"|\binf\b|\{\}"
)


def test_whatever_a_moved_threshold_brings_out_is_said_in_words_that_somebody_says() -> None:
    """Findings that are clear have their words too, for the threshold by which they would not be."""
    for case in cases():
        for finding in document_of(case.sources).findings:
            if isinstance(finding, Finding) and finding.says is not None:
                advised = (advice.text for advice in finding.says.advice)
                saved = "" if finding.says.impact is None else finding.says.impact.because
                for said in (finding.says.headline, finding.says.summary, saved, *advised):
                    assert not NOBODY_SAYS.search(said), (case, finding.rule, said)
