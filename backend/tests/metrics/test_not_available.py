"""Counters that no record of a log has (Darshan's −1, NaN): what is made of them is absent, and never 0."""

from __future__ import annotations

from math import nan

import pytest
from evidence_by_hand import job, log, metric, table, value

from iotriage.metrics.core.selection import Selection
from iotriage_parsers.readers.darshan_log.records import ALL_NAMES

GONE = -1


def sizes(module: str, way: str, calls: int) -> dict[str, float]:
    """All of `way` in the fourth bin; or none of its bins available."""
    (first, *_) = ALL_NAMES[module]
    bins = [name for name in first if f"_SIZE_{way}_" in name]
    return dict.fromkeys(bins, GONE) if calls == GONE else {next(n for n in bins if "10K_100K" in n): calls}


@pytest.mark.parametrize("module", ["POSIX", "MPI-IO", "DFS", "DAOS"])
def test_small_accesses_without_a_histogram(module: str) -> None:
    prefix, id = {"MPI-IO": ("MPIIO", "mpiio")}.get(module, (module, module.lower()))
    moved = {f"{prefix}_BYTES_WRITTEN": 2**30, f"{prefix}_BYTES_READ": 2**30}

    def found(reads: int, writes: int) -> Selection:
        return job(log(table(module, (1, -1, moved | sizes(module, "READ", reads) | sizes(module, "WRITE", writes)))))

    assert value(found(300, 500), f"{id}.small_accesses") == 800
    neither = metric(found(GONE, GONE), f"{id}.small_accesses")
    assert (neither.value, "not available" in (neither.reason or "")) == (None, True)
    one = metric(found(GONE, 500), f"{id}.small_accesses")
    assert (one.value, one.bound) == (500, "lower")
    assert metric(found(GONE, 0), f"{id}.small_accesses").value is None
    assert "not available" in (metric(found(GONE, 500), f"{id}.small_read_fraction").reason or "")


def accesses(**counters: int) -> Selection:
    made = {"POSIX_OPENS": 1, "POSIX_READS": 100, "POSIX_WRITES": 50, "POSIX_SEQ_READS": 10, "POSIX_SEQ_WRITES": 49}
    return job(log(table("POSIX", (1, 0, made | counters))))


def test_accesses_whose_order_was_not_counted() -> None:
    assert value(accesses(), "posix.random_accesses") == 89
    untold = metric(accesses(POSIX_SEQ_READS=GONE), "posix.random_accesses")
    assert untold.value is None
    assert "POSIX_SEQ_READS is not available" in (untold.reason or "")
    assert "POSIX_READS is not available" in (metric(accesses(POSIX_READS=GONE), "posix.random_accesses").reason or "")
    some = metric(accesses(POSIX_SEQ_WRITES=GONE), "posix.random_accesses")
    assert (some.value, some.bound) == (89, "lower")
    assert value(accesses(POSIX_SEQ_WRITES=GONE), "posix.random_fraction") == 89 / 150
    # A share of all accesses is none of those that were counted.
    back = accesses(POSIX_READS=GONE, POSIX_SEQ_WRITES=0)
    assert value(back, "posix.random_accesses") == 49
    assert "POSIX_READS is not available" in (metric(back, "posix.random_fraction").reason or "")
    # Of no writes nobody misses the order.
    assert metric(accesses(POSIX_WRITES=0, POSIX_SEQ_WRITES=GONE), "posix.random_accesses").bound is None


def test_opens_of_modules_that_were_not_counted() -> None:
    read = (2, -1, {"POSIX_OPENS": GONE, "POSIX_BYTES_READ": 6000})
    written = (1, -1, {"POSIX_OPENS": GONE, "POSIX_BYTES_WRITTEN": 2**30})
    names = {1: "/work/me/out.dat", 2: "/work/me/env/lib/python3.11/os.py"}
    found = job(log(table("POSIX", read, written), nprocs=64, names=names))
    assert value(found, "file.imported") == 1
    assert "not available" in (metric(found, "file.imported_opens").reason or "")


SHARED = (1, -1, {"POSIX_BYTES_WRITTEN": 2**40, "POSIX_WRITES": 2**20, "POSIX_OPENS": 64, "POSIX_F_WRITE_TIME": 640.0})


def test_an_impossible_timer_of_one_small_stream_leaves_the_data_beside_it_known() -> None:
    lines = {"STDIO_BYTES_WRITTEN": 2000, "STDIO_WRITES": 20, "STDIO_OPENS": 1}
    streams = table("STDIO", (2, 0, lines | {"STDIO_F_WRITE_TIME": nan}), (3, 0, lines | {"STDIO_F_WRITE_TIME": 0.1}))
    found = job(log(table("POSIX", SHARED), streams, nprocs=64))
    assert (value(found, "job.io_time"), metric(found, "job.io_time").bound) == (pytest.approx(10, rel=0.1), "lower")


def test_what_a_library_does_not_time_leaves_the_layers_below_it_known() -> None:
    file = table("PNETCDF_FILE", (1, -1, {"PNETCDF_FILE_OPENS": 64, "PNETCDF_FILE_F_META_TIME": nan}))
    found = job(log(table("POSIX", SHARED), file, nprocs=64))
    alone = job(log(table("POSIX", SHARED), nprocs=64))
    for id in ("io.bandwidth", "job.io_time"):
        assert value(found, id) == value(alone, id), id


def test_several_counters_that_are_missing_are_named_in_a_sentence() -> None:
    streams = job(log(table("STDIO", (1, 0, {"STDIO_READS": GONE, "STDIO_WRITES": GONE}))))
    assert metric(streams, "stdio.calls").reason == "STDIO_READS and STDIO_WRITES are not available in this log"
    untold = job(log(table("POSIX", (1, -1, sizes("POSIX", "READ", GONE)))))
    of_bins = metric(untold, "posix.small_read_fraction").reason or ""
    assert of_bins.startswith("POSIX_SIZE_READ_0_100, POSIX_SIZE_READ_100_1K, ")
    assert of_bins.endswith(" and 7 others are not available in this log")


@pytest.mark.parametrize(
    ("figures", "why"),
    [
        ({}, None),
        ({"POSIX_F_SLOWEST_RANK_TIME": nan}, "below MPI-IO do not say how long the slowest took"),
        ({"POSIX_F_VARIANCE_RANK_BYTES": nan}, "below MPI-IO do not say how many of them moved the bytes"),
    ],
)
@pytest.mark.parametrize(("of_others_s", "most"), [(0.0, True), (900.0, False)], ids=["most", "few"])
def test_what_records_below_mpiio_do_not_say_of_single_ranks(
    figures: dict[str, float], why: str | None, of_others_s: float, most: bool
) -> None:
    """Of most of the seconds there, or of few."""
    said = {"POSIX_BYTES_WRITTEN": 2**30, "POSIX_F_SLOWEST_RANK_TIME": 12.0, "POSIX_F_VARIANCE_RANK_BYTES": 0.0}
    of_one = {"POSIX_F_WRITE_TIME": 80.0} | said | figures
    of_another = {"POSIX_F_WRITE_TIME": of_others_s} | said
    above = {"MPIIO_BYTES_WRITTEN": 2**30, "MPIIO_COLL_WRITES": 8, "MPIIO_F_WRITE_TIME": 80.0}
    above |= {"MPIIO_F_SLOWEST_RANK_TIME": 12.0}
    tables = (table("MPI-IO", (1, -1, above), (2, -1, above)), table("POSIX", (1, -1, of_one), (2, -1, of_another)))
    found = metric(job(log(*tables, nprocs=8)), "balance.ranks_uncounted")
    if why is None or not most:
        assert found.value == "no"
    else:
        assert why in (found.reason or "")


def test_a_sum_of_which_a_part_is_not_known_is_at_least_what_is_known_and_never_0() -> None:
    def streams(reads: int, writes: int) -> Selection:
        return job(log(table("STDIO", (1, 0, {"STDIO_READS": reads, "STDIO_WRITES": writes}))))

    known = metric(streams(GONE, 40), "stdio.calls")
    assert (known.value, known.bound) == (40, "lower")
    assert "STDIO_READS is not available" in (metric(streams(GONE, 0), "stdio.calls").reason or "")
    bytes_gone = {"POSIX_BYTES_WRITTEN": GONE, "POSIX_BYTES_READ": 0}
    assert metric(job(log(table("POSIX", (1, 0, bytes_gone)))), "io.bytes").value is None


@pytest.mark.parametrize(("module", "id"), [("POSIX", "posix.time"), ("MPI-IO", "mpiio.time")])
def test_the_slowest_rank_of_records_that_do_not_say_how_long_it_took(module: str, id: str) -> None:
    prefix = {"MPI-IO": "MPIIO"}.get(module, module)
    took = {f"{prefix}_BYTES_WRITTEN": 2**30, f"{prefix}_F_WRITE_TIME": 80.0}

    def found(slowest: float) -> Selection:
        return job(log(table(module, (1, -1, took | {f"{prefix}_F_SLOWEST_RANK_TIME": slowest}))))

    assert value(found(12.0), id) == 12.0
    assert f"{prefix}_F_SLOWEST_RANK_TIME is not available" in (metric(found(nan), id).reason or "")
    assert value(found(12.0), "balance.ranks_uncounted") == "no"
    for of_ranks in ("balance.ranks_uncounted", "balance.time", "balance.time_beyond_mean"):
        assert "how long the slowest took" in (metric(found(nan), of_ranks).reason or "")


def test_who_reads_and_how_fast_where_nobody_counts_what_is_read() -> None:
    moved = {"POSIX_BYTES_WRITTEN": 2**30, "POSIX_F_WRITE_TIME": 4.0}

    def found(read: int) -> Selection:
        return job(log(table("POSIX", *((rank, rank, moved | {"POSIX_BYTES_READ": read}) for rank in range(8)))))

    assert (value(found(0), "io.readers"), value(found(0), "io.writers")) == (0, 8)
    assert "BYTES_READ is not available" in (metric(found(GONE), "io.readers").reason or "")
    assert value(found(GONE), "io.writers") == 8
    for rate in ("posix.bandwidth", "io.bandwidth"):
        assert metric(found(0), rate).confidence == "measured"
        assert "BYTES_READ is not available" in (metric(found(GONE), rate).reason or "")


@pytest.mark.parametrize("module", ["POSIX", "STDIO"])
@pytest.mark.parametrize("gone", ["BYTES_READ", "MAX_BYTE_READ", "BYTES_WRITTEN"])
def test_how_much_of_a_file_was_read_where_nobody_counts_how_far(module: str, gone: str) -> None:
    counters = {f"{module}_BYTES_READ": 1000, f"{module}_MAX_BYTE_READ": 999, f"{module}_BYTES_WRITTEN": 0}
    whole = job(log(table(module, (1, 0, counters))))
    assert (value(whole, f"{module.lower()}.times_read"), value(whole, f"{module.lower()}.read_whole_fraction")) == (
        1,
        1,
    )
    found = job(log(table(module, (1, 0, counters | {f"{module}_{gone}": GONE}))))
    assert f"{module}_{gone} is not available" in (metric(found, f"{module.lower()}.times_read").reason or "")
    if gone != "BYTES_WRITTEN":
        assert f"{gone} is not available" in (metric(found, f"{module.lower()}.read_whole_fraction").reason or "")


def test_few_records_without_a_counter_leave_a_number_inferred_and_many_leave_none() -> None:
    def found(without: int) -> Selection:
        took = {"POSIX_OPENS": 1, "POSIX_WRITES": 1, "POSIX_BYTES_WRITTEN": 1000, "POSIX_F_WRITE_TIME": 1.0}
        rows = ((n, n, took | ({"POSIX_F_META_TIME": nan} if n < without else {})) for n in range(100))
        return job(log(table("POSIX", *rows), nprocs=100))

    assert [metric(found(n), "balance.mean_time").confidence for n in (0, 5, 6)] == ["measured", "inferred", None]
    assert "in too many records" in (metric(found(6), "balance.mean_time").reason or "")
    assert value(found(100), "io.bytes") == 100_000


def test_a_counter_of_reads_is_missed_by_nobody_who_did_not_read() -> None:
    wrote = {"POSIX_OPENS": 1, "POSIX_WRITES": 1, "POSIX_BYTES_WRITTEN": 1000, "POSIX_F_WRITE_TIME": 1.0}
    found = job(log(table("POSIX", (1, 0, wrote | {"POSIX_F_READ_TIME": nan, "POSIX_MAX_BYTE_READ": GONE}))))
    assert metric(found, "balance.mean_time").confidence == "measured"


def test_who_reads_where_records_are_missing_and_those_that_are_there_read_nothing() -> None:
    wrote = {"POSIX_WRITES": 1, "POSIX_BYTES_WRITTEN": 1000}
    assert value(job(log(table("POSIX", (1, 0, wrote)))), "io.readers") == 0
    partial = job(log(table("POSIX", (1, 0, wrote)), partial=["POSIX"]))
    assert "records are missing" in (metric(partial, "io.readers").reason or "")
