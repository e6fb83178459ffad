"""Time in calls that pass while another rank, or another program, does the work."""

from __future__ import annotations

import pytest
from evidence_by_hand import Record, job, log, table, value


def opened(of_mpiio: float, *of_posix: float, ranks: int = 64) -> object:
    """Seconds in opens and closes of all ranks together in MPI-IO, and of the first ranks below."""
    above: Record = (7, -1, {"MPIIO_COLL_OPENS": ranks, "MPIIO_F_META_TIME": of_mpiio})
    below: list[Record] = [(7, r, {"POSIX_OPENS": 1, "POSIX_F_META_TIME": s}) for r, s in enumerate(of_posix)]
    found = job(log(table("MPI-IO", above), table("POSIX", *below), nprocs=ranks))
    return value(found, "mpiio.awaited_opens_time")


def test_others_wait_as_long_as_those_who_open_take() -> None:
    assert opened(64 * 0.5, 0.4, 0.4) == pytest.approx(0.4 - 0.8 / 64)
    assert opened(64 * 0.1, 0.4, 0.4) == pytest.approx(0.1 - 0.8 / 64)


def test_where_all_open_or_none_takes_long_nobody_waits_for_it() -> None:
    assert opened(64 * 0.5, *[0.5] * 64) == 0
    assert opened(64 * 0.5, 0.0) == 0


def test_without_records_of_both_layers_it_is_not_known() -> None:
    alone = log(table("MPI-IO", (7, -1, {"MPIIO_COLL_OPENS": 64, "MPIIO_F_META_TIME": 9.0})), nprocs=64)
    assert value(job(alone), "mpiio.awaited_opens_time") is None
    posix = log(table("POSIX", (7, -1, {"POSIX_OPENS": 64, "POSIX_F_META_TIME": 9.0})), nprocs=64)
    assert value(job(posix), "mpiio.awaited_opens_time") is None


def streams(**seconds: float) -> object:
    names = {1: "<STDIN>", 2: "/scratch/in.txt"}
    records: list[Record] = [
        (1, 0, {"STDIO_READS": 10, "STDIO_F_READ_TIME": seconds["piped"]}),
        (2, 0, {"STDIO_READS": 10, "STDIO_F_READ_TIME": seconds["read"], "STDIO_F_META_TIME": seconds["opened"]}),
    ]
    return value(job(log(table("STDIO", *records), nprocs=1, names=names)), "stdio.awaited_fraction")


def test_reading_standard_input_is_waiting() -> None:
    assert streams(piped=6.0, read=2.0, opened=2.0) == pytest.approx(0.6)
    assert streams(piped=0.0, read=2.0, opened=2.0) == 0
    assert streams(piped=0.0, read=0.0, opened=0.0) is None
