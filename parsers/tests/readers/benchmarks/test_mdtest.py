"""mdtest's summaries: values by hand, by a small pattern, cut and noisy."""

from __future__ import annotations

import io
import re

import pytest
from stats_text import REPOSITORY, codes, extra, read

from iotriage_parsers import detect
from iotriage_parsers.evidence import BenchmarkRates, Failure, Lines

TEXT = (REPOSITORY / "sample-logs" / "mdtest" / "shared-directory" / "mdtest-fjord.txt").read_text(encoding="utf-8")
FOUND = extra("samples", "found")


def only(text: str) -> BenchmarkRates:
    (found,) = read(text).of(BenchmarkRates)
    return found


def test_the_sample() -> None:
    run = only(TEXT)
    assert codes(read(TEXT)) == []
    assert (run.tool, run.version, run.nprocs, run.nodes, run.complete) == ("mdtest", "4.0.0", 256, 4, True)
    assert (run.file, run.began_local, run.lines) == ("/scratch/fjord/auser/md", "02/11/2026 09:14:05", Lines(2, 31))
    assert [(r.phase, r.mean, r.maximum, r.minimum, r.stddev, r.seconds, r.line) for r in run.rates] == [
        ("file creation", 19840.0, 20480.0, 19200.0, 522.558, 25.806, 14),
        ("file stat", 115200.0, 128000.0, 102400.0, 10450.995, 4.444, 15),
        ("file read", 57600.0, 64000.0, 51200.0, 5225.498, 8.889, 16),
        ("file removal", 24800.0, 25600.0, 24000.0, 653.197, 20.645, 17),
        ("tree creation", 140.0, 160.0, 120.0, 16.33, 0.007, 19),
    ]


def test_a_phase_that_did_not_run_is_absent_not_zero() -> None:
    run = only(TEXT)
    assert run.phase("tree removal") is None
    assert run.phase("file create (stonewall)") is None


def test_figures_of_ranks_stand_before_those_of_iterations_in_later_versions() -> None:
    row = "   File creation             :      20480.000      19200.000      19840.000        522.558"
    later = "   File creation                    9.000          1.000          5.000      20480.000      19200.000      19840.000        522.558"  # noqa: E501
    rates = only(TEXT.replace(row, later)).rates
    assert (rates[0].maximum, rates[0].minimum, rates[0].mean, rates[0].stddev) == (20480.0, 19200.0, 19840.0, 522.558)


def test_one_that_was_cut_says_so_and_keeps_what_it_has() -> None:
    cut = TEXT[: TEXT.index("   Tree creation")]
    run = only(cut)
    assert (run.complete, len(run.rates), run.rates[0].seconds) == (False, 4, None)
    assert "unterminated" in codes(read(cut))


@pytest.mark.parametrize("dash", ["\u2013", "\u2014"])
def test_two_dashes_that_a_tracker_made_one_begin_and_end_it_all_the_same(dash: str) -> None:
    first = re.sub(r"(?m)^   Tree .*\n", "", TEXT)
    changed = first.replace("-- started", f"{dash} started").replace(" --", f" {dash}").replace("-- fin", f"{dash} fin")
    assert only(changed) == only(first)
    assert codes(read(changed)) == codes(read(first)) == []


def test_a_whole_table_without_the_last_line_is_whole() -> None:
    """As it is pasted into a ticket."""
    pasted = TEXT[: TEXT.index("SUMMARY time")]
    assert (only(pasted).complete, len(only(pasted).rates)) == (True, 5)
    assert codes(read(pasted)) == []


def table_alone(text: str) -> str:
    return text[text.index("SUMMARY rate") : text.index("-- finished")]


def test_a_table_alone_is_read_and_says_what_it_lacks() -> None:
    alone = table_alone(TEXT)
    run = only(alone)
    assert (run.nprocs, run.nodes, run.version, run.complete, run.lines) == (None, None, None, True, Lines(1, 20))
    assert [(r.phase, r.mean, r.seconds) for r in run.rates] == [(r.phase, r.mean, r.seconds) for r in only(TEXT).rates]
    (problem,) = read(alone).problems
    assert (problem.code, problem.loses_data) == ("note", False)
    assert problem.message == (
        "lines 1-20 are a table of mdtest without the lines before it: its ranks and nodes are not known"
    )


def test_what_stands_near_before_a_table_alone_is_its_own() -> None:
    command = "Command line used: ./mdtest -n 64 -d /scratch/fjord/auser/md\n"
    before, after = table_alone(TEXT), table_alone(TEXT.replace("19840.000", "29840.000"))
    text = f"Before:\n{command}16 tasks, 1024 files\n{before}\nAfter:\n{command}{after}\nThanks\n"
    first, second = read(text).of(BenchmarkRates)
    assert (first.command_line, first.file, first.nprocs) == (
        "./mdtest -n 64 -d /scratch/fjord/auser/md",
        "/scratch/fjord/auser/md",
        16,
    )
    assert (second.command_line, second.nprocs) == (first.command_line, None)
    assert [run.rates[0].mean for run in (first, second)] == [19840.0, 29840.0]
    assert ["its nodes are not" in p.message for p in read(text).problems] == [True, False]


def test_the_command_of_another_is_not_mdtests() -> None:
    run = only(f"Command line used: ./ior -a POSIX -b 1g\n{table_alone(TEXT)}")
    assert (run.command_line, run.file) == (None, None)


def test_a_mention_of_a_table_is_none() -> None:
    assert isinstance(detect.read(io.BytesIO(b"SUMMARY: (of 3 iterations)\nall went well\n")), Failure)


def test_tables_of_two_numbers_of_tasks_under_one_head() -> None:
    """`-f` and `-l` make it measure again, with more tasks."""
    at = TEXT.index("-- finished")
    again = "128 tasks, 8192 files\n\n" + table_alone(TEXT.replace("19840.000", "29840.000"))
    runs = read(TEXT[:at] + again + TEXT[at:]).of(BenchmarkRates)
    assert [(run.nprocs, run.rates[0].mean) for run in runs] == [(256, 19840.0), (128, 29840.0)]


def wrapped(text: str, width: int, quote: str) -> str:
    """As a mail program breaks lines at blanks."""
    lines = []
    for line in text.splitlines():
        while len(line) > width and " " in line[:width].strip():
            at = line.rindex(" ", 0, width)
            lines.append(quote + line[:at].rstrip())
            line = line[at + 1 :].lstrip()
        lines.append(quote + line)
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("quote", ["", ">> "])
@pytest.mark.parametrize("width", [60, 66, 72, 78])
def test_rows_that_a_mail_program_broke_have_the_same_figures(width: int, quote: str) -> None:
    evidence = read(wrapped(TEXT, width, quote))
    (run,) = evidence.of(BenchmarkRates)
    assert [(r.phase, r.mean, r.maximum, r.minimum, r.stddev, r.seconds) for r in run.rates] == [
        (r.phase, r.mean, r.maximum, r.minimum, r.stddev, r.seconds) for r in only(TEXT).rates
    ]
    assert "torn" not in codes(evidence)


def test_a_row_of_which_a_piece_is_missing_is_left_out_and_told() -> None:
    row = "   File creation             :      20480.000      19200.000      19840.000        522.558"
    text = TEXT.replace(row, row.rsplit(maxsplit=1)[0])
    assert only(text).phase("file creation") is None
    (problem,) = read(text).problems
    assert (problem.code, problem.line, problem.loses_data) == ("torn", 14, True)


def test_a_row_that_is_broken_within_a_figure_is_left_out() -> None:
    """Five figures are no row of four behind another one."""
    evidence = read(TEXT.replace("19840.000        522.558", "19840.\n000        522.558"))
    assert evidence.of(BenchmarkRates)[0].phase("file creation") is None
    assert "torn" in codes(evidence)


def test_a_row_with_figures_of_ranks_is_not_whole_with_the_first_of_them() -> None:
    head = "   Operation     per Rank: Max            Min           Mean      per Iteration: Max            Min"
    row = "   File creation             :      20480.000      19200.000      19840.000        522.558"
    later = "   File creation        9.000   1.000   5.000      20480.000\n 19200.000      19840.000        522.558"
    text = TEXT.replace(row, f"{head}\n{later}")
    rates = only(text).rates
    assert (rates[0].maximum, rates[0].minimum, rates[0].mean, rates[0].stddev) == (20480.0, 19200.0, 19840.0, 522.558)


def test_lines_of_all_ranks_between() -> None:
    at = TEXT.index("SUMMARY rate")
    noisy = TEXT[:at] + "V-3: Rank 7 Line 1234 create_remove_items_helper\n" * 5000 + TEXT[at:]
    assert [r.mean for r in only(noisy).rates] == [r.mean for r in only(TEXT).rates]


def test_two_runs_one_after_another() -> None:
    assert [len(r.rates) for r in read(TEXT + TEXT.replace("19840.000", "19841.000")).of(BenchmarkRates)] == [5, 5]


ROW = re.compile(
    r"^ +((?:File|Directory|Tree) [a-z() ]+?)\s*:\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)$", re.MULTILINE
)


@pytest.mark.skipif(FOUND is None, reason="no extra corpora")
@pytest.mark.parametrize("path", sorted(FOUND.glob("*mdtest*")) if FOUND is not None else [], ids=lambda p: p.name)
def test_what_others_measured_as_a_pattern_reads_it(path: object) -> None:
    assert FOUND is not None
    text = (FOUND / str(path)).read_text(encoding="utf-8")
    runs = read(text).of(BenchmarkRates)
    assert all(run.complete for run in runs)
    parts = re.split(r"^SUMMARY", text, flags=re.MULTILINE)[1:]
    tables = [part for part in parts if not part.startswith(" time")]
    expected = [
        {m.group(1).lower(): float(m.group(4)) for m in ROW.finditer(table) if float(m.group(2))} for table in tables
    ]
    assert len(runs) == len(expected)
    for run, rows in zip(runs, expected, strict=True):
        assert {r.phase: r.mean for r in run.rates if "(" not in r.phase} == rows


def test_figures_that_a_cut_at_a_column_left_short_are_left_out() -> None:
    row = next(line for line in TEXT.splitlines() if "File creation" in line)
    end = len(row.rstrip())
    for column in range(end - 4, end):
        evidence = read("".join(f"{line[:column]}\n" for line in TEXT.splitlines()))
        (run,) = evidence.of(BenchmarkRates)
        assert run.rates[0].mean == 19840.0
        assert all(rate.stddev is None for rate in run.rates)
        assert [p.code for p in evidence.problems if p.loses_data] == ["cut-lines"]


def test_times_of_one_operation_are_not_the_phases() -> None:
    """https://github.com/hpc/ior/blob/main/src/mdtest.c prints either."""
    assert any(rate.seconds for rate in only(TEXT).rates)
    of_one = TEXT.replace("SUMMARY time:", "SUMMARY time (in ms/op):")
    assert of_one != TEXT
    assert [(r.phase, r.mean, r.seconds) for r in only(of_one).rates] == [
        (r.phase, r.mean, None) for r in only(TEXT).rates
    ]
