"""Metrics from CrayPAT reports: bytes, ranks and the least time of the slowest, no bandwidth from summed seconds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from evidence_by_hand import block, log, metric, table, value

from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.account.cells import Cells, SlowestRank, TimeAccount
from iotriage.metrics.tables.account.time_account import time_account
from iotriage.metrics.tables.files.uses import file_uses
from iotriage.metrics.tables.grouping import group_files, leading_pattern
from iotriage.metrics.tables.selecting import select_job
from iotriage_parsers.evidence import CrayPatReport, Lines, Part, PatIoRow, PatIoTable, PatProfileRow
from iotriage_parsers.evidence.craypat import PatAggregation, PatNoise
from iotriage_parsers.evidence.mpiio_stats import Direction

MIB = 2**20


def row(
    file: str,
    mib: float | None,
    ranks: int | None,
    *,
    line: int = 50,
    rank: int | None = None,
    noise: PatNoise | None = None,
    time_s: float | None = 3.0,
    calls: float = 10.0,
    aggregation: PatAggregation = "average-per-rank",
) -> PatIoRow:
    how = "one-rank" if rank is not None else aggregation
    return PatIoRow(file, rank, noise, how, line, time_s, mib, calls, 5.0, 100.0, ranks, ())


def one_by_one(file: str, mib_of_rank: Mapping[int, float]) -> tuple[PatIoRow, ...]:
    return tuple(row(file, mib, 1, rank=r, line=60 + r) for r, mib in mib_of_rank.items())


def table_of(
    *rows: PatIoRow, way: Direction = "write", ranks: tuple[PatIoRow, ...] = (), limited: bool = False
) -> PatIoTable:
    shown = "ALL" if ranks else "HIDE"
    return PatIoTable(
        way, f"File {way}", Lines(40, 90), True, "average-per-rank", (), rows, ranks, None, shown, None, None, limited
    )


def report(*tables: PatIoTable, ranks: int | None = 8, calls: tuple[str, ...] = ()) -> CrayPatReport:
    profile = tuple(PatProfileRow("MPI", name, 5.0, None, 10.0, None, 20) for name in calls)
    return CrayPatReport("pat_report", Lines(1, 99), True, ranks=ranks, nodes=2, io_tables=tables, profile=profile)


def given(*parts: Part) -> Selection:
    return select_job(list(enumerate(parts)))


def patterns(s: Selection) -> dict[str, str | None]:
    groups = group_files(s, file_uses(s), 40).groups
    return {f.path: g.pattern for g in groups for f in g.files}


def test_bytes_are_averages_times_ranks_and_noise_is_left_out() -> None:
    written = table_of(row("a.dat", 4.0, 8), row("b.dat", 1.5, 2), row("stdout", 99.0, 1, noise="standard-stream"))
    found = metric(given(report(written)), "io.bytes_written")
    assert found.value == (4 * 8 + 1.5 * 2) * MIB
    assert (found.confidence, found.bound) == ("measured", None)
    assert [w.at for w in found.where] == [Lines(50, 50)]


def test_sums_of_the_old_layout_are_not_multiplied() -> None:
    old = table_of(row("a.dat", 240.0, None, aggregation="sum-over-ranks"))
    s = given(report(old, ranks=None))
    assert value(s, "io.bytes_written") == 240 * MIB
    assert patterns(s) == {"a.dat": None}


def test_a_table_with_a_limit_gives_a_lower_bound() -> None:
    assert metric(given(report(table_of(row("a.dat", 4.0, 8), limited=True))), "io.bytes_written").bound == "lower"


def test_without_a_table_bytes_are_absent_and_not_zero() -> None:
    silent = replace(report(), io_tables_absent="I/O tables are absent.")
    for id in ("io.bytes_read", "io.bytes_written", "io.bytes"):
        found = metric(given(silent), id)
        assert (found.value, found.reason) == (None, "I/O tables are absent.")
    assert value(given(report(table_of(row("a.dat", 4.0, 8)))), "io.bytes_read") is None


def test_times_of_ranks_side_by_side_are_the_least_of_the_slowest_and_rates_no_bandwidth() -> None:
    s = given(report(table_of(row("a.dat", 4.0, 8))))
    for id in ("job.io_time_fraction", "io.bandwidth", "io.write_bandwidth", "posix.bandwidth"):
        assert value(s, id) is None, id
    time = metric(s, "job.io_time")
    assert (time.value, time.bound, time.confidence) == (3.0, "lower", "inferred")
    with_functions = metric(given(report(table_of(row("a.dat", 4.0, 8)), calls=("MPI_Send",))), "job.io_time")
    assert (with_functions.value, with_functions.bound) == (3.0, None)
    assert [f.time_s for f in file_uses(s)] == [None]


def account(*tables: PatIoTable, profile: tuple[PatProfileRow, ...] = (), run_s: float | None = 100.0) -> TimeAccount:
    found = time_account(given(replace(report(*tables), profile=profile, process_time_average_s=run_s)))
    assert found is not None
    return found


def test_the_file_of_one_rank_is_what_the_others_wait_for() -> None:
    """3 s of one of eight ranks, beside 3 s of all of them."""
    alone = account(table_of(row("a.dat", 4.0, 1)))
    assert alone.cells == Cells(writes=3 / 8, imbalance=3 - 3 / 8)
    assert alone.slowest == SlowestRank(3.0, 3.0, None, None)
    several = account(table_of(*(row(f"rank.{i}", 4.0, 1) for i in range(8))))
    assert several.slowest == SlowestRank(3.0, 3.0, None, None)
    beside = account(table_of(row("a.dat", 4.0, 1), row("b.dat", 4.0, 8)))
    assert beside.cells == Cells(writes=27 / 8)
    assert beside.slowest == SlowestRank(27 / 8, 6.0, None, None)


def test_one_rank_longer_than_the_run_ranks_nothing() -> None:
    s = given(replace(report(table_of(row("a.dat", 4.0, 1))), process_time_average_s=1.0))
    assert time_account(s) is None
    assert value(s, "job.io_time") is None


def profiled(group: str, function: str, percent: float) -> PatProfileRow:
    return PatProfileRow(group, function, percent, None, None, None, 9)


def test_functions_tell_of_opens_and_of_mpi_io() -> None:
    """Percents of a run of 100 s. Where the profile shows no write by itself, those of the table are in MPI-IO's."""
    opening = account(table_of(row("a.dat", 4.0, 8)), profile=(profiled("IO", "open64", 35.0),))
    assert (opening.cells.metadata, opening.cells.writes, opening.cells.exchange) == (35.0, 3.0, 0.0)
    calls = (profiled("MPI", "MPI_File_write_all", 38.0), profiled("MPI", "MPI_File_open", 2.0))
    within = account(table_of(row("a.dat", 4.0, 8)), profile=calls)
    assert (within.cells.metadata, within.cells.writes, within.cells.exchange) == (2.0, 3.0, 35.0)
    beside = account(table_of(row("a.dat", 4.0, 8)), profile=(*calls, profiled("IO", "write", 3.0)))
    assert beside.cells.exchange == 38.0
    assert [one.cell for one in beside.unknown] == []


def test_a_lone_file_is_one_ranks_own_unless_its_like_may_be_hidden() -> None:
    read = table_of(row("mesh.bin", 4.0, 1), row("out.h5", 64.0, 8), way="read")
    assert value(given(report(read)), "balance.alone_time") == 3.0
    assert value(given(report(read)), "balance.alone_file") == "mesh.bin"
    assert value(given(report(read)), "balance.alone_opens") is None
    several = table_of(*(row(f"rank.{i}", 4.0, 1) for i in range(3)))
    assert value(given(report(several)), "balance.alone_time") is None
    longest = table_of(row("rank.7", 4.0, 1), limited=True)
    assert value(given(report(longest)), "balance.alone_time") is None


def test_ranks_nodes_and_run_time_of_the_header() -> None:
    s = given(replace(report(), process_time_average_s=14.0, process_time_line=7))
    assert (value(s, "job.nprocs"), value(s, "job.nnodes")) == (8, 2)
    run = metric(s, "job.runtime")
    assert (run.value, run.confidence) == (14.0, "inferred")
    assert [w.at for w in run.where] == [Lines(7, 7)]


def test_two_reports_of_one_run_count_once() -> None:
    lite = report(table_of(row("a.dat", 4.0, 8), limited=True))
    full = report(table_of(row("a.dat", 4.0, 8), row("b.dat", 1.0, 8)))
    assert value(given(lite, full), "io.bytes_written") == 5 * 8 * MIB


def test_darshan_is_taken_before_craypat() -> None:
    written = log(table("POSIX", (1, 0, {"POSIX_BYTES_WRITTEN": 100})))
    s = given(written, report(table_of(row("a.dat", 4.0, 8))))
    assert value(s, "io.bytes_written") == 100
    assert len(file_uses(s)) == 1


def test_stats_and_craypat_cover_files_of_their_own() -> None:
    of_mpiio = block(file="/lus/out.dat", total_bytes=700)
    s = given(of_mpiio, report(table_of(row("out.dat", 4.0, 8), row("log.txt", 1.0, 1))))
    assert value(s, "io.bytes_written") == 700 + MIB
    assert sorted(f.path for f in file_uses(s)) == ["/lus/out.dat", "log.txt"]


SKEWED = {0: 3920.0, 1: 20.0, 2: 20.0, 3: 20.0, 4: 20.0}


def skewed(*calls: str) -> Selection:
    return given(report(table_of(row("out.dat", 800.0, 5), ranks=one_by_one("out.dat", SKEWED)), calls=calls))


def test_balance_over_the_ranks_that_wrote_from_rows_of_single_ranks() -> None:
    assert value(skewed(), "balance.slowest_rank_share") == 3920 / 4000
    assert value(skewed(), "balance.bytes") == pytest.approx(3920 / (4000 / 5))
    assert metric(skewed(), "balance.bytes").confidence == "measured"
    # as the list of files has it: one rank moved nearly all
    assert value(skewed(), "mpiio.effective_aggregators") == pytest.approx(16_000_000 / 15_368_000)
    assert value(skewed(), "file.writers") == 5


def test_a_rank_that_moves_nearly_all_is_a_serial_writer() -> None:
    (use,) = file_uses(skewed())
    # (Σb)² / Σb² = 4000² / (3920² + 4·20²)
    assert use.effective_ranks == pytest.approx(16_000_000 / 15_368_000)
    assert patterns(skewed("MPI_File_write_at")) == {"out.dat": "serial"}


def test_rows_of_reads_and_writes_of_one_file_are_one_file() -> None:
    written = table_of(row("a.dat", 2.0, 2), ranks=one_by_one("a.dat", {0: 2.0, 1: 2.0}))
    read = table_of(row("a.dat", 3.0, 1), way="read", ranks=one_by_one("a.dat", {2: 3.0}))
    (use,) = file_uses(given(report(written, read)))
    assert (use.bytes_written, use.bytes_read, use.writers, use.readers, use.opened_by) == (4 * MIB, 3 * MIB, 2, 1, 3)


@pytest.mark.parametrize(
    ("calls", "pattern"),
    [
        ((), None),
        (("MPI_File_write_all",), "shared-collective"),
        (("MPI_FILE_WRITE_AT_ALL(sync)",), "shared-collective"),
        (("MPI_File_write_at",), "shared-independent"),
        (("MPI_File_iwrite_shared",), "shared-independent"),
        (("MPI_File_write_at", "MPI_File_write_all"), None),
        (("MPI_File_read_all", "MPI_Allreduce"), None),
    ],
)
def test_how_ranks_share_a_file_is_said_by_the_profile_or_not_at_all(
    calls: tuple[str, ...], pattern: str | None
) -> None:
    assert patterns(given(report(table_of(row("a.dat", 4.0, 8)), calls=calls))) == {"a.dat": pattern}


def test_a_file_of_one_rank_below_collective_calls_may_have_one_aggregator_or_one_writer() -> None:
    assert patterns(given(report(table_of(row("a.dat", 4.0, 1)), calls=("MPI_File_write_all",)))) == {"a.dat": None}


@pytest.mark.parametrize(
    ("files", "ranks", "pattern"),
    [(1, 8, "serial"), (8, 8, "file-per-process"), (16, 8, "file-per-process"), (3, 8, None), (1, None, None)],
)
def test_files_of_one_rank_each(files: int, ranks: int | None, pattern: str | None) -> None:
    rows = (row(f"out.{i:03}", 4.0, 1) for i in range(files))
    assert set(patterns(given(report(table_of(*rows), ranks=ranks))).values()) == {pattern}


def test_the_one_file_of_one_rank_bounds_the_share_of_the_busiest() -> None:
    found = metric(
        given(report(table_of(row("out.dat", 90.0, 1), row("in.dat", 1.25, 8)))), "balance.slowest_rank_share"
    )
    assert (found.value, found.confidence, found.bound) == (90 / 100, "inferred", "lower")


def test_a_file_for_each_rank_is_an_even_spread() -> None:
    rows = [row(f"out.{i}", 10.0, 1) for i in range(7)]
    s = given(report(table_of(row("out.7", 30.0, 1), *rows)))
    found = metric(s, "balance.bytes")
    assert (found.value, found.confidence) == (30 / (100 / 8), "inferred")
    assert leading_pattern(group_files(s, file_uses(s), 40)[0]) == "file-per-process"


def test_averages_over_ranks_say_nothing_of_their_spread() -> None:
    found = metric(given(report(table_of(row("out.dat", 90.0, 8)))), "balance.bytes")
    assert found.value is None
    assert "pe=ALL" in (found.reason or "")


def test_the_ranks_that_move_a_shared_files_bytes_are_counted_by_the_report() -> None:
    assert value(given(report(table_of(row("out.dat", 90.0, 3)))), "mpiio.effective_aggregators") == 3
    assert value(given(report(table_of(row("out.dat", 90.0, 1)))), "mpiio.effective_aggregators") is None


def test_a_group_has_the_bytes_of_its_own_files() -> None:
    s = given(report(table_of(row("a.dat", 4.0, 8), row("other.dat", 1.0, 8))))
    groups = group_files(s, file_uses(s), 40).groups
    assert [value(g.selection, "io.bytes_written") for g in groups] == [32 * MIB, 8 * MIB]
    assert value(groups[1].selection, "group.weight") == 3 / 6


def test_calls_below_1_mib_are_those_that_bytes_cannot_have_made_larger() -> None:
    # a.dat: 8·1000 calls, 8·4 MiB: at most 32 of 1 MiB. b.dat: 2·512 calls of exactly 1 MiB. c.dat is read.
    written = table_of(row("a.dat", 4.0, 8, calls=1000.0), row("b.dat", 512.0, 2, calls=512.0))
    s = given(report(written, table_of(row("c.dat", 0.5, 8, calls=3.0), way="read")))
    small = metric(s, "profiled.small_accesses")
    assert (small.value, small.bound, small.confidence) == (8000 - 32 + 0 + 3 * 8 - 4, "lower", "inferred")
    assert value(s, "profiled.small_write_fraction") == (8000 - 32) / (8000 + 1024)
    assert value(s, "profiled.small_read_fraction") == (24 - 4) / 24
    assert value(s, "profiled.average_write_size") == (32 + 1024) * MIB / (8000 + 1024)
    assert value(s, "profiled.average_read_size") == 4 * MIB / 24


def test_noise_and_calls_that_move_nothing_are_no_small_accesses() -> None:
    stdout = row("stdout", 0.01, 1, calls=1e6, noise="standard-stream")
    at_the_end = table_of(row("a.dat", 0.0, 8, calls=512.0), way="read")
    s = given(report(table_of(row("a.dat", 4.0, 8, calls=4.0), stdout), at_the_end))
    assert value(s, "profiled.small_accesses") == 0
    assert value(s, "profiled.average_read_size") is None
    silent = given(report(table_of(stdout)))
    assert [value(silent, f"profiled.{q}") for q in ("small_accesses", "time", "rank_time")] == [None] * 3


def test_the_seconds_of_a_rank_lie_between_a_mean_and_the_sum() -> None:
    # 8 ranks of 3 s each in a.dat and one of 20 s in b.dat: 44 s by at most 8 ranks; one of them spent 20 s.
    s = given(report(table_of(row("a.dat", 4.0, 8), row("b.dat", 1.0, 1, time_s=20.0))))
    assert value(s, "profiled.time") == 8 * 3 + 20
    longest = metric(s, "profiled.rank_time")
    assert (longest.value, longest.bound) == (20, "lower")
    # Four files of one rank each: 12 s by four ranks at most.
    apart = given(report(table_of(*(row(f"out.{i}", 4.0, 1) for i in range(4)))))
    assert value(apart, "profiled.rank_time") == 12 / 4
    alone = metric(given(report(table_of(row("a.dat", 4.0, 1)))), "profiled.rank_time")
    assert (alone.value, alone.bound) == (3, None)


@pytest.mark.parametrize(("ranks", "seconds"), [(8, 38.4 / 8), (None, None)])
def test_sums_over_an_unknown_number_of_ranks_are_shared_by_all(ranks: int | None, seconds: float | None) -> None:
    old = table_of(row("a.dat", 240.0, None, time_s=38.4, aggregation="sum-over-ranks"))
    s = given(report(old, ranks=ranks))
    assert value(s, "profiled.time") == 38.4
    assert value(s, "profiled.rank_time") == seconds


def test_a_row_without_a_time_leaves_no_time() -> None:
    s = given(report(table_of(row("a.dat", 4.0, 8), row("b.dat", 1.0, 1, time_s=None))))
    assert (value(s, "profiled.time"), value(s, "profiled.rank_time")) == (None, None)
    assert value(s, "profiled.small_accesses") == 80 - 32 + 10 - 1


def test_calls_of_a_darshan_log_are_not_counted_again() -> None:
    s = given(log(table("POSIX", (1, 0, {"POSIX_BYTES_WRITTEN": 100}))), report(table_of(row("a.dat", 4.0, 8))))
    assert value(s, "profiled.small_accesses") is None


def test_what_those_that_write_take_beyond_the_mean_of_all_ranks() -> None:
    """Of 8 ranks two have a file each, of 3 s and of 5 s: the mean of all is 1 s, and somebody takes 5 s."""
    two = (row("a.0", 10.0, 1, time_s=3.0), row("a.1", 10.0, 1, time_s=5.0))
    found = metric(given(report(table_of(*two))), "balance.writes_beyond_mean")
    assert (found.value, found.confidence) == (4.0, "inferred")
    by_all = given(report(table_of(row("all", 10.0, 8))))
    assert value(by_all, "balance.writes_beyond_mean") == 0.0
    alone = metric(given(report(table_of(row("one", 10.0, 1)))), "balance.writes_beyond_mean")
    assert (alone.value, alone.reason) == (None, "one rank moves the bytes")
    assert value(by_all, "balance.reads_beyond_mean") is None
    untimed = (row("a.0", 10.0, 1, time_s=None), row("a.1", 10.0, 1))
    assert value(given(report(table_of(*untimed))), "balance.writes_beyond_mean") is None


@pytest.mark.parametrize("noise", ["standard-stream"])
def test_a_report_that_shows_every_rank_and_streams_alone_has_no_slowest_rank(noise: PatNoise) -> None:
    """Also where the profile shows that something was opened: the job has times, and no row of a file."""
    streams = tuple(row("stdout", 1.0, 1, rank=r, line=60 + r, noise=noise) for r in range(4))
    found = report(table_of(row("stdout", 1.0, 4, noise=noise), ranks=streams), ranks=4)
    found = replace(found, process_time_average_s=100.0, profile=(profiled("IO", "open64", 35.0),))
    whole = time_account(given(found))
    assert whole is not None
    assert whole.cells.metadata == 35.0
    assert value(given(found), "job.io_time") == pytest.approx(35.0)
