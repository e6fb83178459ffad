"""A few words of each section that a rule cites, once."""

from __future__ import annotations

from iotriage.rules.core import Citation
from iotriage.rules.core.quotations import quotations


def test_each_section_of_a_citation_is_quoted_once() -> None:
    cited = [
        Citation("archer-bpg", "Stripe Count"),
        Citation("archer-bpg", "SSF Note"),
        Citation("archer-bpg", "Stripe Count"),
        Citation("project", "Ours"),
        Citation("archer-bpg", "No such section"),
    ]
    found = quotations(cited)
    assert [(one.document, one.section) for one in found] == [
        ("archer-bpg", "Stripe Count"),
        ("archer-bpg", "SSF Note"),
    ]
    assert found[0].quotes == ("large stripe counts for small files can be detrimental",)
