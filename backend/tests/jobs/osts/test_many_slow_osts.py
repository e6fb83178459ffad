"""Many OSTs that are slow at once, up to half of them: told where there is nothing between the two kinds."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from described import MIB, Part, Work, above_info, document

from iotriage.analysis.document import CaseDocument, Finding

RANKS, OSTS = range(64), 16


def paces(of_ost: Sequence[float], small: int = 0) -> CaseDocument:
    """A file of 2 GiB for each rank, on one OST each, which took so many seconds there; the first `small` OSTs have
    files that are written in pieces of a sixteenth."""
    kinds = {"": [r for r in RANKS if r % OSTS >= small], "s": [r for r in RANKS if r % OSTS < small]}
    parts = tuple(
        Part(
            f"/scratch/ck/p.{rank:03}", range(rank, rank + 1), writes=8192 if kind else 512,
            size=MIB // 4 if kind else 4 * MIB, write_s=of_ost[rank % OSTS], osts=(rank % OSTS,),
        )
        for kind, ranks in kinds.items()
        for rank in ranks
    )  # fmt: skip
    return document(Work(parts, nprocs=64, runtime_s=120.0))


def slow_ost(found: CaseDocument) -> Finding | None:
    return next((f for f in found.findings if f.rule == "slow-ost" and f.verdict == "triggered"), None)


@pytest.mark.parametrize("times", [2.0, 3.0, 5.0])
def test_half_of_them_are_named_with_all_their_numbers(times: float) -> None:
    found = paces([20.0] * 8 + [20.0 * times] * 8)
    finding = slow_ost(found)
    assert finding is not None
    assert found.headline.rule == "slow-ost"
    assert found.headline.sentence.startswith("8 OSTs take")
    assert "OSTs 8, 9, 10, 11, 12, 13, 14 and 15" in finding.summary
    told = " ".join(advice.text for advice in finding.advice)
    assert "pool of slower disks" in told
    assert "OSTs 8, 9, 10, 11, 12, 13, 14 and 15 are slow" in told
    assert finding.takes_s == pytest.approx(20.0 * (times - 1), rel=0.02)
    left = found.unexplained
    assert left is not None
    assert "have in common" not in (left.experiment or "")


def test_one_is_named_as_before() -> None:
    found = paces([20.0] * 15 + [60.0])
    assert found.headline.sentence.startswith("OST 15 takes 3 times")


def test_what_a_few_take_is_told_by_the_slowest_of_them() -> None:
    assert slow_ost(paces([20.0] * 13 + [30.0, 35.0, 40.0])) is not None


@pytest.mark.parametrize(
    "of_ost",
    [
        [20.0 + 2.0 * ost for ost in range(OSTS)],
        [20.0] * 6 + [40.0] * 10,
        [20.0] * 8 + [24.0] * 8,
    ],
    ids=["one slower than the other", "most", "hardly"],
)
def test_nothing_is_said_of_servers_that_are_not_of_two_kinds(of_ost: Sequence[float]) -> None:
    assert "slow-ost" not in above_info(paces(of_ost))


def test_files_of_two_kinds_on_every_other_server_are_not_slow_servers() -> None:
    """Half of the ranks write smaller pieces, and their files lie on half of the OSTs."""
    assert "slow-ost" not in above_info(paces([44.0] * 8 + [20.0] * 8, small=8))
    assert "slow-ost" in above_info(paces([44.0] * 8 + [20.0] * 8))


@pytest.mark.parametrize(("first", "index"), [(0, "15"), (1000, "1015"), (12_000, "12015")])
def test_an_ost_has_one_name_wherever_it_stands(first: int, index: str) -> None:
    """Its number is a name, as a rank's is: no groups of three."""
    seconds = [20.0] * 15 + [60.0]
    parts = tuple(
        Part(f"/scratch/p.{r:03}", range(r, r + 1), writes=512, write_s=seconds[r % OSTS], osts=(first + r % OSTS,))
        for r in RANKS
    )
    finding = slow_ost(document(Work(parts, nprocs=64, runtime_s=120.0, osts_in_fs=first + OSTS)))
    assert finding is not None
    told = " ".join((finding.headline or "", finding.summary or "", *(a.text for a in finding.advice)))
    assert told.count(f"OST {index}") >= 4
    assert f"{int(index):,}" == index or f"{int(index):,}" not in told
    assert any(f"--ost {index}" in (a.command or "") for a in finding.advice)
