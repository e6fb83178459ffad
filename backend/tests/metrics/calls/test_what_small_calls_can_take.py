"""What small calls can take beside large ones, what a trace has of the calls, and opens of files that are read."""

from __future__ import annotations

import numpy as np
import pytest
from evidence_by_hand import job, log, metric, table, value

from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.selecting import select_job
from iotriage_parsers.evidence import SEGMENT, DxtTrace

MIB = 2**20
LARGE = {"POSIX_SIZE_WRITE_4M_10M": 100, "POSIX_BYTES_WRITTEN": 800 * MIB, "POSIX_WRITES": 100}
SMALL = {"POSIX_SIZE_WRITE_0_100": 1000, "POSIX_BYTES_WRITTEN": 64_000, "POSIX_WRITES": 1000}
BOTH = LARGE | SMALL | {"POSIX_BYTES_WRITTEN": 800 * MIB + 64_000, "POSIX_WRITES": 1100}


@pytest.mark.parametrize(
    ("counters", "expected"),
    [
        (SMALL | {"POSIX_F_WRITE_TIME": 5.0}, 1.0),
        (LARGE | {"POSIX_F_WRITE_TIME": 5.0}, 0.0),
        (BOTH | {"POSIX_F_WRITE_TIME": 5.0}, 100_000 / (800 * MIB + 64_000)),
        (BOTH | {"POSIX_F_WRITE_TIME": 85.0}, 5 / 85),
        (BOTH | {"POSIX_F_WRITE_TIME": 100.0}, 10 / 100),
        (BOTH | {"POSIX_F_WRITE_TIME": 100.0, "POSIX_F_MAX_WRITE_TIME": 0.1}, 0.9),
        (BOTH, 1.0),
    ],
    ids=[
        "only small",
        "only large",
        "quick",
        "slower than large calls are",
        "all of it slow",
        "no call is long",
        "no time",
    ],
)
def test_small_calls_take_what_large_ones_leave(counters, expected):
    s = job(log(table("POSIX", (1, 0, counters))))
    found = value(s, "posix.small_write_time_fraction")
    assert found == pytest.approx(expected, rel=0.5 if expected < 0.01 else 0.01)


def test_without_writes_there_is_none():
    s = job(log(table("POSIX", (1, 0, {"POSIX_READS": 1}))))
    assert metric(s, "posix.small_write_time_fraction").reason == "no POSIX writes"


def traced(calls: int, *, counted: int = 100) -> Selection:
    counters = {"POSIX_SIZE_WRITE_1M_4M": counted, "POSIX_WRITES": counted, "POSIX_BYTES_WRITTEN": counted * 2 * MIB}
    rows = [(1, 0, True, i * 2 * MIB, 2 * MIB, i, i + 0.5, 0) for i in range(calls)]
    trace = DxtTrace("POSIX", np.array(rows, dtype=SEGMENT), {}, {})
    made = log(table("POSIX", (1, 0, counters)), nprocs=1)
    return select_job([(0, made), (0, trace)])


@pytest.mark.parametrize(
    ("calls", "word", "fraction"), [(100, "yes", 1.0), (90, "yes", 0.9), (89, "in part", 0.89), (0, "no", None)]
)
def test_a_trace_is_held_against_the_counters(calls, word, fraction):
    s = traced(calls)
    assert value(s, "io.traced") == word
    assert value(s, "io.traced_fraction") == (None if fraction is None else pytest.approx(fraction))
    assert value(s, "io.traced_least") == ("POSIX" if calls else None)


def test_opens_of_files_that_many_ranks_only_read_are_told_from_others():
    shared = [(1, rank, {"POSIX_OPENS": 1, "POSIX_BYTES_READ": 10, "POSIX_F_META_TIME": 3.0}) for rank in range(4)]
    own = [(10 + rank, rank, {"POSIX_OPENS": 1, "POSIX_BYTES_READ": 10, "POSIX_F_META_TIME": 1.0}) for rank in range(4)]
    s = job(log(table("POSIX", *shared, *own), nprocs=4))
    assert value(s, "posix.metadata_read_by_many_fraction") == pytest.approx(0.75)
    written = [(1, rank, {"POSIX_BYTES_WRITTEN": 5, "POSIX_F_META_TIME": 3.0}) for rank in range(4)]
    assert value(job(log(table("POSIX", *written), nprocs=4)), "posix.metadata_read_by_many_fraction") == 0.0
