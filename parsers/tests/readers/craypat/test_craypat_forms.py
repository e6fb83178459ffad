"""The same report in other clothes, and what tables may hold: CSV, rows of ranks, unknown columns, no numbers."""

from __future__ import annotations

import textwrap

import pytest
from craypat_text import (
    LITE,
    LITE_END,
    LITE_HEAD,
    NEW_TABLE,
    OLD_HEAD,
    OLD_ROWS,
    OLD_TABLE,
    answer,
    codes,
    figures,
    only,
    read,
    reports,
    row,
)
from stats_text import block

from iotriage_parsers.evidence import CrayPatReport, Evidence, Failure, MpiioStats

MIB = 2**20


def each_line(text: str, before: str, after: str = "") -> str:
    return "".join(f"{before}{line}{after}\n" for line in text.splitlines())


def squeezed(text: str) -> str:
    """All runs of blanks made one, indentation lost."""
    return "".join(" ".join(line.split()) + "\n" for line in text.splitlines())


def test_new_layout() -> None:
    report = only(LITE)
    assert (report.form, report.complete, report.ranks, report.nodes) == ("lite", True, 16, 2)
    found = row(report, "write", "out/a|b.dat")
    assert (found.printed_time_s, found.printed_mib, found.ranks, found.printed_calls) == (0.25, 8.0, 16, 128.0)
    assert (found.time_summed_over_ranks_s, found.bytes_summed_over_ranks) == (4.0, 128 * MIB)
    assert (found.calls_summed_over_ranks, found.rate_per_rank_stream_mib_s) == (2048.0, 32.0)
    unnamed = row(report, "write", "_UnknownFile_")
    assert (unnamed.noise, unnamed.printed_mib, unnamed.bytes_per_call) == ("unnamed", 0.0, 0.0)


def test_old_layout() -> None:
    report = only(OLD_TABLE)
    found = row(report, "write", "out/a.dat")
    assert (found.aggregation, found.ranks, found.time_summed_over_ranks_s) == ("sum-over-ranks", None, 4.0)
    assert (found.bytes_summed_over_ranks, found.calls_summed_over_ranks) == (128 * MIB, 4096.0)
    assert row(report, "write", "/dev/shm/b.tmp").noise == "device"


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t.replace("\n", "\r\n"),
        lambda t: each_line(t, "    "),
        lambda t: each_line(t, "", "   "),
        lambda t: each_line(t, "> "),
        lambda t: each_line(t, ">> "),
        lambda t: each_line(t, ">     "),
        lambda t: each_line(t, " 0: "),
        lambda t: each_line(t, "2024-03-01 12:00:01 nid000123: "),
        lambda t: each_line(t, "# "),
        lambda t: each_line(t, "#   "),
        lambda t: each_line(t, "#old # "),
        lambda t: t.replace("\n", "\n\n"),
        lambda t: t.replace("\n\n", "\n"),
        squeezed,
        lambda t: each_line(squeezed(t), "    "),
        lambda t: "{noformat}\n" + t + "{noformat}\n",
        lambda t: "```\n" + t + "```\n",
    ],
    ids=[
        "crlf",
        "indented",
        "trailing blanks",
        "quoted",
        "quoted twice",
        "quoted and indented",
        "labelled",
        "timestamps",
        "commented",
        "commented and indented",
        "commented twice",
        "double-spaced",
        "blank lines lost",
        "blanks lost",
        "re-indented",
        "jira",
        "markdown",
    ],
)
@pytest.mark.parametrize("text", [LITE, OLD_TABLE, NEW_TABLE], ids=["report", "old part", "new part"])
def test_clothes(text: str, change) -> None:
    assert figures(only(change(text))) == figures(only(text))


@pytest.mark.parametrize("text", [OLD_HEAD + OLD_ROWS, NEW_TABLE.split("\n\n", 1)[1]], ids=["old", "new"])
def test_a_table_without_its_title(text: str) -> None:
    report = only(text)
    assert (report.form, [t.direction for t in report.io_tables]) == ("fragment", ["write"])
    assert len(report.io_tables[0].rows) == 2


def test_a_table_without_its_header() -> None:
    report = only("Table 4:  File Output Stats by Filename\n\n" + OLD_ROWS)
    found = row(report, "write", "out/a.dat")
    assert (found.printed_time_s, found.printed_mib, found.printed_calls) == (4.0, 128.0, 4096.0)
    assert found.aggregation == "sum-over-ranks"


def test_titles_that_do_not_wrap() -> None:
    head = "Write Time | Write MBytes | Write Rate MBytes/sec | Writes | Bytes/Call |File Name[max10]\n"
    table = only(f"Table 4:  File Output Stats by Filename\n\n{head}{OLD_ROWS}").io_tables[0]
    assert table.columns == only(OLD_TABLE).io_tables[0].columns
    assert [r.file for r in table.rows] == ["out/a.dat", "/dev/shm/b.tmp"]


def test_rows_that_copying_put_on_one_line() -> None:
    glued = OLD_TABLE.replace("|out/a.dat\n|  0.5", "|out/a.dat  | 0.5")
    assert glued.count("\n") == OLD_TABLE.count("\n") - 1
    assert [r.file for r in only(glued).io_tables[0].rows] == ["out/a.dat", "/dev/shm/b.tmp"]
    assert row(only(glued), "write", "/dev/shm/b.tmp").printed_mib == 64.0


@pytest.mark.parametrize("cut", ["|out/a.dat", "out/a.dat", "4,096.0"])
def test_rows_that_a_mail_program_broke(cut: str) -> None:
    report = only(OLD_TABLE.replace(cut, "\n" + cut, 1))
    assert figures(report) == figures(only(OLD_TABLE))


@pytest.mark.parametrize("width", [50, 58, 64, 68, 72])
@pytest.mark.parametrize("table", [OLD_TABLE, NEW_TABLE], ids=["old", "new"])
def test_a_table_whose_lines_a_mail_program_broke_has_the_same_figures(table: str, width: int) -> None:
    """A cell that went to the next line is not taken for the first of another row."""
    broken = [piece for line in table.splitlines() for piece in textwrap.wrap(line, width, break_long_words=False)]
    of_whole = {r.file: r.texts for r in only(table).io_tables[0].rows}
    rows = only("\n".join(broken) + "\n").io_tables[0].rows
    assert all(of_whole[r.file or ""] == r.texts for r in rows)
    assert rows[-1].file in ("/dev/shm/b.tmp", "_UnknownFile_")


OBSERVATION = "Observation:  MPI utilization\n\n    No suggestions were made because all ranks are on one node.\n"


@pytest.mark.parametrize("end", ["Table 1:  Profile by Function\n", OBSERVATION], ids=["table", "observation"])
def test_a_block_of_statistics_behind_a_report_that_was_cut_is_read(end: str) -> None:
    evidence = read(f"{LITE_HEAD}\n{end}\nthe rest is lost; the other file:\n\n{block()}")
    assert [p.total_bytes for p in evidence.of(MpiioStats)] == [p.total_bytes for p in read(block()).of(MpiioStats)]
    assert len(evidence.of(CrayPatReport)) == 1


def test_csv() -> None:
    text = LITE_HEAD + (
        "Table 2:  File Output Stats by Filename\n\n"
        "Level,Write Time,Write MBytes,Write Rate MBytes/sec,Writes,Bytes/Call,File Name/PE\n"
        "0,4.5,192.0,42.666667,6144.0,32768.0,Total\n"
        "1,4.5,192.0,42.666667,6144.0,32768.0,out/pe.7\n"
        "2,4.0,128.0,32.0,4096.0,32768.0,out/pe.7/pe.0\n"
        "2,0.5,64.0,128.0,2048.0,32768.0,out/pe.7/pe.3\n\n"
    )
    report = only(text + LITE_END)
    (table,) = report.io_tables
    assert (table.rank_selection, table.aggregation, table.complete) == ("ALL", "sum-over-ranks", True)
    assert table.total is not None
    assert (table.total.printed_mib, [r.file for r in table.rows]) == (192.0, ["out/pe.7"])
    assert [(r.file, r.rank, r.printed_mib) for r in table.rank_rows] == [("out/pe.7", 0, 128.0), ("out/pe.7", 3, 64.0)]


def test_ranks_above_files() -> None:
    rows = (
        "|  4.000000 | 128.000000 |  32.000000 |  4,096.0 |  32,768.00 |pe.0\n"
        "||----------------------------------------------------------------\n"
        "||  4.000000 | 128.000000 |  32.000000 |  4,096.0 |  32,768.00 |out/a.dat\n"
    )
    head = OLD_HEAD.replace("File Name[max10]", "PE").replace("PE=HIDE", "File Name")
    report = only(f"Table 4:  File Output Stats by Filename\n\n{head}|------\n{rows}|======\n")
    assert [(r.file, r.rank) for r in report.io_tables[0].rank_rows] == [(None, 0), ("out/a.dat", 0)]


def test_a_file_named_like_a_rank() -> None:
    report = only(OLD_TABLE.replace("out/a.dat", "pe.5"))
    assert row(report, "write", "pe.5").rank is None


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("/proc/self/maps", "kernel"),
        ("/sys/devices/system/cpu/online", "kernel"),
        ("/dev/infiniband/rdma_cm", "device"),
        ("stderr", "standard-stream"),
        ("_pipe_write_", "pipe"),
        ("_UnknownFile_", "unnamed"),
        ("/scratch/u/lib/libm.so.6", "shared-library"),
        ("/usr/share/zoneinfo/UTC", "system"),
        ("/scratch/u/toy+pat+123-4s/xf-files/000000.xf", "instrumentation"),
        ("/scratch/proc/out.dat", None),
        ("stdout.dat", None),
        ("/devel/x", None),
    ],
)
def test_noise_is_told_and_kept(name: str, why: str | None) -> None:
    assert row(only(OLD_TABLE.replace("out/a.dat", name)), "write", name).noise == why


def test_an_unknown_column_is_kept() -> None:
    lines = OLD_TABLE.splitlines()
    wider = "\n".join(
        line.replace("|File Name", "| Seek |File Name").replace("| PE=", "| Count | PE=")
        if "File Name" in line or "PE=" in line
        else line.replace("32,768.00 |", "32,768.00 | 17 |")
        for line in lines
    )
    evidence = read(wider + "\n")
    (report,) = evidence.of(CrayPatReport)
    assert report.io_tables[0].columns[-1] == "Seek Count"
    assert row(report, "write", "out/a.dat").texts[-1] == "17"
    assert row(report, "write", "out/a.dat").printed_mib == 128.0
    (problem,) = [p for p in evidence.problems if p.code == "unknown-field"]
    assert "Seek Count" in problem.message


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("nan", "not-a-number"),
        ("-inf", "not-a-number"),
        ("-12.000000", "out-of-range"),
        ("9" * 40, "out-of-range"),
        ("128,5", "unrecognised-number"),
        ("12x.000000", "unrecognised-number"),
    ],
)
def test_what_is_no_usable_number_is_absent_and_said(text: str, code: str) -> None:
    evidence = read(OLD_TABLE.replace("|  4.000000 | 128.000000", f"|  4.000000 | {text}"))
    (report,) = evidence.of(CrayPatReport)
    found = row(report, "write", "out/a.dat")
    assert (found.printed_mib, found.bytes_summed_over_ranks, found.texts[1]) == (None, None, text)
    assert found.printed_time_s == 4.0
    (problem,) = [p for p in evidence.problems if p.code == code]
    assert (problem.line, problem.loses_data) == (found.line, True)


def test_no_value_is_absent_unless_the_row_says_zero() -> None:
    report = only(NEW_TABLE.replace("| 0.250000 | 8.000000", "| 0.250000 |       --"))
    assert row(report, "write", "out/a|b.dat").printed_mib is None
    assert row(report, "write", "_UnknownFile_").printed_mib == 0.0


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("Number of PEs (MPI ranks):     nan", "ranks"),
        ("Number of PEs (MPI ranks):     -16", "ranks"),
        ("Number of PEs (MPI ranks):     16,5", "ranks"),
        ("Number of PEs (MPI ranks):", "ranks"),
    ],
)
def test_header_that_cannot_be_used(line: str, name: str) -> None:
    evidence = read(LITE.replace("Number of PEs (MPI ranks):     16", line))
    (report,) = evidence.of(CrayPatReport)
    assert getattr(report, name) is None
    assert evidence.status == "partial"


def test_header_rate_that_is_no_number() -> None:
    evidence = read(LITE.replace("32.000000 MiBytes/sec\n", "nan MiBytes/sec\n"))
    (report,) = evidence.of(CrayPatReport)
    assert (report.write_rate_per_rank_stream_mib_s, codes(evidence)) == (None, ["not-a-number"])


@pytest.mark.parametrize(
    ("text", "osts", "said"),
    [
        ("10, 11 3,7", (10, 11, 3, 7), []),
        ("10-13", (), ["unrecognised-number"]),
        ("10 11", (), ["unrecognised-number"]),
    ],
)
def test_list_of_osts(text: str, osts: tuple[int, ...], said: list[str]) -> None:
    table = (
        "Table 7:  Lustre File Information\n\n"
        "   File Path |    Stripe | Stripe | Stripe | OST list\n"
        "             |      size | offset |  count |\n"
        "-----------------------------------------------------\n"
        f"   a|b c.dat | 1,048,576 |      0 |      4 | {text}\n"
        "=====================================================\n"
    )
    evidence = read(LITE_HEAD + table + LITE_END)
    (report,) = evidence.of(CrayPatReport)
    (file,) = report.lustre
    assert (file.path, file.stripe_size_bytes, file.stripe_count, file.osts) == ("a|b c.dat", MIB, 4, osts)
    assert (file.ost_text, [c for c in codes(evidence) if c != "note"]) == (text, said)


def test_one_node_is_a_bare_number() -> None:
    report = only(LITE.replace("8  PEs on each of  2  Nodes", "16"))
    assert (report.ranks_per_node, report.nodes) == (16, 1)


def test_process_time_of_6_2_is_a_sum_and_a_mean() -> None:
    report = only(
        LITE.replace("Avg Process Time:      61.25 secs", "Process Time:   980  secs       61.25 secs per PE")
    )
    assert report.process_time_average_s == 61.25


def test_io_not_traced_is_told_from_no_io() -> None:
    details = (
        "========================  Additional details  ========================\n\n"
        "Experiment:  samp_cs_time\n\nInstrumented with:  pat_build toy\n\n"
        '  Option file "apa" contained:\n    -g mpi\n    -g syscall\n\nInstrumented program:  ./toy+pat\n'
    )
    head = "CrayPat/X:  Version 6.4.6 Revision 1  01/01/17 00:00:01\n\nNumber of PEs (MPI ranks):   16\n\n"
    report = only(head + details)
    assert (report.form, report.complete, report.traced_groups) == ("pat_report", True, ("mpi", "syscall"))
    assert report.io_tables_absent is not None
    assert "mpi, syscall" in report.io_tables_absent


def test_a_program_that_starts_is_no_report() -> None:
    start = "CrayPat/X:  Version 20.10.0 Revision 00aa11bb2  09/01/20 12:00:01\n"
    assert isinstance(answer(start + "hello\n" * 50), Failure)
    assert isinstance(answer(start), Failure)
    (report,) = reports(start + "step | 1 | 2\nTable 1: of the application\n" * 30 + LITE)
    assert figures(report) == figures(only(LITE))


def test_a_script_that_names_the_table_is_no_report() -> None:
    script = "read=`grep -A6 'Table 3:  File Input Stats by Filename' $in | grep Total | cut -d '|' -f1`\n"
    assert isinstance(answer(script * 3), Failure)


def test_two_jobs_are_two_reports_and_a_copy_is_none() -> None:
    other = LITE.replace("00:00:07", "06:30:00")
    assert [r.start_time_local for r in reports(LITE + "next job\n" + other)] == [
        "2021-01-01T00:00:07",
        "2021-01-01T06:30:00",
    ]
    evidence = read(LITE + other + LITE)
    assert len(evidence.of(CrayPatReport)) == 2
    assert "duplicate-block" in codes(evidence)


def test_mixed_reports_give_no_figures() -> None:
    """Two runs that end at once: the second banner comes before the first report's tables."""
    other = LITE_HEAD.replace("00:00:07", "00:00:09")
    evidence = read(LITE_HEAD + other + NEW_TABLE + NEW_TABLE.replace("8.000000", "9.000000") + LITE_END)
    first, second = evidence.of(CrayPatReport)
    assert (first.io_tables, first.complete, second.io_tables, second.complete) == ((), False, (), False)
    assert "interleaved" in codes(evidence)
    evidence = read(LITE.replace("I/O Write", "Number of PEs (MPI ranks):     99\nI/O Write"))
    (report,) = evidence.of(CrayPatReport)
    assert (report.ranks, report.io_tables, report.process_time_average_s) == (None, (), 61.25)
    assert "interleaved" in codes(evidence)


def test_two_parts_of_two_runs_are_not_one() -> None:
    first, second = reports(OLD_TABLE + "and now with more ranks:\n" + OLD_TABLE.replace("4.000000", "3.000000"))
    assert (first.io_tables[0].rows[0].printed_time_s, second.io_tables[0].rows[0].printed_time_s) == (4.0, 3.0)


def test_in_a_log_with_statistics_of_mpi_io() -> None:
    """A box of Cray MPICH in the middle of the table: each reader gets its own lines."""
    halves = LITE.split("| 0.000500")
    evidence = read("x\n" * 300 + f"{halves[0]}{block()}| 0.000500{halves[1]}" + "y\n" * 300)
    (stats,) = evidence.of(MpiioStats)
    assert (evidence.reader, stats.trusted, stats.complete) == ("mpich_stats", True, True)
    assert figures(evidence.of(CrayPatReport)[0]) == figures(only(LITE))


def test_noise_between_all_lines() -> None:
    noisy = "".join(f"{line}\nWARN rank 3: a | b is late\n" for line in LITE.splitlines())
    assert figures(only(noisy)) == figures(only(LITE))


def test_each_rank_with_its_label_and_other_ranks_between() -> None:
    labelled = "".join(f" 0: {line}\n 7: still waiting | {n}\n" for n, line in enumerate(LITE.splitlines()))
    assert figures(only(labelled)) == figures(only(LITE))


def test_cut_says_so() -> None:
    evidence = read(LITE[: LITE.index("| 0.000500")])
    (report,) = evidence.of(CrayPatReport)
    assert (report.complete, report.io_tables[0].complete, evidence.status) == (False, False, "partial")
    assert codes(evidence).count("unterminated") == 2


@pytest.mark.parametrize("at", ["1 rank", "out/a"])
def test_a_row_cut_in_its_middle_is_left_out(at: str) -> None:
    text = LITE[: LITE.index("65,536.00") + (0 if at == "1 rank" else len("65,536.00 | out/a"))]
    evidence = read(text)
    assert isinstance(evidence, Evidence)
    assert evidence.of(CrayPatReport)[0].io_tables[0].rows == ()
    assert "torn" in codes(evidence)


def test_a_mark_before_the_rows_shifts_no_figure_into_the_column_beside_its_own() -> None:
    """Seconds would be megabytes. Among lines without the mark, nothing takes it off."""
    marked = "".join(f"# > {line}\n" for line in OLD_TABLE.splitlines())
    found = reports(f"as it was printed:\nbefore the change\n{marked}and so it is\nwith some more\nlines of text\n")
    right = {row.printed_mib for table in only(OLD_TABLE).io_tables for row in table.rows}
    assert right == {128.0, 64.0}
    rows = [row for report in found for table in report.io_tables for row in table.rows]
    assert {row.printed_mib for row in rows} <= {None, *right}


@pytest.mark.parametrize("taken", [2, 3])
def test_figures_that_lost_what_stood_before_their_point_are_left_out(taken: int) -> None:
    """As where a block of columns was copied."""
    table = """\
Table 2:  File Input Stats by Filename

     Read |      Read |  Read Rate |    Reads | Bytes/ |File Name[max15]
     Time |    MBytes | MBytes/sec |          |   Call | PE=HIDE

 0.207404 | 18.724653 |  90.281244 | 390645.0 |  50.26 |Total
|-----------------------------------------------------------------
|0.124897 | 15.065679 | 120.625100 | 352283.0 |  44.84 |a.lmpdat
|0.056299 |  3.212683 |  57.064245 |  31692.0 | 106.30 |b.lmpdat
|=================================================================
"""
    evidence = read(
        "".join(f"{line[taken:]}\n" if line.startswith(("|0", " 0")) else f"{line}\n" for line in table.splitlines())
    )
    (report,) = evidence.of(CrayPatReport)
    rows = [row for one in report.io_tables for row in one.rows]
    assert all(row.printed_time_s is None or row.printed_time_s < 1 for row in rows)
    assert any(p.loses_data for p in evidence.problems)
    assert [row.printed_time_s for row in read(table).of(CrayPatReport)[0].io_tables[0].rows] == [0.124897, 0.056299]


def test_a_row_that_lost_its_name_is_not_called_by_the_figures_below() -> None:
    """As where a reply breaks rows and quotes their first halves alone."""
    table = """\
> Table 4:  File Output Stats by Filename (maximum 10 shown)
>
>      Write |        Write |   Write Rate |      Writes |       Bytes/ |File Name[max10]
>       Time |       MBytes |   MBytes/sec |             |         Call | PE=HIDE
>
>  39.651000 | 1,740.004883 |    43.883001 | 1,967,644.0 |       927.26 |Total
> |----------------------------------------------------------------------
> | 38.400000 |   240.000000 |     6.250000 | 1,966,080.0 |       128.00
|diag/trace.txt
> |  1.250000 | 1,500.000000 | 1,200.000000 |     1,500.0 | 1,048,576.00
|restart.0003.bin
> |  0.001000 |     0.004883 |     4.882812 |        64.0 |        80.00 |stdout
> |======================================================================
"""
    evidence = read(table)
    (report,) = evidence.of(CrayPatReport)
    assert [(row.file, row.printed_time_s) for row in report.io_tables[0].rows] == [("stdout", 0.001)]
    assert [(p.code, p.line) for p in evidence.problems if p.loses_data] == [("torn", 8), ("torn", 10)]
