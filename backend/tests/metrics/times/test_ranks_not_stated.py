"""A log that does not state its ranks, as a text of darshan-parser from which the first lines are cut: what all ranks
took together is the time of none of them."""

from __future__ import annotations

import pytest
from evidence_by_hand import job, log, metric, table, value

from iotriage.metrics.core.metric import Metric
from iotriage_parsers.evidence import CounterTable

SHARED = {
    "POSIX_OPENS": 64,
    "POSIX_READS": 6_400,
    "POSIX_BYTES_READ": 640_000_000,
    "POSIX_MAX_BYTE_READ": 9_999_999,
    "POSIX_F_READ_TIME": 64.0,
    "POSIX_F_META_TIME": 128.0,
    "POSIX_SLOWEST_RANK": 7,
    "POSIX_F_SLOWEST_RANK_TIME": 4.0,
    "POSIX_F_FASTEST_RANK_TIME": 2.5,
}
OWN = {"POSIX_OPENS": 1, "POSIX_F_META_TIME": 0.5, "POSIX_F_READ_TIME": 1.5}


def posix(*, shared: bool) -> CounterTable:
    each = [(2 + rank, rank, OWN) for rank in range(4)]
    return table("POSIX", *([(1, -1, SHARED)] if shared else []), *each)


@pytest.mark.parametrize("shared", [True, False])
def test_the_slowest_rank_is_not_all_of_them(*, shared: bool) -> None:
    """64 ranks take 192 s together and 4 s at most: with a second and a half each of their own that is 6 s of 100."""
    found = job(log(posix(shared=shared), nprocs=None))
    assert value(found, "job.io_time") == pytest.approx(6.0 if shared else 2.0)
    assert value(found, "job.io_time_fraction") == pytest.approx(0.06 if shared else 0.02)
    assert value(found, "job.impossible_time") == 0.0


OF_EACH_RANK = (
    "posix.metadata_time_busiest",
    "posix.metadata_io_fraction",
    "posix.metadata_busiest_share",
    "posix.data_metadata_run_fraction",
    "posix.metadata_read_by_many_fraction",
    "posix.rank_times_read",
    "posix.read_whole_fraction",
)


@pytest.mark.parametrize("id", OF_EACH_RANK)
def test_what_ranks_share_is_not_taken_to_be_of_one(id: str) -> None:
    found: Metric = metric(job(log(posix(shared=True), nprocs=None)), id)
    assert (found.value, found.reason) == (None, "no source states the number of ranks")
    assert value(job(log(posix(shared=True), nprocs=64)), id) is not None


def test_what_ranks_have_of_their_own_needs_no_number_of_them() -> None:
    found = job(log(posix(shared=False), nprocs=None))
    assert value(found, "posix.metadata_time_busiest") == pytest.approx(0.5)


MEAN = ("balance.alone_opens", "posix.data_metadata_beyond_mean", "posix.seek_time")


@pytest.mark.parametrize("id", MEAN)
def test_nothing_has_a_mean_over_ranks_that_nobody_counts(id: str) -> None:
    assert value(job(log(posix(shared=False), nprocs=None)), id) is None


IMPORTED = ("file.imported_time", "file.imported_metadata_time", "file.imported_read_time")


@pytest.mark.parametrize("id", IMPORTED)
def test_modules_take_no_ranks_share(id: str) -> None:
    named = {1: "/work/env/lib/python3.11/site-packages/numpy/core.py"}
    modules = table("POSIX", (1, -1, SHARED))
    assert value(job(log(modules, nprocs=None, names=named)), id) is None
    assert value(job(log(modules, nprocs=64, names=named)), id) is not None
    assert value(job(log(modules, nprocs=None, names=named)), "file.imported_opens") == 64


def test_seconds_of_a_library_of_which_nobody_knows_the_ranks_leave_a_lower_bound() -> None:
    library = table("H5F", (9, -1, {"H5F_OPENS": 64, "H5F_F_META_TIME": 32.0}))
    found = metric(job(log(posix(shared=True), library, nprocs=None)), "job.io_time")
    assert found.bound == "lower"
    assert metric(job(log(posix(shared=True), library, nprocs=64)), "job.io_time").bound is None
