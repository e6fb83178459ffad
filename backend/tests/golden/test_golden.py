"""What we say about every sample is what the committed files say; `make golden` writes them again, the diff is read."""

from __future__ import annotations

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
