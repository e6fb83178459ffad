"""Records with values that cannot be true: taken out or marked, always said, and never at another module's cost."""

from __future__ import annotations

import numpy as np
import pytest
from darshan_corpus import evidence
from darshan_writer import Counters, Job, Log, build, record_id

from iotriage_parsers.reader import Limits

A, B = record_id("/a"), record_id("/b")
NAMES = {A: "/a", B: "/b"}


def read(*rows, module="POSIX", names=None, job=None):
    result = evidence(
        build(Log(job=job or Job(), names=NAMES if names is None else names, modules=(Counters.of(module, *rows),)))
    )
    return result, {"POSIX": result.parts[0].posix, "STDIO": result.parts[0].stdio}[module]


@pytest.mark.parametrize("rank", [4, 10**9, -2, -7, 2**62])
def test_a_rank_that_the_job_does_not_have(rank):
    result, table = read({"id": A, "rank": rank, "POSIX_OPENS": 1}, {"id": B, "rank": 3, "POSIX_OPENS": 2})
    assert table.ids.tolist() == [B]
    assert table.partial
    assert result.parts[0].module("POSIX").status == "partly-read"
    (problem,) = result.problems
    assert (problem.code, problem.loses_data, problem.where) == ("out-of-range", True, "POSIX")
    assert str(rank) in problem.message


def test_any_rank_is_kept_where_the_number_of_ranks_is_unknown():
    _, table = read({"id": A, "rank": 700}, {"id": B, "rank": -3}, job=Job(nprocs=0))
    assert table.ranks.tolist() == [700]


@pytest.mark.parametrize("value", [-2, -(2**63), 2**63 - 1])
def test_counters_out_of_range_are_not_available(value):
    result, table = read({"id": A, "rank": 0, "POSIX_BYTES_READ": value, "POSIX_READS": 3})
    assert table.count("POSIX_BYTES_READ").tolist() == [-1]
    assert table.count("POSIX_READS").tolist() == [3]
    assert table.total("POSIX_BYTES_READ") is None
    (problem,) = result.problems
    assert problem.code == "out-of-range"
    assert "POSIX_BYTES_READ" in problem.message
    assert not table.partial


def test_record_ids_among_the_counters_use_all_64_bits():
    result, table = read({"id": A, "rank": 0, "POSIX_RENAMED_FROM": -(2**62)})
    assert table.count("POSIX_RENAMED_FROM").tolist() == [-(2**62)]
    assert result.problems == ()


def test_a_shared_record_that_adds_up_the_mark_for_not_available():
    result, table = read({"id": A, "rank": -1, "POSIX_MMAPS": -4}, {"id": B, "rank": 0, "POSIX_MMAPS": -1})
    assert table.count("POSIX_MMAPS").tolist() == [-1, -1]
    assert [(p.code, p.loses_data) for p in result.problems] == [("note", False)]


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (np.nan, "not-a-number"),
        (np.inf, "not-a-number"),
        (-np.inf, "not-a-number"),
        (-3.5, "out-of-range"),
        (1e9, "out-of-range"),
    ],
)
def test_timers_that_are_no_times(value, code):
    result, table = read({"id": A, "rank": 0, "POSIX_F_READ_TIME": value, "POSIX_F_META_TIME": 0.5})
    assert np.isnan(table.seconds("POSIX_F_READ_TIME")[0])
    assert table.seconds("POSIX_F_META_TIME").tolist() == [0.5]
    (problem,) = result.problems
    assert (problem.code, problem.loses_data) == (code, True)
    assert "POSIX_F_READ_TIME" in problem.message


def test_a_large_variance_is_no_lie_and_minus_one_is_the_mark():
    result, table = read(
        {"id": A, "rank": -1, "POSIX_F_VARIANCE_RANK_BYTES": 1e24, "POSIX_F_CLOSE_START_TIMESTAMP": -1.0}
    )
    assert table.seconds("POSIX_F_VARIANCE_RANK_BYTES").tolist() == [1e24]
    assert table.seconds("POSIX_F_CLOSE_START_TIMESTAMP").tolist() == [-1.0]
    assert result.problems == ()


def test_exact_copies_are_counted_once():
    row = {"id": A, "rank": 0, "POSIX_BYTES_READ": 10}
    result, table = read(*[row] * 50, {"id": A, "rank": 1, "POSIX_BYTES_READ": 10})
    assert table.ranks.tolist() == [0, 1]
    assert table.total("POSIX_BYTES_READ") == 20
    assert "49 records are exact copies" in result.problems[0].message


def test_repeats_with_other_values_are_kept_and_said():
    result, table = read({"id": A, "rank": 0, "POSIX_READS": 1}, {"id": A, "rank": 0, "POSIX_READS": 2})
    assert table.count("POSIX_READS").tolist() == [1, 2]
    assert "repeat a file and rank" in result.problems[0].message


def test_records_without_a_name_are_kept_and_said():
    result, table = read({"id": A, "rank": 0}, {"id": 12345, "rank": 0})
    assert len(table) == 2
    assert "1 records have no name" in result.problems[0].message
    assert result.status == "complete"


def test_the_record_limit():
    import io

    from iotriage_parsers.readers.darshan_log import reader

    rows = [{"id": A, "rank": 0, "POSIX_READS": i} for i in range(9)]
    data = build(Log(names=NAMES, modules=(Counters.of("POSIX", *rows),)))
    result = reader.read(io.BytesIO(data), Limits(records=5))
    assert len(result.parts[0].posix) == 5
    assert result.parts[0].posix.partial
    assert [p.code for p in result.problems if p.loses_data] == ["limit", "damaged"]
