"""Small files of which reading takes as long as opening: one finding has all of that, and one cure."""

from __future__ import annotations

import pytest
from described import KIB, Part, Work, document, seconds_of

from iotriage.analysis.decision.moved_thresholds import with_thresholds
from iotriage.analysis.document import CaseDocument

IMAGES = Work(
    tuple(
        Part(f"/scratch/im/c{k:03}/i_{{}}.jpg", range(2), reads=2, size=60 * KIB, read_s=0.012, meta_s=0.006)
        for k in range(1000)
    ),
    nprocs=2,
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
    triggered = [f for f in found.findings if f.verdict == "triggered" and f.takes_s is not None]
    assert {f.rule: round(f.takes_s or 0.0) for f in triggered if f.severity != "info"} == {"many-small-files": 18}
    assert [f.takes_s for f in triggered if f.rule == "metadata-bound"] == [pytest.approx(0.0, abs=0.1)]
    assert who_packs(found) == ["many-small-files"]


def test_it_moves_to_the_other_where_a_threshold_takes_the_first_away() -> None:
    assert who_packs(with_thresholds(document(IMAGES), {"many-small-files.files": 1e6})) == ["metadata-bound"]


def beside(*others: Part) -> dict[str, float]:
    """Seconds by rule of small files, which take 32 s of each rank, 20 s of these to make them, beside others."""
    small = tuple(
        Part(f"/scratch/s/{{}}/t{k:03}", range(64), writes=2, size=60 * KIB, write_s=0.3, meta_s=0.5) for k in range(40)
    )
    return seconds_of(Work((*small, *others), nprocs=64, runtime_s=120.0, nodes=1))


def test_metadata_of_other_files_is_not_theirs() -> None:
    assert beside() == {"many-small-files": 32.0}
    asked = Part("/scratch/ck/one.flag", range(64), opens=1, stats=30_000, meta_s=15.0, reads=1, size=20)
    assert beside(asked) == {"many-small-files": 32.0, "metadata-bound": 15.0}


def test_what_each_of_them_costs_because_it_is_opened_again_is_not_their_number() -> None:
    again = tuple(
        Part(
            f"/scratch/src/h{k}.h", range(1), reads=40, size=4 * KIB, opens=40, read_s=0.004, meta_s=0.02, reach=4 * KIB
        )
        for k in range(3000)
    )
    assert seconds_of(Work(again, nprocs=1, runtime_s=150.0, nodes=1))["metadata-bound"] == 60.0
