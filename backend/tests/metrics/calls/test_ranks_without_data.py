"""How long ranks that move nothing but HDF5's metadata are in the storage, by the one with the least time there."""

from __future__ import annotations

import pytest
from evidence_by_hand import job, log, metric, table, value

from iotriage.metrics.core.selection import Selection

RANKS, ACCESSES = 8, 480


def reads(accesses: int = ACCESSES, nprocs: int | None = RANKS, **below: float) -> Selection:
    """Ranks that make so many small independent reads of one file in 50 s each, and what differs `below` MPI-IO."""
    above = {
        "MPIIO_INDEP_READS": accesses,
        "MPIIO_SIZE_READ_AGG_100_1K": accesses,
        "MPIIO_COLL_READS": 64,
        "MPIIO_F_READ_TIME": 50.0 * RANKS,
    }
    posix = {
        "POSIX_FASTEST_RANK_BYTES": 400 * ACCESSES // RANKS,
        "POSIX_F_FASTEST_RANK_TIME": 33.0,
        "POSIX_F_META_TIME": 3.0 * RANKS,
    } | below
    tables = (
        table("H5F", (1, -1, {"H5F_OPENS": RANKS})),
        table("MPI-IO", (1, -1, above)),
        table("POSIX", (1, -1, posix)),
    )
    return job(log(*tables, names={1: "/s/a.h5"}, nprocs=nprocs))


@pytest.mark.parametrize(
    ("found", "share"),
    [
        (reads(), 0.6),
        (reads(POSIX_FASTEST_RANK_BYTES=1024 * ACCESSES // RANKS), 0.6),
        (reads(POSIX_FASTEST_RANK_BYTES=1024 * ACCESSES // RANKS + 1), 0.0),
        (reads(POSIX_FASTEST_RANK_BYTES=0), 0.0),
        (reads(POSIX_F_META_TIME=40.0 * RANKS), 0.0),
        (reads(accesses=RANKS - 1, POSIX_FASTEST_RANK_BYTES=400), 0.0),
    ],
    ids=["metadata", "of 1 KiB", "data too", "one moves nothing", "opens as long", "fewer than ranks"],
)
def test_the_rank_with_the_least_time_is_in_the_storage_as_long_as_it_neither_opens_nor_moves_data(
    found: Selection, share: float
) -> None:
    assert value(found, "hdf5.without_data_time_fraction") == pytest.approx(share)


def test_without_calls_below_nothing_is_known_of_the_storage() -> None:
    above = table("MPI-IO", (1, -1, {"MPIIO_INDEP_READS": 8, "MPIIO_F_READ_TIME": 8.0}))
    alone = job(log(table("H5F", (1, -1, {"H5F_OPENS": 8})), above, names={1: "/s/a.h5"}, nprocs=RANKS))
    assert "no calls below MPI-IO" in (metric(alone, "hdf5.without_data_time_fraction").reason or "")


def test_nobody_is_the_mean_of_ranks_that_nobody_counts() -> None:
    assert "number of ranks" in (metric(reads(nprocs=None), "hdf5.without_data_time_fraction").reason or "")
