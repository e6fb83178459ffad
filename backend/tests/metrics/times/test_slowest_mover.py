"""The slowest of the ranks that write or read, by MPICH_MPIIO_TIMERS: divided by hand."""

from __future__ import annotations

import pytest
from evidence_by_hand import metric, value
from timers_by_hand import DETAILED, NAMED, job, stats, timers

from iotriage_parsers.evidence import Lines, MpiioTimers, Phase, Spread

MIB = 2**20
TICKS = 1_250_000_000


def accessed(largest: int, average: int, **fields: object) -> MpiioTimers:
    """A block of 4 s of which the row of the file access has these ticks of a total of 1.25e9."""
    return timers(phases=(Phase("file access", Spread(0, largest, average), 0, 38),), **fields)


@pytest.mark.parametrize("way", ["write", "read"])
def test_of_writers_as_of_readers(way: str) -> None:
    found = job(
        stats(direction=way, independent_accesses=1),
        accessed(1_000_000_000, 125_000_000, direction=way, active_ranks=512, idle_ranks=0),
    )
    assert value(found, "timers.slowest_mover") == 8.0
    assert value(found, "timers.slowest_mover_fraction") == 0.7
    assert value(found, "timers.slowest_mover_time") == pytest.approx(2.8, abs=0.01)
    assert value(found, "timers.slowest_mover_operation") == way
    assert value(found, "timers.slowest_mover_file") == "out.dat"
    assert value(found, "timers.movers") == 512
    assert value(found, "timers.slowest_mover_rank") is None


def test_the_files_are_added_up_and_not_the_longest_alone() -> None:
    quick = accessed(900_000_000, 850_000_000, direction="read", file="in.dat", total_ticks=2 * TICKS)
    slow = [accessed(1_000_000_000, 100_000_000, file=f"o{i}.dat", lines=Lines(60 * i, 60 * i + 9)) for i in (2, 3)]
    found = job(quick, *slow)
    assert value(found, "timers.slowest_mover") == 10.0
    assert value(found, "timers.slowest_mover_fraction") == 1_800_000_000 / (4 * TICKS)
    assert metric(found, "timers.slowest_mover_time").value is None, "no seconds without statistics"


def test_each_block_has_its_own_scale() -> None:
    found = job(accessed(1_000_000_000, 100_000_000), accessed(400_000_000, 300_000_000, file="b", scale_exponent=6))
    assert value(found, "timers.slowest_mover") == (8_000_000_000 + 25_600_000_000) / (800_000_000 + 19_200_000_000)


def test_who_takes_longer_than_the_mean_is_in_the_library_was_not_waited_for_there() -> None:
    found = metric(job(accessed(TICKS + 1, 125_000_000)), "timers.slowest_mover")
    assert found.value is None
    assert "none in which the others can have waited" in str(found.reason)
    assert value(job(accessed(TICKS, 125_000_000)), "timers.slowest_mover") == 10.0


def test_one_rank_alone_has_nobody_beside_it() -> None:
    alone = accessed(1_000_000_000, 125_000_000, active_ranks=1, idle_ranks=511)
    assert value(job(alone), "timers.slowest_mover") is None


def test_level_2_names_the_rank_of_that_file_and_not_of_the_longest() -> None:
    longest = timers(direction="read", file="in.dat", total_ticks=2 * TICKS, details=DETAILED, named_ranks=NAMED)
    slow = accessed(1_000_000_000, 100_000_000)
    assert value(job(longest, slow), "timers.slowest_mover_rank") is None
    writers = timers(ranks="writers only", named_ranks=NAMED[2:], lines=Lines(60, 90))
    assert value(job(longest, slow, writers), "timers.slowest_mover_rank") == 306


@pytest.mark.parametrize("way", ["write", "read"])
@pytest.mark.parametrize("ticks", [0, 700_000_000])
def test_where_all_are_as_quick_nothing_is_lost(way: str, ticks: int) -> None:
    alike = accessed(700_000_000, 700_000_000, direction=way, active_ranks=4, idle_ranks=0)
    found = job(alike, accessed(ticks, ticks, direction=way, file="second.dat", lines=Lines(60, 80)))
    assert value(found, "timers.slowest_mover") == 1.0
    assert value(found, "timers.slowest_mover_fraction") == 0.0
    assert value(found, "timers.slowest_mover_operation") == way
