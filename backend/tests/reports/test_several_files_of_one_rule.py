"""A rule that holds for several groups of files: each has its own seconds, and the report adds none of them up."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from described import KIB, Part, Work, document, own

from iotriage.analysis.document import CaseDocument
from iotriage.reports.plain_text import as_plain_text
from iotriage.reports.terminal import as_text
from iotriage.rules.core.words import seconds

RANKS = range(64)


def small(*groups: tuple[str, float]) -> CaseDocument:
    """Each rank writes small pieces to a file of each name, in so many seconds."""
    parts = (
        Part(f"/scratch/{name}.{{}}", RANKS, writes=30_000, size=4 * KIB, write_s=took, osts=own(64))
        for name, took in groups
    )
    return document(Work(tuple(parts), nprocs=64, runtime_s=300, nodes=2))


@pytest.mark.parametrize("form", [as_text, as_plain_text], ids=["terminal", "text"])
@pytest.mark.parametrize("groups", [(("a", 60.0), ("b", 30.0)), (("a", 50.0), ("b", 31.0), ("c", 22.0))])
def test_each_group_stands_with_what_it_takes(
    groups: tuple[tuple[str, float], ...], form: Callable[[CaseDocument], str]
) -> None:
    found = small(*groups)
    told = [f for f in found.findings if f.rule == "small-io" and f.verdict == "triggered"]
    assert len(told) >= 2
    text = " ".join(form(found).split())
    assert f"Takes {seconds(told[0].takes_s or 0)} of the I/O time." in text
    for other in told[1:]:
        where = text.index("also on", text.index("Many small accesses"))
        assert f"takes {seconds(other.takes_s or 0)}" in text[where:]
