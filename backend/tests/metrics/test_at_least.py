"""What counts and bytes of statistics leave no doubt of is the least: below a threshold nothing is told."""

from __future__ import annotations

import pytest
from evidence_by_hand import block, job, metric

from iotriage.analysis.decision.condition import compare

MIB = 2**20


@pytest.mark.parametrize("way", ["write", "read"])
@pytest.mark.parametrize(("average", "least"), [(2 * MIB, 0.0), (MIB // 4, 0.75)])
def test_small_calls_by_statistics(way: str, average: int, least: float) -> None:
    calls = 1_000
    one = block(direction=way, independent_accesses=calls, collective_accesses=0, total_bytes=calls * average)
    found = job(stats=[one])
    for name, value in (("fraction", least), ("s", least * calls)):
        small = metric(found, f"mpiio.small_{way}_{name}" if name == "fraction" else f"mpiio.small_{way}s")
        assert (small.value, small.bound) == (value, "lower")
    part = metric(found, f"mpiio.small_{way}_fraction")
    assert compare(part.value, ">=", 0.8, part.bound) is None
    assert compare(part.value, ">=", least, part.bound) is True


@pytest.mark.parametrize(("others", "bound"), [(0, None), (1, "lower"), (3, "lower")])
def test_what_one_rank_moves_of_other_files_is_not_known(others: int, bound: str | None) -> None:
    lone = block(independent_accessors=1, collective_accesses=0, total_bytes=MIB, ranks_in_communicator=8)
    together = [
        block(
            file=f"of_all.{n}", independent_accessors=8, collective_accesses=9, total_bytes=MIB, ranks_in_communicator=8
        )
        for n in range(others)
    ]
    found = metric(job(stats=[lone, *together]), "balance.slowest_rank_share")
    assert (found.value, found.bound) == (1 / (1 + others), bound)


def test_who_reads_is_no_writer() -> None:
    read = block(direction="read", independent_accessors=64, total_bytes=8 * MIB)
    wrote = block(independent_accessors=2, total_bytes=MIB)
    of_reads, of_both = job(stats=[read]), job(stats=[read, wrote])
    assert metric(of_reads, "mpiio.independent_writers").value is None
    assert metric(of_reads, "mpiio.independent_readers").value == 64
    assert metric(of_both, "mpiio.independent_writers").value == 2
    assert metric(of_both, "mpiio.independent_readers").value == 64
    assert metric(job(stats=[wrote]), "mpiio.independent_readers").value is None
