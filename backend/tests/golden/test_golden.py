"""What we say about every sample is what the committed files say; `make golden` writes them again, the diff is read."""

from __future__ import annotations

import json
import re

import pytest
from sample_documents import current_golden_files
from samples import SAID, Case, cases


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
