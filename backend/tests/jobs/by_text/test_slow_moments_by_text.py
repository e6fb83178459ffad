"""One output of many that took far longer, by what MPICH_MPIIO_TIMERS printed when each was closed."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from described import above_info
from printed_by_mpich import GIB, LATE, STORAGE, case, phases, printed, statistics

from iotriage.analysis.document import CaseDocument

Seconds = Mapping[int, float]


def outputs(
    slow: Seconds, *, shares: Mapping[str, float] = STORAGE, moved: int = 24 * GIB, of: int = 10
) -> CaseDocument:
    """Ten outputs of 30 s each but for the slow ones, which have these shares and move so much."""
    blocks = []
    for i in range(of):
        path, took, much = f"/scratch/ck.{i}", slow.get(i, 30.0), moved if i in slow else 24 * GIB
        blocks += [statistics(path, much), phases(path, much, took, shares if i in slow else STORAGE)]
    return case(printed(*blocks))


def test_one_output_that_took_far_longer_is_the_storages_moment() -> None:
    document = outputs({7: 300.0})
    assert document.headline.rule == "slow-moment"
    assert document.headline.sentence == "One of 10 similar files took far longer than the others."
    (found,) = (f for f in document.findings if f.rule == "slow-moment")
    assert found.takes_s == pytest.approx(270.0, rel=0.01)
    assert "ck.7 took 5 min, the median one 30.0 s" in (found.summary or "")


@pytest.mark.parametrize(
    "document",
    [
        outputs({7: 80.0}),
        outputs({7: 300.0}, shares=LATE),  # ranks that came late, and no storage
        outputs({7: 300.0}, moved=240 * GIB),
        outputs({1: 300.0, 4: 300.0, 7: 300.0}),
        outputs({2: 300.0}, of=3),
    ],
    ids=["not three times", "late ranks", "more bytes", "several", "few files"],
)
def test_other_outputs_are_no_moment(document: CaseDocument) -> None:
    assert "slow-moment" not in above_info(document)
