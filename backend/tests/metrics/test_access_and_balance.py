"""Sizes, order, metadata, and how evenly the ranks share the work."""

import numpy as np
import pytest
from evidence_by_hand import job, log, metric, table, value

from iotriage.metrics.core.selection import Selection
from iotriage_parsers.evidence import CounterTable

MIB, GIB = 2**20, 2**30


def test_accesses_of_exactly_one_mebibyte_are_not_small() -> None:
    writes = table(
        "POSIX",
        (
            1,
            -1,
            {
                "POSIX_SIZE_WRITE_100K_1M": 100,
                "POSIX_SIZE_WRITE_0_100": 5,
                "POSIX_SIZE_WRITE_1M_4M": 95,
                "POSIX_ACCESS1_ACCESS": MIB,
                "POSIX_ACCESS1_COUNT": 90,
            },
        ),
    )
    assert value(job(log(writes)), "posix.small_write_fraction") == (105 - 90) / 200
    assert value(job(log(writes)), "posix.small_accesses") == 15
    assert value(job(log(writes)), "posix.small_read_fraction") is None


def test_mebibyte_accesses_of_a_file_read_and_written_are_shared_out() -> None:
    both = table(
        "POSIX",
        (
            1,
            -1,
            {
                "POSIX_SIZE_WRITE_100K_1M": 30,
                "POSIX_SIZE_READ_100K_1M": 10,
                "POSIX_ACCESS2_ACCESS": MIB,
                "POSIX_ACCESS2_COUNT": 40,
            },
        ),
    )
    assert value(job(log(both)), "posix.small_accesses") == 0


@pytest.mark.parametrize("blocks", [(4096, MIB), (MIB, 4096), (0, MIB)])
def test_of_files_that_moved_as_much_the_largest_block_counts_whichever_comes_first(blocks: tuple[int, int]) -> None:
    moved = {"POSIX_BYTES_WRITTEN": 8 * MIB}
    files = ((i, -1, moved | {"POSIX_FILE_ALIGNMENT": block}) for i, block in enumerate(blocks, 1))
    assert value(job(log(table("POSIX", *files))), "posix.alignment") == MIB


def test_mpiio_accesses_have_a_histogram_of_their_own() -> None:
    asked = table("MPI-IO", (1, -1, {"MPIIO_SIZE_WRITE_AGG_1K_10K": 3, "MPIIO_SIZE_WRITE_AGG_4M_10M": 1}))
    assert value(job(log(asked)), "mpiio.small_write_fraction") == 0.75


ACCESS = table(
    "POSIX",
    (
        1,
        -1,
        {
            "POSIX_READS": 40,
            "POSIX_WRITES": 60,
            "POSIX_SEQ_READS": 10,
            "POSIX_SEQ_WRITES": 60,
            "POSIX_FILE_NOT_ALIGNED": 25,
            "POSIX_OPENS": 9,
            "POSIX_STATS": 3,
            "POSIX_FSYNCS": 4,
            "POSIX_FDSYNCS": 2,
            "POSIX_BYTES_WRITTEN": 600,
            "POSIX_F_META_TIME": 3.0,
            "POSIX_F_READ_TIME": 4.0,
            "POSIX_F_WRITE_TIME": 5.0,
        },
    ),
)


@pytest.mark.parametrize(
    ("id", "expected"),
    [
        ("posix.random_read_fraction", 0.75),
        ("posix.random_write_fraction", 0.0),
        ("posix.misaligned_fraction", 0.25),
        ("posix.opens", 9),
        ("posix.stats", 3),
        ("posix.fsyncs", 6),
        ("posix.average_write_size", 10.0),
        ("posix.metadata_time", 3.0),
        ("posix.metadata_time_fraction", 0.25),
    ],
)
def test_shape_of_the_accesses(id: str, expected: float) -> None:
    assert value(job(log(ACCESS)), id) == expected


def test_stdio_share_of_the_bytes() -> None:
    text = table("STDIO", (2, 0, {"STDIO_BYTES_WRITTEN": 200}))
    assert value(job(log(ACCESS, text)), "stdio.bytes_fraction") == 200 / 800


def test_balance_of_own_records_is_exact() -> None:
    # four ranks of which one wrote nothing: 10, 20, 70 and 0 bytes. Beside the busiest, 30 bytes are shared by
    # 30² / (10² + 20²) = 1.8 ranks: the mean is over 2.8
    own = table("POSIX", *((i, i, {"POSIX_BYTES_WRITTEN": b}) for i, b in enumerate((10, 20, 70))))
    found = metric(job(log(own, nprocs=4)), "balance.bytes")
    assert (found.value, found.confidence) == (pytest.approx(70 / (100 / 2.8)), "measured")
    assert value(job(log(own, nprocs=4)), "balance.slowest_rank_share") == 0.7


def test_bytes_that_nobody_counted_are_not_said_to_be_none() -> None:
    uncounted = table("POSIX", (1, 0, {"POSIX_BYTES_WRITTEN": -1, "POSIX_BYTES_READ": -1}))
    found = metric(job(log(uncounted, nprocs=4)), "balance.slowest_rank_share")
    assert found.reason == "BYTES_WRITTEN is not available in any record of this log"
    none = metric(job(log(table("POSIX", (1, 0, {"POSIX_OPENS": 1})), nprocs=4)), "balance.slowest_rank_share")
    assert none.reason == "no bytes were moved"


def test_balance_of_a_reduced_record_knows_its_slowest_and_fastest_rank() -> None:
    reduced = table(
        "POSIX",
        (
            1,
            -1,
            {
                "POSIX_BYTES_WRITTEN": 170,
                "POSIX_SLOWEST_RANK": 0,
                "POSIX_SLOWEST_RANK_BYTES": 100,
                "POSIX_FASTEST_RANK": 3,
                "POSIX_FASTEST_RANK_BYTES": 10,
                "POSIX_F_SLOWEST_RANK_TIME": 10.0,
                "POSIX_F_WRITE_TIME": 17.0,
            },
        ),
    )
    found = metric(job(log(reduced, nprocs=8)), "balance.bytes")
    assert found.value == pytest.approx(100 / (170 / 8))
    assert found.confidence == "inferred"
    assert value(job(log(reduced, nprocs=8)), "balance.time") == pytest.approx(10.0 / (17.0 / 8))


@pytest.mark.parametrize("own_s", [0.0, 0.1, 30.0], ids=["alone", "beside a moment", "beside more"])
def test_the_mean_of_a_record_without_the_time_of_its_slowest_rank_is_that_of_all(own_s: float) -> None:
    """One of eight ranks writes nearly all bytes, by their variance; 80 s are of all, and nobody says of whom most."""
    moved = 8.0 * MIB
    reduced = {
        "POSIX_WRITES": 8,
        "POSIX_BYTES_WRITTEN": moved,
        "POSIX_F_VARIANCE_RANK_BYTES": moved**2 / 8 - (moved / 8) ** 2,
        "POSIX_F_WRITE_TIME": 80.0,
        "POSIX_SLOWEST_RANK": -1,
        "POSIX_FASTEST_RANK": -1,
    }
    own = {"POSIX_READS": 1, "POSIX_F_READ_TIME": own_s}
    found = job(log(table("POSIX", (1, -1, reduced), (2, 3, own)), nprocs=8))
    mean, ratio = value(found, "balance.mean_time"), value(found, "balance.time")
    assert mean == pytest.approx(max((80.0 + own_s) / 8, own_s))
    assert ratio == pytest.approx((10.0 + own_s) / mean, abs=0.1)


def of_sixteen(counts_apart: bool) -> CounterTable:
    """16 of 1,024 ranks write 64 GiB each in 10 s, the others 8 KiB: with a record a rank, or reduced to one."""
    moved = np.full(1024, 8192.0)
    moved[::64] = 2.0**36
    took = np.where(moved > 8192, 10.0, 0.01)
    if counts_apart:
        ranks = zip(moved.tolist(), took.tolist(), strict=True)
        return table(
            "POSIX", *((1, r, {"POSIX_BYTES_WRITTEN": b, "POSIX_F_WRITE_TIME": t}) for r, (b, t) in enumerate(ranks))
        )
    return table(
        "POSIX",
        (
            1,
            -1,
            {
                "POSIX_BYTES_WRITTEN": moved.sum(),
                "POSIX_F_VARIANCE_RANK_BYTES": moved.var(),
                "POSIX_SLOWEST_RANK_BYTES": 2**36,
                "POSIX_FASTEST_RANK": 1,
                "POSIX_FASTEST_RANK_BYTES": 8192,
                "POSIX_F_SLOWEST_RANK_TIME": 10.0,
                "POSIX_F_WRITE_TIME": took.sum(),
            },
        ),
    )


@pytest.mark.parametrize("counts_apart", [True, False])
def test_ranks_that_write_for_the_others_are_balanced_among_themselves(counts_apart: bool) -> None:
    selection = job(log(of_sixteen(counts_apart), nprocs=1024))
    assert value(selection, "balance.bytes") == pytest.approx(1.0, rel=0.01)
    assert value(selection, "balance.time") == pytest.approx(1.0, rel=0.1)
    assert value(selection, "mpiio.effective_aggregators") == pytest.approx(16, rel=0.001)


def test_one_rank_is_never_counted_twice_as_slowest_and_fastest() -> None:
    alone = table(
        "POSIX",
        (1, -1, {"POSIX_BYTES_WRITTEN": 100, "POSIX_SLOWEST_RANK_BYTES": 100, "POSIX_FASTEST_RANK_BYTES": 100}),
    )
    assert value(job(log(alone, nprocs=1)), "balance.slowest_rank_share") == 1.0


def written_by_each(seconds: list[float], sizes: list[int]) -> Selection:
    rows = [
        (rank, rank, {"POSIX_BYTES_WRITTEN": size, "POSIX_F_WRITE_TIME": took, "POSIX_WRITES": 1})
        for rank, (took, size) in enumerate(zip(seconds, sizes, strict=True))
    ]
    return job(log(table("POSIX", *rows), nprocs=len(rows)))


@pytest.mark.parametrize(
    ("seconds", "sizes", "apart"),
    [
        ([10.0] * 14 + [20.0, 21.0], [GIB] * 16, pytest.approx(2.0)),
        ([5.0, 7.0, 9.0, 11.0, 13.0, 15.0, 17.0] * 2 + [20.0, 21.0], [GIB] * 16, pytest.approx(1.0, abs=0.25)),
        ([10.0] * 15 + [20.0], [GIB] * 16, None),
        ([10.0] * 8 + [20.0] * 8, [GIB] * 16, None),
        ([10.0] * 12 + [20.0] * 4, [GIB // 3] * 12 + [GIB] * 4, None),
    ],
    ids=["a few", "a spread", "one alone", "half of them", "those with more to do"],
)
def test_a_few_ranks_that_do_as_much_stand_apart_by_their_time(
    seconds: list[float], sizes: list[int], apart: object
) -> None:
    assert value(written_by_each(seconds, sizes), "balance.apart") == apart


@pytest.mark.parametrize(
    ("records", "lost", "writers", "each"),
    [
        ([(1, 0, 8), (2, 5, 8), (3, 5, 8), (4, 7, 0)], (), 2, 12),
        ([(1, -1, 24), (2, 5, 8)], (), 8, 4),
        ([(1, 0, 8), (2, 5, 16)], ("POSIX",), 8, 3),
        ([(1, 0, 0)], (), 0, 0),
    ],
    ids=["by their own records", "a file of all ranks", "records are missing", "nobody"],
)
@pytest.mark.parametrize("read", [0, 1])
def test_what_each_writer_writes_is_of_the_ranks_that_write(
    records: list[tuple[int, int, int]], lost: tuple[str, ...], writers: int, each: float, read: int
) -> None:
    rows = [(file, rank, {"POSIX_BYTES_WRITTEN": moved, "POSIX_BYTES_READ": read}) for file, rank, moved in records]
    given = job(log(table("POSIX", *rows), nprocs=8, partial=lost))
    assert value(given, "io.writers") == writers
    assert value(given, "io.written_per_writer") == each


def read_by_all_and_written_by_one() -> object:
    """256 ranks read 40 GiB of one file in 20 s; rank 0 writes 40 GiB to another in 40 s."""
    read = {
        "POSIX_BYTES_READ": 40 * 2**30,
        "POSIX_F_READ_TIME": 256 * 20.0,
        "POSIX_F_SLOWEST_RANK_TIME": 20.0,
        "POSIX_SLOWEST_RANK": 1,
        "POSIX_SLOWEST_RANK_BYTES": 160 * 2**20,
        "POSIX_FASTEST_RANK": 2,
        "POSIX_FASTEST_RANK_BYTES": 160 * 2**20,
    }
    written = {"POSIX_BYTES_WRITTEN": 40 * 2**30, "POSIX_F_WRITE_TIME": 40.0}
    return table("POSIX", (1, -1, read), (2, 0, written))


def test_rates_one_way_are_by_the_rank_that_is_the_slowest_that_way() -> None:
    selection = job(log(read_by_all_and_written_by_one(), nprocs=256))
    assert value(selection, "io.write_bandwidth") == pytest.approx(2**30)
    assert value(selection, "io.read_bandwidth") == pytest.approx(2 * 2**30)


def test_the_busiest_rank_has_its_part_of_what_all_move_together() -> None:
    selection = job(log(read_by_all_and_written_by_one(), nprocs=256))
    assert value(selection, "balance.slowest_rank_share") == pytest.approx((40 * 1024 + 160) / (80 * 1024))
    assert value(selection, "balance.time") == pytest.approx(60 / (20 + 40 / 256), rel=1e-3)


def test_the_rate_of_a_job_is_that_of_all_bytes_where_another_layer_takes_most_of_the_time() -> None:
    output = {"MPIIO_COLL_WRITES": 100, "MPIIO_BYTES_WRITTEN": 128 * GIB, "MPIIO_F_WRITE_TIME": 2.0}
    inputs = [(i, i, {"POSIX_BYTES_READ": GIB // 4, "POSIX_F_READ_TIME": 20.0}) for i in range(10)]
    both = job(log(table("MPI-IO", (99, 0, output)), table("POSIX", *inputs), nprocs=10))
    assert value(both, "io.bandwidth") == pytest.approx(130.5 * GIB / 22)
    assert metric(both, "io.bandwidth").confidence == "inferred"
    alone = job(log(table("MPI-IO", (99, 0, output)), nprocs=10))
    assert value(alone, "io.bandwidth") == pytest.approx(128 * GIB / 2)


@pytest.mark.parametrize(("beside", "times"), [((), None), (((2, -1, {"POSIX_F_SLOWEST_RANK_TIME": 1.0}),), 10 / 3)])
def test_files_of_which_many_ranks_have_some_are_told_apart_from_others(
    beside: tuple[tuple[int, int, dict[str, float]], ...], times: float | None
) -> None:
    """A rank takes 50 s in them, seven take 10 s: news only where the ranks use other files, too."""
    own = [
        (1, rank, {"POSIX_WRITES": 4, "POSIX_BYTES_WRITTEN": 4 * 2**20, "POSIX_F_WRITE_TIME": 10.0 if rank else 50.0})
        for rank in range(8)
    ]
    found = job(log(table("POSIX", *own, *beside), nprocs=8, runtime_s=100.0))
    assert value(found, "balance.common_time") == (None if times is None else pytest.approx(times))


@pytest.mark.parametrize(
    ("ranks", "read", "last"),
    [
        (range(12, 16), 0, "yes"),
        (range(12, 16, 2), 0, "yes"),
        (range(12, 15), 0, "no"),
        (range(11, 16), 0, "no"),
        (range(15, 16), 0, "no"),
        (range(4), 0, "no"),
        (range(12, 16), MIB, "no"),
        ([-1], 0, "no"),
    ],
    ids=["all", "every other", "not to the end", "too many", "one", "the first", "read", "reduced"],
)
def test_the_last_ranks_are_those_that_alone_write_some_files(ranks, read, last) -> None:
    moved = {"POSIX_BYTES_WRITTEN": 4 * MIB, "POSIX_BYTES_READ": read, "POSIX_WRITES": 4}
    some = table("POSIX", *((1, rank, moved) for rank in ranks))
    every = table("POSIX", *((2, rank, moved) for rank in range(16)))
    assert value(job(log(some, nprocs=16)), "balance.last_ranks_alone") == last
    assert value(job(log(every, nprocs=16)), "balance.last_ranks_alone") == "no"


def own_times(*seconds: float) -> Selection:
    moved = {"POSIX_BYTES_WRITTEN": GIB, "POSIX_WRITES": 64}
    records = ((i, i, moved | {"POSIX_F_WRITE_TIME": took}) for i, took in enumerate(seconds))
    return job(log(table("POSIX", *records), nprocs=512))


def test_the_slowest_of_few_ranks_is_a_good_part_of_their_mean_and_none_of_the_others() -> None:
    """One of four takes 35 s and the others 5 s each: 2.8 times the mean."""
    four = own_times(35.0, 5.0, 5.0, 5.0)
    assert value(four, "balance.time") == pytest.approx(2.8)
    assert value(four, "balance.time_over_others") == pytest.approx(7.0)
    assert metric(own_times(35.0, 5.0), "balance.time_over_others").reason == "one or two ranks move the bytes"
    assert metric(own_times(35.0, 0.0, 0.0), "balance.time_over_others").value is None
