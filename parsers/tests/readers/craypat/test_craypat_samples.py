"""The committed CrayPAT samples: their numbers, stated by hand, and that these hold together as those of one job do."""

from __future__ import annotations

from itertools import chain

import pytest
from craypat_text import SAMPLES, codes, only, read, row, samples

from iotriage_parsers.detect import describe
from iotriage_parsers.evidence import CrayPatReport, Evidence

MIB = 2**20


def sample(case: str) -> Evidence:
    (path,) = (p for p in samples() if p.parent == SAMPLES / case)
    return read(path.read_bytes())


def report_of(case: str) -> CrayPatReport:
    (path,) = (p for p in samples() if p.parent == SAMPLES / case)
    return only(path.read_bytes())


def test_file_per_process() -> None:
    evidence = sample("lite-file-per-process")
    assert (evidence.reader, evidence.status, evidence.problems) == ("craypat", "complete", ())
    assert "CrayPAT 21.09.0 report: 2 files read, 33 files written" in describe(evidence)
    report = report_of("lite-file-per-process")
    assert (report.form, report.complete, report.version, report.experiment) == (
        "lite",
        True,
        "21.09.0",
        "lite  lite-samples",
    )
    assert (report.lines.first, report.lines.last) == (11, 145)
    assert (report.ranks, report.ranks_per_node, report.nodes, report.threads_per_rank) == (32, 16, 2, 1)
    assert (report.cores_per_socket, report.host, report.start_time_local) == (64, "nid000512", "2023-02-07T09:41:12")
    assert (report.process_time_average_s, report.process_time_line, report.high_memory_mib) == (18.42, 27, 6540.8)
    assert (report.executable, report.command_line) == ("./icefield", "./icefield input/deck.nml")
    assert report.read_rate_per_rank_stream_mib_s == 60.722155
    assert report.write_rate_per_rank_stream_mib_s == 197.386776
    assert report.line_of("I/O Write Rate") == 32
    (written,) = report.tables("write")
    assert (written.aggregation, written.excluded, written.rank_selection) == (
        "average-per-rank",
        "^/(proc|sys)",
        "HIDE",
    )
    assert (written.lines.first, written.lines.last, written.complete, written.total) == (98, 139, True, None)
    slowest = written.rows[0]
    assert (slowest.file, slowest.line, slowest.ranks) == ("ckpt/icefield.00019.chk", 106, 1)
    assert (slowest.printed_time_s, slowest.printed_mib, slowest.printed_calls) == (0.773, 96.0, 97.0)
    assert sum(r.bytes_summed_over_ranks or 0 for r in written.rows if r.noise is None) == 32 * 96 * MIB
    assert row(report, "write", "stdout").noise == "standard-stream"
    deck = row(report, "read", "input/deck.nml")
    assert (deck.ranks, deck.printed_calls, deck.calls_summed_over_ranks) == (32, 12.0, 384.0)
    assert deck.bytes_summed_over_ranks == 12 * MIB
    assert deck.time_summed_over_ranks_s == pytest.approx(0.196608)
    assert row(report, "read", "/etc/hosts").noise == "system"
    assert [(p.group, p.function, p.percent) for p in report.profile] == [
        ("USER", None, 78.4),
        ("MPI", None, 15.2),
        ("IO", None, 6.4),
        ("IO", "write", 6.4),
    ]


def test_one_writer() -> None:
    report = report_of("pat-report-one-writer")
    assert (report.form, report.complete, report.experiment) == ("pat_report", True, "samp_cs_time")
    assert (report.ranks, report.nodes, report.traced_groups) == (8, 2, ("mpi", "io"))
    assert report.executable == "/lus/h2/pr31/wave3d/bin/wave3d"
    assert report.command_line == "/lus/h2/pr31/wave3d/bin/wave3d+pat --steps 40 in/mesh.bin"
    assert (report.process_time_average_s, report.process_time_line) == (14.049, 129)
    assert [t.rank for t in report.rank_times] == [None, 0, 1, 2, 3, 4, 5, 6, 7]
    assert (report.rank_times[1].process_time_s, report.rank_times[1].high_memory_mib) == (14.212, 4120.9)
    (written,) = report.tables("write")
    assert (written.rank_selection, [(r.file, r.ranks) for r in written.rows]) == (
        "ALL",
        [("out/field.0040.dat", 5), ("out/run.log", 1)],
    )
    whole = row(report, "write", "out/field.0040.dat")
    assert (whole.line, whole.bytes_summed_over_ranks, whole.calls_summed_over_ranks) == (93, 4000 * MIB, 1060.0)
    assert whole.time_summed_over_ranks_s == pytest.approx(2.65)
    ranks = [r for r in written.rank_rows if r.file == "out/field.0040.dat"]
    assert [(r.rank, r.aggregation, r.printed_mib, r.printed_calls, r.line) for r in ranks] == [
        (0, "one-rank", 3920.0, 980.0, 95),
        (1, "one-rank", 20.0, 20.0, 96),
        (2, "one-rank", 20.0, 20.0, 97),
        (3, "one-rank", 20.0, 20.0, 98),
        (4, "one-rank", 20.0, 20.0, 99),
    ]
    assert whole.bytes_summed_over_ranks is not None
    assert ranks[0].bytes_summed_over_ranks == 0.98 * whole.bytes_summed_over_ranks
    assert row(report, "write", "out/run.log", rank=0).rate_per_rank_stream_mib_s == 78.125
    assert [(f.path, f.stripe_size_bytes, f.stripe_count, f.first_ost) for f in report.lustre] == [
        ("in/mesh.bin", MIB, 1, 23),
        ("out/field.0040.dat", 4 * MIB, 1, 7),
        ("out/run.log", MIB, 1, 14),
    ]
    assert ("MPI", "MPI_File_write_at", 2.5, 35.0) in [
        (p.group, p.function, p.percent, p.samples) for p in report.profile
    ]


def test_no_io() -> None:
    evidence = sample("lite-no-io")
    assert (evidence.reader, evidence.status, codes(evidence)) == ("craypat", "complete", ["note"])
    assert "CrayPAT 23.12.0 report: no I/O tables" in describe(evidence)
    report = report_of("lite-no-io")
    assert (report.version, report.ranks, report.nodes, report.process_time_average_s) == ("23.12.0", 48, 2, 7.31)
    assert (report.io_tables, report.read_rate_per_rank_stream_mib_s) == ((), None)
    assert report.io_tables_absent is not None
    assert "does not say that the program did no I/O" in report.io_tables_absent


def test_pasted_fragment() -> None:
    evidence = sample("pasted-fragment")
    assert (evidence.reader, evidence.status, codes(evidence)) == ("craypat", "complete", ["stripped", "note"])
    report = report_of("pasted-fragment")
    assert (report.form, report.version, report.ranks) == ("fragment", None, None)
    trace = row(report, "write", "diag/trace.txt")
    assert (trace.aggregation, trace.ranks, trace.line) == ("sum-over-ranks", None, 24)
    assert (trace.time_summed_over_ranks_s, trace.calls_summed_over_ranks) == (38.4, 1_966_080.0)
    assert (trace.bytes_summed_over_ranks, trace.bytes_per_call) == (240 * MIB, 128.0)
    (written,) = report.tables("write")
    assert written.total is not None
    assert (written.total.printed_time_s, written.total.printed_mib, written.total.file) == (39.651, 1740.004883, None)
    assert (written.row_limit, written.limited) == (10, False)
    assert row(report, "read", "/proc/self/maps").noise == "kernel"


@pytest.mark.parametrize("path", samples(), ids=lambda p: p.parent.name)
def test_the_figures_of_every_row_agree(path) -> None:
    """MiB over seconds is the rate, MiB over calls the bytes of a call, to the precision of the print."""
    report = only(path.read_bytes())
    for found in chain.from_iterable((*t.rows, *t.rank_rows) for t in report.io_tables):
        assert None not in (found.printed_time_s, found.printed_mib, found.printed_calls)
        assert found.rate_per_rank_stream_mib_s == pytest.approx(found.printed_mib / found.printed_time_s, rel=2e-3)
        assert found.bytes_per_call == pytest.approx(found.printed_mib * MIB / found.printed_calls, rel=2e-4)


def test_the_header_rate_is_bytes_over_summed_seconds() -> None:
    report = report_of("lite-file-per-process")
    for direction, rate in (
        ("read", report.read_rate_per_rank_stream_mib_s),
        ("write", report.write_rate_per_rank_stream_mib_s),
    ):
        (table,) = report.tables(direction)
        moved = sum(r.bytes_summed_over_ranks or 0 for r in table.rows) / MIB
        assert rate == pytest.approx(moved / sum(r.time_summed_over_ranks_s or 0 for r in table.rows), rel=1e-4)
