"""Small files of which reading takes as long as opening: two findings, and one cure."""

from __future__ import annotations

from described import KIB, Part, Work, document

from iotriage.analysis.decision.moved_thresholds import with_thresholds
from iotriage.analysis.document import CaseDocument

IMAGES = Work(
    tuple(
        Part(f"/scratch/im/c{k:03}/i_{{}}.jpg", range(8), reads=2, size=60 * KIB, read_s=0.012, meta_s=0.006)
        for k in range(1000)
    ),
    nprocs=8,
    runtime_s=50.0,
    program="/sw/bin/python3",
)


def who_packs(found: CaseDocument) -> list[str]:
    return [
        finding.rule
        for finding in found.findings
        if finding.verdict == "triggered"
        for one in finding.advice
        if one.withheld is None and one.text.startswith("Most of the files are only read: pack them")
    ]


def test_one_cure_of_two_findings_is_said_with_the_one_that_is_read_first() -> None:
    found = document(IMAGES)
    triggered = {f.rule for f in found.findings if f.verdict == "triggered" and f.severity != "info"}
    assert triggered == {"many-small-files", "metadata-bound"}
    assert who_packs(found) == ["many-small-files"]


def test_it_moves_to_the_other_where_a_threshold_takes_the_first_away() -> None:
    assert who_packs(with_thresholds(document(IMAGES), {"many-small-files.files": 1e6})) == ["metadata-bound"]
