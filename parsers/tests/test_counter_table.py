"""Rows selected of a table hold what the same rows of its arrays do, whichever counters are asked for first."""

from __future__ import annotations

import io

import numpy as np
import pytest
from darshan_writer import Counters, Job, Log, build, record_id

from iotriage_parsers import detect


@pytest.fixture
def posix():
    names = {record_id(f"/f{i}"): f"/f{i}" for i in range(90)}
    rows = [
        {"id": record, "rank": i % 4, "POSIX_READS": i, "POSIX_WRITES": 2 * i, "POSIX_F_READ_TIME": i / 100}
        for i, record in enumerate(names)
    ]
    log = build(Log(job=Job(nprocs=4), names=names, modules=(Counters.of("POSIX", *rows),)))
    return detect.read(io.BytesIO(log)).parts[0].posix


@pytest.mark.parametrize("columns_first", [True, False])
def test_selected_rows_are_those_of_the_arrays(posix, columns_first):
    few = posix.ranks < 2
    among_them = np.array([3, 1, 2])
    selected, wanted = posix.rows(few).rows(among_them), np.flatnonzero(few)[among_them]
    if not columns_first:
        assert np.array_equal(selected.ints, posix.ints[wanted])
        assert np.array_equal(selected.floats, posix.floats[wanted])
    for name in posix.int_names:
        assert np.array_equal(selected.count(name), posix.count(name)[wanted])
    for name in posix.float_names:
        assert np.array_equal(selected.seconds(name), posix.seconds(name)[wanted], equal_nan=True)
    pair = np.stack([selected.count("POSIX_READS"), selected.count("POSIX_WRITES")], axis=1)
    assert np.array_equal(selected.counts("POSIX_READS", 2), pair)
    assert np.array_equal(selected.ids, posix.ids[wanted])


@pytest.mark.parametrize("records", [0, 1, 8, 9, 90])
def test_what_is_not_available_adds_nothing_to_a_sum_of_few_records_or_many(posix, records):
    lacking = np.where(posix.ints % 3 == 1, -1, posix.ints)
    table = posix.copy(ints=lacking).rows(np.arange(90) < records)
    for at, name in enumerate(posix.int_names):
        known = [value for value in lacking[:records, at].tolist() if value >= 0]
        assert table.total(name) == (sum(known) if known else None)
    with pytest.raises(KeyError):
        table.total("POSIX_NO_SUCH_COUNTER")


def test_a_copy_of_selected_rows_may_have_other_counters(posix):
    selected = posix.rows(posix.ranks == 1)
    doubled = selected.copy(floats=selected.floats * 2)
    assert np.array_equal(doubled.seconds("POSIX_F_READ_TIME"), selected.seconds("POSIX_F_READ_TIME") * 2)
    assert np.array_equal(doubled.ints, selected.ints)


@pytest.mark.parametrize("chosen", [slice(0, 360, 1), slice(5, 80, 1), slice(2, 360, 3), slice(7, 8)], ids=str)
def test_selected_rows_are_in_the_order_of_ids_that_they_have_alone(chosen):
    names = {record_id(f"/f{i}"): f"/f{i}" for i in range(90)}
    rows = [{"id": record, "rank": rank, "POSIX_READS": rank} for rank in range(4) for record in names]
    log = build(Log(job=Job(nprocs=4), names=names, modules=(Counters.of("POSIX", *rows),)))
    every = detect.read(io.BytesIO(log)).parts[0].posix
    selected = every.rows(np.arange(len(every))[chosen])
    ids, index, records = np.unique(every.ids[chosen], return_inverse=True, return_counts=True)
    for found in (selected.by_id, selected.copy().by_id, selected.copy().ordered_like(selected).by_id):
        assert np.array_equal(found.ids, ids)
        assert np.array_equal(found.index, index)
        assert np.array_equal(found.records, records)
