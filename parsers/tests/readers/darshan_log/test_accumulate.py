"""Derived figures on records small enough to add up by hand."""

from __future__ import annotations

import numpy as np
import pytest
from darshan_corpus import evidence
from darshan_writer import Counters, Job, Log, build, record_id

from iotriage_parsers.readers.darshan_log.accumulate import (
    FileCategory,
    accumulate,
    slowest_time_by_file,
    time_by_rank,
    time_by_slowest,
)

SHARED, A, B, PART = (record_id(name) for name in ("/shared", "/a", "/b", "/part"))
NAMES = {SHARED: "/shared", A: "/a", B: "/b", PART: "/part"}


def own(file, rank, read=0, write=0, meta=0.0, reading=0.0, writing=0.0, **more):
    return {
        "id": file,
        "rank": rank,
        "POSIX_BYTES_READ": read,
        "POSIX_BYTES_WRITTEN": write,
        "POSIX_MAX_BYTE_WRITTEN": write,
        "POSIX_F_META_TIME": meta,
        "POSIX_F_READ_TIME": reading,
        "POSIX_F_WRITE_TIME": writing,
    } | more


def table(*rows, module="POSIX"):
    log = evidence(build(Log(job=Job(nprocs=4), names=NAMES, modules=(Counters.of(module, *rows),)))).parts[0]
    return log.posix if module == "POSIX" else log.mpiio


EVERYTHING = (
    own(SHARED, -1, write=6000, meta=99.0, writing=99.0, POSIX_F_SLOWEST_RANK_TIME=3.0),
    own(A, 0, write=1000, meta=0.5, writing=1.0),
    own(B, 1, read=500, write=500, meta=0.5, reading=1.0, writing=1.5),
    own(PART, 1, read=200, reading=0.25),
    own(PART, 2, read=300, reading=4.0),
)


def test_time_and_bandwidth_by_slowest():
    result = accumulate(table(*EVERYTHING), 4)
    assert result.total_bytes == 8500
    assert result.shared_time_by_slowest_s == 3.0
    assert result.slowest_rank == 2
    assert result.unique_time_by_slowest_s == 4.0
    assert result.unique_rw_time_by_slowest_s == 4.0
    assert result.unique_meta_time_by_slowest_s == 0.0
    assert result.agg_time_by_slowest_s == 7.0
    assert result.agg_perf_by_slowest == pytest.approx(8500 / 7.0)
    assert result.untimed_records == 0


def test_file_categories():
    files = accumulate(table(*EVERYTHING), 4).files
    assert files.total == FileCategory(4, 1000, 7500, 500, 6000, 7500, 6000, None)
    assert files.read_only == FileCategory(1, 500, 0, 500, 0, 0, 0, 2)
    assert files.write_only == FileCategory(2, 0, 7000, 0, 6000, 7000, 6000, None)
    assert files.read_write == FileCategory(1, 500, 500, 500, 500, 500, 500, 1)
    assert files.unique == FileCategory(2, 500, 1500, 500, 1000, 1500, 1000, 2)
    assert files.shared == FileCategory(1, 0, 6000, 0, 6000, 6000, 6000, None)
    assert files.partially_shared == FileCategory(1, 500, 0, 500, 0, 0, 0, 2)


def test_mpiio_has_no_offsets():
    rows = ({"id": A, "rank": 0, "MPIIO_BYTES_READ": 7, "MPIIO_F_READ_TIME": 1.0},)
    result = accumulate(table(*rows, module="MPI-IO"), 4)
    assert result.files.total.max_offset_bytes is None
    assert result.agg_perf_by_slowest == 7.0


@pytest.mark.parametrize("nprocs", [None, 0, -3])
def test_without_a_number_of_ranks_bytes_remain(nprocs):
    result = accumulate(table(*EVERYTHING), nprocs)
    assert result.total_bytes == 8500
    assert result.agg_perf_by_slowest is None
    assert result.agg_time_by_slowest_s is None
    assert result.slowest_rank is None


def test_without_a_single_timer_nothing_is_said_of_time():
    nothing = dict.fromkeys(("meta", "reading", "writing"), np.nan)
    result = accumulate(table(own(A, 0, write=10, **nothing)), 4)
    assert (result.agg_time_by_slowest_s, result.agg_perf_by_slowest) == (None, None)
    assert (result.total_bytes, result.untimed_records) == (10, 1)


def test_bytes_without_a_time_give_no_bandwidth():
    nothing = dict.fromkeys(("meta", "reading", "writing"), np.nan)
    result = accumulate(table(own(A, 0, write=10, **nothing), own(B, 1, write=10, writing=2.0)), 4)
    assert result.agg_time_by_slowest_s == 2.0
    assert result.agg_perf_by_slowest is None


def test_no_time_at_all_is_no_bandwidth():
    result = accumulate(table(own(A, 0)), 4)
    assert (result.agg_time_by_slowest_s, result.agg_perf_by_slowest) == (0.0, None)


def test_marks_for_not_available_are_left_out_of_sums():
    result = accumulate(table(own(A, 0, read=-1, write=8, meta=-1.0, writing=2.0)), 4)
    assert (result.total_bytes, result.agg_time_by_slowest_s) == (8, 2.0)


def test_sums_beyond_int64_do_not_wrap():
    rows = [own(A, rank, write=2**60, writing=1.0) for rank in range(4)] * 1
    rows += [own(B, rank, write=2**60, writing=1.0) for rank in range(4)]
    assert accumulate(table(*rows), 4).total_bytes == 8 * 2**60


def test_an_empty_table():
    result = accumulate(table(*EVERYTHING).rows(np.zeros(5, np.bool_)), 4)
    assert (result.total_bytes, result.agg_time_by_slowest_s, result.files.total) == (0, None, FileCategory())


def test_time_by_slowest_of_each_record():
    assert time_by_slowest(table(*EVERYTHING)).tolist() == [3.0, 1.5, 3.0, 0.25, 4.0]


def test_time_by_rank_counts_own_records_only():
    times = time_by_rank(table(*EVERYTHING))
    assert times.ranks.tolist() == [0, 1, 2]
    assert times.total_s.tolist() == [1.5, 3.25, 4.0]
    assert times.read_write_s.tolist() == [1.0, 2.75, 4.0]
    assert times.meta_s.tolist() == [0.5, 0.5, 0.0]


def test_slowest_time_of_each_file():
    times = slowest_time_by_file(table(*EVERYTHING, own(PART, 1, reading=4.5, POSIX_OPENS=2)))
    assert dict(zip(times.ids.tolist(), times.seconds.tolist(), strict=True)) == {
        SHARED: 3.0,
        A: 1.5,
        B: 3.0,
        PART: 4.75,
    }
