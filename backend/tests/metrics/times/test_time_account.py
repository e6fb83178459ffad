"""Where the I/O seconds go: of the mean rank by sums, of the slowest by what names it, and what is not split."""

from __future__ import annotations

from dataclasses import replace

import pytest
from evidence_by_hand import job, log, table, value

from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.account.cells import Cells, TimeAccount
from iotriage.metrics.tables.account.time_account import time_account

RANKS = 8
STORAGE = {"POSIX_F_READ_TIME": 8.0, "POSIX_F_WRITE_TIME": 16.0, "POSIX_F_META_TIME": 4.0}
ABOVE = {
    "MPIIO_F_WRITE_TIME": 40.0,
    "MPIIO_F_META_TIME": 8.0,
    "MPIIO_F_SLOWEST_RANK_TIME": 6.0,
    "MPIIO_SLOWEST_RANK": 3,
}


def account(s: Selection) -> TimeAccount:
    found = time_account(s)
    assert found is not None
    return found


def cells(s: Selection) -> Cells:
    return account(s).cells


def test_what_mpi_io_takes_beyond_the_calls_below_is_exchange() -> None:
    both = job(log(table("MPI-IO", (1, -1, ABOVE)), table("POSIX", (1, -1, STORAGE))))
    assert cells(both) == Cells(reads=1.0, writes=2.0, metadata=0.5, exchange=2.5)
    assert cells(both).mean_rank == 6.0


def test_a_file_that_is_quicker_above_than_below_takes_nothing_from_another() -> None:
    quick = {"MPIIO_F_WRITE_TIME": 4.0, "MPIIO_F_SLOWEST_RANK_TIME": 9.0}
    both = job(log(table("MPI-IO", (1, -1, ABOVE), (2, -1, quick)), table("POSIX", (1, -1, STORAGE), (2, -1, STORAGE))))
    assert cells(both).exchange == 2.5


def test_mpi_io_without_the_calls_below_is_not_split() -> None:
    assert cells(job(log(table("MPI-IO", (1, -1, ABOVE))))) == Cells(not_split=6.0)


def test_layers_of_a_partial_log_are_subtracted_where_the_record_is_of_all_ranks() -> None:
    own = {"MPIIO_F_WRITE_TIME": 8.0}
    above = table("MPI-IO", (1, -1, ABOVE), (2, 5, own))
    below = table("POSIX", (1, -1, STORAGE), (2, 5, {"POSIX_F_WRITE_TIME": 0.8}))
    found = cells(job(log(above, below, partial=["POSIX"])))
    assert found.exchange == 2.5
    assert found.not_split == pytest.approx(0.9)
    assert account(job(log(above, below, partial=["POSIX"]))).partial


def test_streams_and_libraries_have_cells_of_their_own() -> None:
    streams = table("STDIO", (9, 0, {"STDIO_F_WRITE_TIME": 8.0, "STDIO_F_META_TIME": 0.8}))
    library = table("H5F", (1, -1, {"H5F_F_META_TIME": 60.0}))
    datasets = table("H5D", (7, -1, {"H5D_F_WRITE_TIME": 4.0}), files=[1])
    found = cells(
        job(log(table("MPI-IO", (1, -1, ABOVE)), table("POSIX", (1, -1, STORAGE)), streams, library, datasets))
    )
    assert found.streams == pytest.approx(1.1)
    assert found.library == 2.0


def test_the_slowest_rank_is_split_by_its_own_records() -> None:
    records = [(1, rank, {"POSIX_F_WRITE_TIME": 10.0 if rank == 5 else 2.0}) for rank in range(RANKS)]
    found = account(job(log(table("POSIX", *records))))
    assert found.cells == Cells(writes=3.0, imbalance=7.0)
    assert found.slowest is not None
    assert (found.slowest.least_s, found.slowest.most_s, found.slowest.rank) == (10.0, 10.0, 5)
    assert found.slowest.cells == Cells(writes=10.0)


def test_a_reduced_record_names_the_slowest_rank_and_not_its_parts() -> None:
    one = {"POSIX_F_WRITE_TIME": 16.0, "POSIX_F_SLOWEST_RANK_TIME": 9.0, "POSIX_SLOWEST_RANK": 6}
    found = account(job(log(table("POSIX", (1, -1, one)))))
    assert found.cells == Cells(writes=2.0, imbalance=7.0)
    assert found.slowest is not None
    assert found.slowest.rank == 6
    assert found.slowest.cells == Cells(not_split=9.0)


def test_of_several_files_with_other_slowest_ranks_it_is_an_interval() -> None:
    records = [
        (i, -1, {"POSIX_F_WRITE_TIME": 8.0, "POSIX_F_SLOWEST_RANK_TIME": 5.0, "POSIX_SLOWEST_RANK": i})
        for i in range(RANKS)
    ]
    slowest = account(job(log(table("POSIX", *records), runtime_s=30.0))).slowest
    assert slowest is not None
    assert (slowest.least_s, slowest.most_s, slowest.rank, slowest.cells) == (8.0, 30.0, None, None)


def test_times_that_do_not_fit_in_the_run_make_no_account() -> None:
    beyond = table("POSIX", (1, 0, {"POSIX_F_META_TIME": 300.0}))
    assert time_account(job(log(beyond, runtime_s=100.0))) is None
    assert value(job(log(beyond, runtime_s=100.0)), "job.io_time") is None


def test_calls_below_nonblocking_ones_are_waited_for_as_long_as_the_slowest_rank_waits() -> None:
    above = {"MPIIO_F_WRITE_TIME": 4.0, "MPIIO_F_SLOWEST_RANK_TIME": 0.6, "MPIIO_NB_WRITES": 8}
    found = cells(job(log(table("MPI-IO", (1, -1, above)), table("POSIX", (1, -1, STORAGE)))))
    assert found.mean_rank == pytest.approx(0.6)
    assert found.writes == pytest.approx(2 * found.reads)


def test_without_times_there_is_no_account() -> None:
    assert time_account(job(log(table("POSIX", (1, 0, {"POSIX_BYTES_WRITTEN": 30}))))) is None
    assert time_account(job(log(table("POSIX", (1, 0, STORAGE)), nprocs=None))) is None


def why_no_exchange(s: Selection) -> str | None:
    return next((one.reason for one in account(s).unknown if one.cell == "exchange"), None)


def test_that_no_waiting_is_known_is_not_that_there_was_none() -> None:
    below = table("POSIX", (1, -1, STORAGE))
    assert why_no_exchange(job(log(below))) == "the program did not use MPI-IO"
    assert "not recorded" in (why_no_exchange(job(log(table("MPI-IO", (1, -1, ABOVE))))) or "")
    quick = {"MPIIO_F_WRITE_TIME": 4.0, "MPIIO_F_SLOWEST_RANK_TIME": 9.0}
    assert "took longer" in (why_no_exchange(job(log(table("MPI-IO", (1, -1, quick)), below))) or "")
    assert why_no_exchange(job(log(table("MPI-IO", (1, -1, ABOVE)), below))) is None


@pytest.mark.parametrize(("in_hdf5", "io_time"), [(8 * 40.0, 6.0 + 40.0), (8 * 97.0, 100.0), (8 * 500.0, None)])
def test_the_io_time_has_what_hdf5_takes_and_is_none_where_its_mean_does_not_fit_in_the_run(
    in_hdf5: float, io_time: float | None
) -> None:
    """MPI-IO takes the mean rank 6 s; the run takes 100."""
    below = table("POSIX", (1, -1, STORAGE))
    above = table("MPI-IO", (1, -1, ABOVE))
    variable = table("H5D", (2, -1, {"H5D_F_WRITE_TIME": in_hdf5 + 48.0}), files=[1])
    s = job(log(below, above, variable, nprocs=RANKS, runtime_s=100.0))
    assert value(s, "job.io_time") == (None if io_time is None else pytest.approx(io_time))
    assert (time_account(s) is None) == (io_time is None)


def test_what_makes_a_rank_slow_in_two_steps_is_what_made_it_slow_in_one() -> None:
    """Streams have half of the time of all ranks, and hardly any of what the slowest takes beyond them."""
    streams = table("STDIO", *((9, rank, {"STDIO_F_WRITE_TIME": 20.0 + 0.1 * (rank == 3)}) for rank in range(8)))
    files = table("POSIX", *((1, rank, {"POSIX_F_WRITE_TIME": 20.0 + 9.9 * (rank == 3)}) for rank in range(8)))
    step = log(streams, files)
    later = replace(step, job=replace(step.job, start_time=1200.0, end_time=1300.0))
    first = replace(step, job=replace(step.job, start_time=1000.0, end_time=1100.0))
    assert value(job(first), "balance.slowest_in_streams") == pytest.approx(0.01)
    assert value(job(first, later), "balance.slowest_in_streams") == pytest.approx(0.01)
    # A step in which nobody spends any time in I/O says nothing of that.
    idle = replace(log(table("POSIX", *((7, rank, {"POSIX_OPENS": 1}) for rank in range(8)))), job=later.job)
    assert value(job(first, idle), "balance.slowest_in_streams") == pytest.approx(0.01)
