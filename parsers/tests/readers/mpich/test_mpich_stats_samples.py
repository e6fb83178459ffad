"""The committed samples: their numbers, and that these hold together as those of one job do."""

from __future__ import annotations

import re

import pytest
from stats_text import SAMPLES, codes, message, read

from iotriage_parsers.evidence import AggregatorsActive, Evidence, MpiioStats

GIB = 2**30


def sample(case: str) -> Evidence:
    (path,) = (SAMPLES / case).glob("*.txt")
    return read(path.read_bytes())


def only(case: str) -> MpiioStats:
    (found,) = sample(case).of(MpiioStats)
    return found


def test_good_collective_write() -> None:
    found = only("good-collective-write")
    assert found.file == "field.bay.h5"
    assert (found.collective_accesses, found.independent_accesses) == (16_384, 0)
    assert (found.aggregators, found.stripe_count, found.stripe_size_bytes) == (12, 12, 1_048_576)
    assert found.system_accesses == found.stripe_sized_accesses == 49_152
    assert found.aggregators_active == AggregatorsActive(0, 0, 0, 16_384, 12)
    assert found.total_bytes == 48 * GIB
    assert (found.rmw_count, found.gap_count, found.average_gap_bytes) == (0, 0, None)


def test_one_aggregator() -> None:
    found = only("bad-collective-write-one-aggregator")
    assert found.file == "out/plume.0064.dat"
    assert (found.aggregators, found.stripe_count) == (1, 1)
    assert found.aggregators_active == AggregatorsActive(16_384, 0, 0, 0, 1)
    assert found.system_accesses == found.stripe_sized_accesses == 65_536
    assert found.total_bytes == 64 * GIB


def test_independent_write() -> None:
    found = only("independent-write")
    assert (found.independent_accesses, found.independent_accessors, found.collective_accesses) == (460_800, 384, 0)
    assert found.average_system_access_bytes == 47_008
    assert found.stripe_sized_accesses == 0


def test_rmw_and_gaps() -> None:
    found = only("rmw-and-gaps")
    assert (found.rmw_count, found.rmw_bytes) == (18_204, 12_824_936_448)
    assert (found.gap_count, found.average_gap_bytes) == (31_977, 46_112)
    assert (found.stripe_sized_accesses, found.system_accesses) == (9_874, 42_310)


def test_few_active_aggregators() -> None:
    found = only("few-active-aggregators")
    assert found.aggregators_active == AggregatorsActive(384, 76_416, 0, 0, 12)
    calls = 400
    assert found.total_bytes is not None
    assert found.total_bytes // calls >= 12 * 1_048_576


def test_progressive_layout() -> None:
    found = only("v3-pfl-read")
    assert (found.direction, found.ranks_in_communicator, found.collective_accesses) == ("read", 96, 1_056)
    assert (found.system_accesses, found.stripe_sized_accesses, found.total_bytes) == (2_176, 1_152, 5_905_580_032)
    assert [c.line for c in found.pfl] == [13, 14, 15, 16]


def test_labelled() -> None:
    evidence = sample("labelled-srun")
    ocean, atmosphere = evidence.of(MpiioStats)
    assert (ocean.file, ocean.total_bytes, ocean.collective_accesses) == ("restart/ocean.0007.bin", 3 * GIB, 384)
    assert (atmosphere.file, atmosphere.total_bytes) == ("restart/atmos.0007.bin", 704_643_072)
    assert codes(evidence) == ["stripped"]
    assert "launcher labels" in message(evidence, "stripped")


def test_cut() -> None:
    evidence = sample("cut-by-scancel")
    whole, cut = evidence.of(MpiioStats)
    assert (whole.complete, whole.total_bytes) == (True, 8 * GIB + 6_528)
    assert (cut.complete, cut.trusted, cut.system_accesses, cut.total_bytes) == (False, True, 8_204, None)
    assert evidence.status == "partial"
    assert codes(evidence) == ["unterminated", "torn", "ended"]


@pytest.mark.parametrize("case", sorted(p.parent.name for p in SAMPLES.glob("*/origin.md")))
def test_the_figures_of_a_block_hold_together(case: str) -> None:
    for found in sample(case).of(MpiioStats):
        if not found.complete:
            continue
        assert found.total_bytes is not None
        assert found.system_accesses
        assert found.average_system_access_bytes == found.total_bytes // found.system_accesses
        total = next(f.text for f in found.fields if f.label == "total bytes for accesses")
        units = [f"{found.total_bytes >> k} {u}" for k, u in ((20, "MiB"), (30, "GiB")) if found.total_bytes >> k]
        assert total.split(" = ") == [str(found.total_bytes), *units]
        if (active := found.aggregators_active) is not None:
            assert active.one + active.low + active.high + active.all == found.collective_accesses
            assert active.n == found.aggregators


@pytest.mark.parametrize("case", sorted(p.parent.name for p in SAMPLES.glob("*/origin.md")))
def test_the_line_numbers_in_the_origin_are_right(case: str) -> None:
    origin = (SAMPLES / case / "origin.md").read_text(encoding="utf-8")
    for found in sample(case).of(MpiioStats):
        assert re.search(rf"lines {found.lines.first} to {found.lines.last}\b", origin)
