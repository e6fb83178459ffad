"""What darshan-parser's totals give without records: the figures are worked out beside the assertions."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path

import pytest
from evidence_by_hand import log, metric, table, value

from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.account.time_account import time_account
from iotriage.metrics.tables.selecting import select_job
from iotriage_parsers import detect
from iotriage_parsers.evidence import (
    CounterTotal,
    DarshanPerf,
    DarshanSummary,
    DarshanTotals,
    Evidence,
    FileCount,
    Job,
    Lines,
    ModuleInfo,
    ModuleSummary,
    Part,
)

MIB = 2**20
SAMPLES = Path(__file__).parents[4] / "sample-logs"
SAMPLES_OF_OTHERS = Path(__file__).parents[5] / "shared" / "samples"


def module(
    name: str | None,
    totals: Mapping[str, float] | None = None,
    perf: DarshanPerf | None = None,
    files: int | None = None,
) -> ModuleSummary:
    counted = None
    if totals is not None:
        lines = enumerate(totals.items(), 10)
        counted = DarshanTotals(tuple(CounterTotal(n, None if v == -1 else v, line) for line, (n, v) in lines))
    kinds = () if files is None else (FileCount("total", files, 0, None, 5),)
    return ModuleSummary(name, Lines(1, 99), counted, perf, kinds)


def text(*modules: ModuleSummary, partial: tuple[str, ...] = (), start: float = 100.0) -> DarshanSummary:
    infos = tuple(ModuleInfo(m.module or "", 4, 1, m.module in partial, "unsupported") for m in modules)
    return DarshanSummary("3.41", Job("7", nprocs=8, start_time=start, runtime_s=50.0), (), infos, modules)


def given(*texts: Part) -> Selection:
    return select_job(list(enumerate(texts)))


POSIX = {
    "POSIX_OPENS": 24,
    "POSIX_READS": 100,
    "POSIX_SEQ_READS": 60,
    "POSIX_WRITES": 300,
    "POSIX_FSYNCS": -1,
    "POSIX_FDSYNCS": 3,
    "POSIX_BYTES_READ": 1000,
    "POSIX_BYTES_WRITTEN": 9000,
    "POSIX_MAX_BYTE_WRITTEN": 4095,
    "POSIX_SIZE_WRITE_0_100": 90,
    "POSIX_SIZE_WRITE_1M_4M": 210,
    "POSIX_SIZE_READ_100K_1M": 100,
    "POSIX_ACCESS1_ACCESS": MIB,
    "POSIX_ACCESS1_COUNT": 40,
    "POSIX_F_META_TIME": 2.5,
    "POSIX_F_READ_TIME": 2.5,
    "POSIX_F_WRITE_TIME": 7.5,
}
PERF = DarshanPerf(total_bytes=10_000, agg_time_by_slowest_s=4.0, agg_perf_by_slowest=2500.0)


def test_counts_are_the_printed_totals_with_their_line() -> None:
    opens = metric(given(text(module("POSIX", POSIX))), "posix.opens")
    assert (opens.value, opens.confidence, opens.bound) == (24, "measured", None)
    assert [(w.source, w.at) for w in opens.where] == [(0, Lines(10, 10))]


def test_what_is_not_available_is_left_out_of_a_sum() -> None:
    assert value(given(text(module("POSIX", POSIX))), "posix.fsyncs") == 3


def test_fractions_of_totals() -> None:
    s = given(text(module("POSIX", POSIX)))
    assert value(s, "posix.random_read_fraction") == pytest.approx(1 - 60 / 100)
    assert value(s, "posix.metadata_time") == 2.5
    assert value(s, "posix.metadata_time_fraction") == 2.5 / (2.5 + 2.5 + 7.5)
    assert value(s, "posix.average_write_size") == 9000 / 300
    assert value(s, "posix.small_write_fraction") == 90 / 300
    assert metric(s, "posix.small_write_fraction").confidence == "measured"


def test_accesses_of_exactly_1_mib_are_taken_out_and_that_is_inferred() -> None:
    found = metric(given(text(module("POSIX", POSIX))), "posix.small_read_fraction")
    assert found.value == (100 - 40) / 100
    assert found.confidence == "inferred"


def test_partial_totals_are_lower_bounds() -> None:
    s = given(text(module("POSIX", POSIX), partial=("POSIX",)))
    assert metric(s, "posix.opens").bound == "lower"
    assert value(s, "evidence.partial_modules") == 1


def test_time_and_bandwidth_are_those_that_darshan_prints() -> None:
    s = given(text(module("POSIX", POSIX, PERF)))
    assert value(s, "job.io_time") == 4.0
    assert value(s, "job.io_time_fraction") == 4.0 / 50.0
    assert value(s, "posix.bandwidth") == 2500.0
    assert value(s, "io.bandwidth") == 2500.0
    assert value(s, "io.write_bandwidth") == pytest.approx(9000 / (4.0 * 7.5 / 10.0))
    assert value(s, "job.runtime") == 50.0
    assert value(s, "job.nprocs") == 8
    assert value(s, "file.size") == 4096


def test_older_tools_print_the_terms_of_the_time() -> None:
    old = DarshanPerf(total_bytes=10_000, unique_slowest_s=1.5, shared_by_slowest_s=0.5, agg_perf_by_slowest=5000.0)
    s = given(text(module("POSIX", POSIX, old)))
    assert value(s, "job.io_time") == 2.0
    assert value(s, "posix.bandwidth") == 5000.0


ABOVE = {
    "MPIIO_INDEP_WRITES": 30,
    "MPIIO_COLL_WRITES": 10,
    "MPIIO_SPLIT_WRITES": 5,
    "MPIIO_INDEP_READS": 0,
    "MPIIO_BYTES_READ": 0,
    "MPIIO_BYTES_WRITTEN": 8000,
}


def test_calls_of_mpiio() -> None:
    s = given(text(module("MPI-IO", ABOVE)))
    assert value(s, "mpiio.independent_writes") == 30
    assert value(s, "mpiio.collective_writes") == 15
    assert value(s, "mpiio.independent_write_fraction") == 30 / 45
    assert value(s, "io.bytes_written") == 8000


def test_bytes_below_mpiio_are_not_counted_again() -> None:
    same = text(module("MPI-IO", ABOVE, files=2), module("POSIX", POSIX, files=2))
    assert value(given(same), "io.bytes_written") == 8000
    assert value(given(same), "io.bytes_read") == 0  # what POSIX read, MPI-IO read to write it back
    more = text(module("MPI-IO", ABOVE, files=2), module("POSIX", POSIX, files=3), module("STDIO", {"STDIO_OPENS": 1}))
    found = metric(given(more), "io.bytes_written")
    assert (found.value, found.confidence) == (9000, "inferred")


def test_which_calls_carried_the_bytes_is_known_where_there_is_one_kind() -> None:
    collective = {**ABOVE, "MPIIO_INDEP_WRITES": 0}
    assert value(given(text(module("MPI-IO", collective))), "mpiio.independent_bytes_lower_fraction") == 0.0
    assert value(given(text(module("MPI-IO", ABOVE))), "mpiio.independent_bytes_lower_fraction") is None


@pytest.mark.parametrize(
    "id", ["mpiio.effective_aggregators", "posix.metadata_time_busiest", "mpiio.write_amplification"]
)
def test_what_needs_records_says_so(id: str) -> None:
    found = metric(given(text(module("POSIX", POSIX), module("MPI-IO", ABOVE))), id)
    assert found.value is None
    assert "without --total" in (found.reason or "")


def test_a_module_the_run_did_not_have_is_not_promised() -> None:
    found = metric(given(text(module("POSIX", POSIX))), "mpiio.independent_writes")
    assert found.value is None
    assert "no MPI-IO records" in (found.reason or "")


def test_two_texts_of_one_run_are_one_run_and_two_runs_add_up() -> None:
    of_one = given(text(module("POSIX", POSIX)), text(module("POSIX", perf=PERF)), text(module("POSIX", POSIX)))
    assert value(of_one, "posix.opens") == 24
    assert value(of_one, "posix.bandwidth") == 2500.0
    two = given(text(module("POSIX", POSIX, PERF)), text(module("POSIX", POSIX, PERF), start=900.0))
    assert value(two, "posix.opens") == 48
    assert value(two, "job.runtime") == 100.0
    assert value(two, "posix.bandwidth") == 20_000 / 8.0


def test_records_are_taken_before_totals() -> None:
    whole = log(table("POSIX", (1, 0, {"POSIX_OPENS": 5})))
    assert value(select_job([(0, text(module("POSIX", POSIX))), (1, whole)]), "posix.opens") == 5


WHOLE = DarshanPerf(total_bytes=10_000, unique_slowest_s=1.5, shared_by_slowest_s=2.5, agg_perf_by_slowest=2500.0)
OF_DARSHAN_2 = {"MPIIO_COLL_WRITES": 64, "MPIIO_F_WRITE_TIME": 2.0}
"""Of MPI-IO Darshan 2.x has calls and times, and no bytes."""


def test_darshan_2_says_the_time_of_all_layers_together() -> None:
    s = given(text(module(None, {"CP_POSIX_READS": 100}, WHOLE, files=3), module("POSIX", POSIX)))
    assert (value(s, "job.io_time"), value(s, "file.count")) == (1.5 + 2.5, 3)
    assert metric(s, "job.io_time").confidence == "measured"
    assert value(s, "io.bytes_written") == 9000
    assert value(s, "io.layer") == "POSIX"
    assert value(s, "posix.average_write_size") == 9000 / 300


def test_bytes_below_mpi_io_are_not_taken_for_its_own() -> None:
    s = given(text(module(None, {}, WHOLE), module("MPI-IO", OF_DARSHAN_2), module("POSIX", POSIX)))
    assert value(s, "mpiio.collective_writes") == 64
    assert value(s, "job.io_time") == 4.0
    for id in ("io.bytes_written", "io.layer"):
        assert value(s, id) is None, id
    assert "Darshan 2.x" in (metric(s, "io.bytes_written").reason or "")


RECORDS_AND_TOTALS = SAMPLES_OF_OTHERS / "text" / "49-darshan-parser-2.3.1-all-log2.06.txt"


@pytest.mark.skipif(not RECORDS_AND_TOTALS.exists(), reason="no samples of others here")
def test_totals_of_darshan_2_give_what_its_records_give() -> None:
    """A text with both, and the same without its records: what both state is the same."""
    text = RECORDS_AND_TOTALS.read_text()
    totals = "".join(line for line in text.splitlines(keepends=True) if line[0] not in "-0123456789")
    by_records, by_totals = _read(text), _read(totals)
    assert (len(by_records.logs), len(by_totals.logs)) == (1, 0)
    same = ("job.io_time", "job.nprocs", "job.runtime", "file.size", "mpiio.independent_writes")
    same += ("posix.average_write_size", "posix.opens", "posix.small_write_fraction", "posix.metadata_time")
    same += (
        "mpiio.small_accesses",
        "mpiio.independent_read_fraction",
        "io.bytes",
        "io.layer",
        "posix.misaligned_fraction",
    )
    for id in same:
        assert value(by_totals, id) == value(by_records, id), id
    assert value(by_totals, "posix.average_write_size") == 16 * MIB


def _read(text: str) -> Selection:
    evidence = detect.read(io.BytesIO(text.encode()))
    assert isinstance(evidence, Evidence)
    return given(*evidence.parts)


def test_no_rank_spends_longer_in_io_than_the_run() -> None:
    """The slowest ranks of several files are added up by the tool: they may differ."""
    long = DarshanPerf(total_bytes=10_000, agg_time_by_slowest_s=80.0, agg_perf_by_slowest=125.0)
    cut = given(text(module("POSIX", {"POSIX_F_READ_TIME": 160.0}, long)))
    assert value(cut, "job.io_time") == 50.0
    assert metric(cut, "job.io_time").confidence == "inferred"
    assert value(cut, "job.impossible_time") == 0.0
    threads = given(text(module("POSIX", {"POSIX_F_READ_TIME": 800.0}, long)))
    assert "not plausible" in (metric(threads, "job.io_time").reason or "")
    assert value(threads, "job.impossible_time") == 50.0
    assert time_account(threads) is None


def test_where_records_are_missing_the_time_is_what_the_mean_rank_has_spent() -> None:
    """What the slowest ranks of several files take together is no lower bound of any: 160 s of 8 ranks are."""
    perf = DarshanPerf(total_bytes=10_000, agg_time_by_slowest_s=30.0, agg_perf_by_slowest=333.0)
    partial = given(text(module("POSIX", {"POSIX_F_READ_TIME": 160.0}, perf), partial=("POSIX",)))
    found, account = metric(partial, "job.io_time"), time_account(partial)
    assert (found.value, found.confidence, found.bound) == (20.0, "inferred", "lower")
    assert account is not None
    assert account.slowest is not None
    assert (account.slowest.least_s, account.slowest.most_s) == (20.0, 20.0)


def test_a_text_that_ends_before_the_performance_of_mpi_io_has_no_run_without_io() -> None:
    """All that POSIX saw passed through MPI-IO: of a layer without figures it takes at least what POSIX has."""
    below, above = module("POSIX", POSIX, PERF, files=2), module("MPI-IO", {"MPIIO_BYTES_WRITTEN": 9000}, files=2)
    cut = metric(given(text(below, above)), "job.io_time")
    assert (cut.value, cut.bound) == (4.0, "lower")
    whole = module("MPI-IO", {"MPIIO_BYTES_WRITTEN": 9000}, DarshanPerf(agg_time_by_slowest_s=5.0), files=2)
    found = metric(given(text(below, whole)), "job.io_time")
    assert (found.value, found.bound) == (5.0, None)


@pytest.mark.parametrize("lines", [0, 9, 20])
def test_a_text_that_ends_within_the_performance_has_lost_it(lines: int) -> None:
    sample = SAMPLES / "darshan_parser_text" / "totals-shared-aligned" / "totals.txt"
    rows = sample.read_bytes().splitlines(keepends=True)
    after = max(i for i, row in enumerate(rows) if row == b"# performance\n") + 2
    whole, cut = (detect.read(io.BytesIO(b"".join(some))) for some in (rows, rows[: after + lines]))
    assert isinstance(whole, Evidence)
    assert isinstance(cut, Evidence)
    lost = [p for p in cut.problems if p.loses_data]
    assert [p.where for p in lost] == ([] if after + lines >= len(rows) else ["MPI-IO"])
    assert not any(p.loses_data for p in whole.problems)
