"""One slow reader or writer that MPICH_MPIIO_TIMERS alone tell of. Each job was written down before it was asked."""

from __future__ import annotations

import pytest
from described import above_info
from printed_by_mpich import GIB, case, phases, printed, statistics, takes

SHARES = {"imbalance": 0.9, "file write": 0.03, "other": 0.05}
ALONE = {"independent_writes": 4096, "independent_writers": 512, "collective_writes": 0}


def job(most: float, way: str, shares: dict[str, float] = SHARES, **changed: object) -> bytes:
    """512 ranks, in 40 s; the slowest is in the file for the share `most` of it."""
    text = statistics("mesh.dat", 4 * GIB, **changed) + phases(
        "mesh.dat", 4 * GIB, 40, shares, most={"file write": most}
    )
    text = text.replace("writing        =    12", "writing        =   512").replace(
        "not writing    =   500", "not writing    =     0"
    )
    if way == "read":
        left_out = (
            "read-modify-write",
            "aggregators active",
            "exchange/write",
            "data send",
            "wait for coll",
            "| collective",
        )
        text = "".join(f"{line}\n" for line in text.splitlines() if not any(words in line for words in left_out))
        text = text.replace("writing", "reading").replace("write", "read")
    return printed(text)


@pytest.mark.parametrize("way", ["write", "read"])
def test_one_slow_rank_is_named_whichever_way_it_moves_the_bytes(way: str) -> None:
    document = case(job(0.95, way, **ALONE))
    assert document.headline.rule == "straggler-rank"
    assert document.headline.sentence.startswith(
        f"The slowest of 512 {way.removesuffix('e')}ing ranks takes 31.7 times"
    )
    assert takes(document, "straggler-rank") == pytest.approx(36.8, abs=0.1)


@pytest.mark.parametrize("way", ["write", "read"])
def test_of_independent_calls_nobody_says_that_it_has_no_more_to_do(way: str) -> None:
    (finding,) = (f for f in case(job(0.95, way, **ALONE)).findings if f.rule == "straggler-rank")
    said = " ".join(a.text for a in finding.advice)
    assert "These times do not say how much each rank has" in said
    assert "no more than the others" not in said
    assert f"MPI_File_{way}_all" in said
    assert [a.command for a in finding.advice if a.command] == ["export MPICH_MPIIO_TIMERS=2"]


def test_who_reads_long_while_the_others_compute_keeps_nobody_waiting() -> None:
    """The mean rank is in MPI-IO for less time than the slowest is in the file."""
    document = case(job(1.4, "read", {"file write": 0.6, "imbalance": 0.2, "other": 0.1}, **ALONE))
    assert "straggler-rank" not in above_info(document)


@pytest.mark.parametrize("way", ["write", "read"])
def test_ranks_that_are_all_as_slow_are_not(way: str) -> None:
    document = case(job(0.95, way, {"file write": 0.8, "imbalance": 0.1, "other": 0.05}, **ALONE))
    assert "straggler-rank" not in above_info(document)
