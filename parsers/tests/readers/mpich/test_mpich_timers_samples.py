"""The committed samples: their numbers, and that these hold together as those of one job do."""

from __future__ import annotations

import re

import pytest
from stats_text import read
from timers_text import SAMPLES

from iotriage_parsers.evidence import Evidence, MpiioStats, MpiioTimers, Phase, Spread

MIB = 2**20
CASES = sorted(p.parent.name for p in SAMPLES.glob("*/origin.md"))
CLOCK_HZ = 2.25e9


def sample(case: str) -> Evidence:
    (path,) = (SAMPLES / case).glob("*.txt")
    return read(path.read_bytes())


def test_healthy_collective() -> None:
    evidence = sample("healthy-collective")
    (found,) = evidence.of(MpiioTimers)
    assert evidence.reader == "mpich_stats"
    assert (found.file, found.active_ranks, found.idle_ranks) == ("tarn_0120.h5", 12, 244)
    assert found.phase("wait for coll") == Phase("wait for coll", Spread(7425000, 237600000, 148500000), 44, 52)
    assert found.net_bandwidth == 5120 * MIB


def test_late_ranks() -> None:
    (found,) = sample("late-ranks").of(MpiioTimers)
    assert found.total_ticks == 2162109375
    assert [(p.label, p.percent) for p in found.phases if (p.percent or 0) > 5] == [
        ("imbalance", 24),
        ("wait for coll", 62),
        ("file access", 9),
    ]


def test_exchange_bound() -> None:
    (found,) = sample("exchange-bound").of(MpiioTimers)
    assert found.phase("data send") == Phase("data send", Spread(111375000, 1515937500, 1113750000), 72, 55)


def test_times_without_statistics() -> None:
    evidence = sample("times-alone")
    assert evidence.reader == "mpich_timers"
    assert evidence.of(MpiioStats) == ()
    assert [(b.file, b.scale_exponent, b.total_ticks) for b in evidence.of(MpiioTimers)] == [
        ("ripple.0080.dat", 3, 540000000),
        ("ripple.0160.dat", 3, 554062500),
    ]


@pytest.mark.parametrize("case", CASES)
def test_the_figures_of_a_block_hold_together(case: str) -> None:
    """As in the public block of 2017: each bandwidth is the same bytes over its time, percents are cut to integers,
    and all phases but the file access add to nearly the total."""
    evidence = sample(case)
    for found in evidence.of(MpiioTimers):
        assert (found.complete, found.trusted) == (True, True)
        assert found.total_ticks is not None
        assert found.scale_exponent is not None
        seconds = found.total_ticks * 2**found.scale_exponent / CLOCK_HZ
        rates = {"data send": found.data_send_bandwidth, "file access": found.raw_bandwidth}
        assert found.net_bandwidth is not None
        for phase in found.phases:
            low, high, mean = phase.ticks.minimum, phase.ticks.maximum, phase.ticks.average
            assert low is not None
            assert high is not None
            assert mean is not None
            assert low <= mean <= high
            assert phase.percent == int(100 * mean / found.total_ticks)
            if (rate := rates.get(phase.label)) is not None:
                rounded = max(1e-6, 0.0005 * MIB / rate + 0.0005 * MIB / found.net_bandwidth)
                assert rate * mean == pytest.approx(found.net_bandwidth * found.total_ticks, rel=rounded)
        if (found.ranks, found.direction) != ("all ranks", "write") or found.phase("wait for coll") is None:
            continue
        shares = [(p.ticks.average or 0) / found.total_ticks for p in found.phases if p.label != "file access"]
        assert sum(shares) == pytest.approx(0.995, abs=0.002)
        opening = found.phase("open/close/trunc")
        if opening is None:
            continue
        assert found.seconds_of("open/close/trunc time") is not None
        assert found.seconds_of("open/close/trunc time").average == pytest.approx(
            (opening.ticks.average or 0) / found.total_ticks * seconds, abs=0.005
        )
        for stats in evidence.of(MpiioStats):
            if (stats.file, stats.direction) == (found.file, found.direction):
                assert stats.total_bytes is not None
                assert stats.total_bytes == pytest.approx(found.net_bandwidth * seconds, rel=1e-5)
                if found.direction == "write" and stats.collective_accesses:
                    assert stats.aggregators == found.active_ranks


@pytest.mark.parametrize("case", CASES)
def test_the_line_numbers_in_the_origin_are_right(case: str) -> None:
    origin = (SAMPLES / case / "origin.md").read_text(encoding="utf-8")
    for found in sample(case).of(MpiioTimers):
        assert re.search(rf"lines {found.lines.first} to {found.lines.last}\b", origin)
