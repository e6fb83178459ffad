"""A few nonblocking calls among very many others: what the timers show is nearly all, and seconds count."""

from __future__ import annotations

import pytest
from evidence_by_hand import job, log, table, value

from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.selecting import select_files

GIB = 2**30


def case(nonblocking: int, below_s: float) -> Selection:
    """Of two files the one takes 40 s in MPI-IO, with most of its calls blocking, and the other has more bytes."""
    above = table(
        "MPI-IO",
        (
            1,
            0,
            {
                "MPIIO_INDEP_WRITES": 1000,
                "MPIIO_NB_WRITES": nonblocking,
                "MPIIO_BYTES_WRITTEN": GIB,
                "MPIIO_F_WRITE_TIME": 40.0,
            },
        ),
        (2, 0, {"MPIIO_INDEP_WRITES": 1000, "MPIIO_BYTES_WRITTEN": 3 * GIB, "MPIIO_F_WRITE_TIME": 10.0}),
    )
    below = table(
        "POSIX",
        (1, 0, {"POSIX_WRITES": 1000, "POSIX_BYTES_WRITTEN": GIB, "POSIX_F_WRITE_TIME": below_s}),
        (2, 0, {"POSIX_WRITES": 1000, "POSIX_BYTES_WRITTEN": 3 * GIB, "POSIX_F_WRITE_TIME": 9.0}),
    )
    return job(log(above, below))


def first_file(whole: Selection) -> Selection:
    ids = whole.logs[0].mpiio
    assert ids is not None
    return select_files(whole, {0: ids.ids[:1]}, ("/scratch/file1",), "serial", 1)


@pytest.mark.parametrize("nonblocking", [0, 1, 20])
def test_seconds_count_where_the_storage_took_no_longer(nonblocking: int) -> None:
    whole = case(nonblocking, 30.0)
    assert value(first_file(whole), "group.weight") == pytest.approx(40.0 / 50.0)


def test_bytes_count_where_it_did() -> None:
    whole = case(20, 80.0)
    assert value(first_file(whole), "group.weight") == pytest.approx(0.25)
