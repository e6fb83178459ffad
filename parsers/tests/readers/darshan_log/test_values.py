"""Values that cannot be are named with their record, left out, and never wrap a sum."""

from __future__ import annotations

import numpy as np
import pytest
from darshan_writer import Counters, Job, Log, Raw, build, record_id

from iotriage_parsers.readers.darshan_log import counters
from iotriage_parsers.readers.darshan_log.values import LARGEST_COUNT, kind_of_count, kind_of_time

A, B = record_id("/a"), record_id("/b")
NAMES = {A: "/a", B: "/b"}


def read(evidence, *rows, module="POSIX", **job):
    result = evidence(build(Log(job=Job(**job), names=NAMES, modules=(Counters.of(module, *rows),))))
    (log,) = result.parts
    return result, {"POSIX": log.posix, "MPI-IO": log.mpiio}[module]


@pytest.fixture
def evidence():
    import io

    from iotriage_parsers import detect

    return lambda data: detect.read(io.BytesIO(data))


@pytest.mark.parametrize(
    ("counter", "value", "said"),
    [
        ("POSIX_SLOWEST_RANK", 4, "a rank that the job does not have"),
        ("POSIX_BYTES_READ", -27262, "below −1"),
        ("POSIX_BYTES_READ", LARGEST_COUNT + 1, "above 2^60"),
        ("POSIX_READS", -1, "Darshan always has"),
        ("POSIX_F_READ_END_TIMESTAMP", 200.0, "after the end of the run"),
        ("POSIX_F_MAX_READ_TIME", 200.0, "after the end of the run"),
        ("POSIX_F_READ_TIME", float("nan"), "not a number"),
        ("POSIX_F_READ_TIME", 1e300, "longer than the run"),
    ],
)
def test_a_value_that_cannot_be_is_named_and_absent(evidence, counter, value, said):
    sound = {"id": A, "rank": 0, "POSIX_READS": 5, "POSIX_BYTES_READ": 10, "POSIX_F_READ_TIME": 1.0}
    result, table = read(evidence, sound, {**sound, "id": B, "rank": 1, counter: value})
    (problem,) = result.problems
    assert said in problem.message
    assert f"{counter} of record {B}, rank 1" in problem.message
    assert (problem.loses_data, problem.where, result.status) == (True, "POSIX", "partial")
    if counter in counters.POSIX_COUNTERS:
        assert table.count(counter)[1] == -1
    else:
        assert np.isnan(table.seconds(counter)[1])


def test_a_sum_of_marks_is_not_available_only_where_darshan_marks(evidence):
    result, table = read(evidence, {"id": A, "rank": -1, "POSIX_MMAPS": -4, "POSIX_BYTES_READ": -4})
    assert [(p.code, p.loses_data) for p in result.problems] == [("note", False), ("out-of-range", True)]
    assert table.count("POSIX_MMAPS")[0] == -1


def test_what_ends_before_it_begins_is_left_out_whole(evidence):
    times = {"POSIX_F_READ_START_TIMESTAMP": 9.0, "POSIX_F_READ_END_TIMESTAMP": 3.0}
    result, table = read(evidence, {"id": A, "rank": 0, **times})
    assert "first start after the last end" in result.problems[0].message
    assert all(np.isnan(table.seconds(name)[0]) for name in times)


def test_no_sum_over_records_wraps(evidence):
    rows = [{"id": A, "rank": rank, "MPIIO_BYTES_READ": 2**60} for rank in range(1, 16)]
    rows.append({"id": A, "rank": 0, "MPIIO_BYTES_READ": 77})
    result, table = read(evidence, *rows, module="MPI-IO", nprocs=16)
    assert table.total("MPIIO_BYTES_READ") == 77
    assert result.status == "partial"


@pytest.mark.parametrize("place", ["module 40", "MDHIM"])
def test_a_module_that_is_not_read_is_named_and_missing(evidence, place):
    from mutants import darshan

    data = build(Log(names=NAMES, modules=(Counters.of("POSIX", {"id": A, "rank": 0}), Raw("STDIO", 2, bytes(248)))))
    log = darshan.apart(data)
    where = 40 if place == "module 40" else 12
    moved = tuple(darshan.Region(where, r.version, r.data) if r.place == 9 else r for r in log.regions)
    result = evidence(darshan.together(darshan.Apart(log.header, log.wide, log.order, log.code, log.job, moved)))
    assert result.status == "partial"
    assert any(p.where == place and "no reader" in p.message for p in result.problems)


def test_every_counter_has_a_kind():
    assert kind_of_count("POSIX_BYTES_READ") == "count"
    assert kind_of_count("POSIX_MAX_BYTE_READ") == "size"
    assert kind_of_count("POSIX_RENAMED_FROM") == "record"
    assert kind_of_count("POSIX_SLOWEST_RANK") == "rank"
    assert kind_of_count("POSIX_SLOWEST_RANK_BYTES") == "size"
    assert kind_of_time("POSIX_F_MAX_READ_TIME") == "longest"
    assert kind_of_time("POSIX_F_OPEN_START_TIMESTAMP") == "moment"
    assert kind_of_time("POSIX_F_VARIANCE_RANK_BYTES") == "variance"
    assert kind_of_time("POSIX_F_META_TIME") == "spent"
