"""What the rules cite of the five documents behind them stands there, under that name.

The documents belong to their publishers and are not part of the repository: the tests are skipped where they are not.
"""

from __future__ import annotations

import re

import pytest
from stats_text import extra

from iotriage.rules import all_rules

FOLDER = extra("seeds")
OPENINGS = {
    "archer-bpg": "ARCHER logo",
    "archer2-io": "Skip to content I/O performance and tuning",
    "theta-io": "Parallel 1/0 on Theta",
    "epcc-pio": "Performance of Parallel IO on Lustre and GPFS",
    "nesi-io": "I/O Performance Considerations",
}
NO_HEADING = re.compile(r"slides? [\d–]+|opening")
"""Slides are told by their numbers, and what stands before the first heading by where it is."""

pytestmark = pytest.mark.skipif(FOLDER is None, reason="the documents are not there")


def _plain(text: str) -> str:
    return " ".join(text.split()).lower()


def _documents() -> dict[str, str]:
    texts = [_plain(f.read_text(encoding="utf-8", errors="replace")) for f in FOLDER.iterdir()] if FOLDER else []
    return {
        key: text
        for key, start in OPENINGS.items()
        for text in texts
        if _plain(start) in text[: len(_plain(start)) + 99]
    }


def _stands(name: str, text: str) -> bool:
    """The name as a whole, or each of its parts between commas ("Single Shared File (SSF), MPI-IO")."""
    return _plain(name) in text or all(NO_HEADING.fullmatch(n) or _plain(n) in text for n in name.split(", "))


@pytest.mark.parametrize("rule", all_rules().values(), ids=all_rules())
def test_every_section_that_a_rule_cites_is_in_its_document(rule):
    documents = _documents()
    assert documents.keys() == OPENINGS.keys()
    cited = {(c.document, c.section) for c in rule.citations} | {
        (t.stated_by.document, t.stated_by.section) for t in rule.thresholds
    }
    missing = [
        (document, section)
        for document, section in sorted(cited)
        if document in documents and not all(_stands(n, documents[document]) for n in section.split("; "))
    ]
    assert missing == []
