"""What counts and bytes of statistics leave no doubt of is the least that it can be: below a threshold nothing is told."""

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
