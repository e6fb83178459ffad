"""Which of files alike is called the slow one: one of those that took far longer, in the mean rank too."""

from __future__ import annotations

import pytest
from evidence_by_hand import job, log, table, value
from timers_by_hand import MIB, stats, timers

from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.selecting import select_job
from iotriage_parsers.evidence import Lines, Phase, Spread

RANKS = 8


def files(late_rank_s: float, slow_s: float) -> Selection:
    """Of twelve alike one has a late rank, and one is slow for all."""
    took = [(2.0, 2.0)] * 4 + [(late_rank_s, 2.2)] + [(2.0, 2.0)] * 4 + [(slow_s, slow_s)] + [(2.0, 2.0)] * 2
    records = [
        (
            n + 1,
            -1,
            {
                "POSIX_WRITES": 80,
                "POSIX_BYTES_WRITTEN": 80 * MIB,
                "POSIX_F_WRITE_TIME": RANKS * mean,
                "POSIX_F_SLOWEST_RANK_TIME": slowest,
                "POSIX_F_WRITE_START_TIMESTAMP": 5.0 + 7 * n,
                "POSIX_F_WRITE_END_TIMESTAMP": 5.0 + 7 * n + slowest,
            },
        )
        for n, (slowest, mean) in enumerate(took)
    ]
    return job(log(table("POSIX", *records), nprocs=RANKS, runtime_s=500.0))


@pytest.mark.parametrize(("late_rank_s", "slow_s"), [(12.0, 10.0), (40.0, 5.0), (3.0, 10.0)])
def test_a_late_rank_makes_no_file_the_slow_one(late_rank_s: float, slow_s: float) -> None:
    found = files(late_rank_s, slow_s)
    assert value(found, "group.slow_files") == 1
    assert value(found, "group.slowest_file") == "file10"
    assert value(found, "group.slowest_file_time") == slow_s
    assert value(found, "group.slowest_file_times") == slow_s / 2.0
    assert value(found, "group.slowest_file_began") == 5.0 + 7 * 9


@pytest.mark.parametrize("slow_s", [2.0, 3.0, 10.0])
def test_osts_of_files_without_a_layout_are_not_counted_whether_one_is_slow_or_none(slow_s: float) -> None:
    assert value(files(2.0, slow_s), "group.slow_files_own_osts") is None


@pytest.mark.parametrize("late", [2, 7])
def test_by_times_of_closes_either(late: int) -> None:
    """One close waits for a rank, in another the writers take longer too."""
    parts = []
    for n in range(10):
        longer = 6 if n == late else 4 if n == 5 else 1
        writing = 900_000_000 * (4 if n == 5 else 1)
        total = 1_250_000_000 * longer
        of = {"file": f"out.{n}.dat", "lines": Lines(100 * n + 19, 100 * n + 46)}
        row = (Phase("file access", Spread(0, writing, writing), 0, 38),)
        rate = 2048.0 * MIB / longer
        parts += [
            stats(file=of["file"], lines=Lines(100 * n + 1, 100 * n + 18), independent_accesses=4, system_accesses=8),
            timers(**of, total_ticks=total, phases=row, net_bandwidth=rate),
        ]
    found = select_job([(0, part) for part in parts])
    assert value(found, "group.slow_files") == 1
    assert value(found, "group.slowest_file") == "out.5.dat"
