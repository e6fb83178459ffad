"""What IOR and mdtest print, broken at blanks as mail programs break long lines: the figures are those of the whole."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import pytest
from calls_counted import calls_of

from iotriage_parsers import detect
from iotriage_parsers.evidence import BenchmarkRates, BenchmarkRun, Evidence, Lines

SAMPLES = Path(__file__).resolve().parents[4] / "sample-logs"
IOR = (SAMPLES / "ior/ssf-collective/ior-ssf-collective.txt").read_text()
MDTEST = (SAMPLES / "mdtest/shared-directory/mdtest-fjord.txt").read_text()


def broken(text: str, width: int, quoted: str = "") -> str:
    lines: list[str] = []
    for line in text.splitlines():
        rest = line
        while len(rest) > width and (cut := max(rest.rfind(" ", 0, width + 1), rest.find(" "))) > 0:
            lines.append(rest[:cut].rstrip())
            rest = rest[cut:].lstrip()
        lines.append(rest)
    return "".join(f"{quoted}{line}\n" for line in lines)


def read(text: str) -> Evidence:
    evidence = detect.read(io.BytesIO(text.encode()))
    assert isinstance(evidence, Evidence)
    return evidence


@pytest.mark.parametrize("quoted", ["", "> "])
@pytest.mark.parametrize("width", [60, 68, 72, 76, 80, 100])
def test_figures_of_ior_that_a_mail_program_broke(width: int, quoted: str) -> None:
    (whole,), (told,) = (read(text).of(BenchmarkRun) for text in (IOR, broken(IOR, width, quoted)))
    assert [(r.operation, r.max_bytes_per_s, r.mean_seconds) for r in told.results] == [
        (r.operation, r.max_bytes_per_s, r.mean_seconds) for r in whole.results
    ]
    rows = [[replace(row, line=0) for result in run.results for row in result.iterations] for run in (whole, told)]
    assert rows[0] == rows[1]
    for name in ("command_line", "nprocs", "transfer_size_bytes", "block_size_bytes", "segments", "complete", "file"):
        assert getattr(told, name) == getattr(whole, name)


@pytest.mark.parametrize("width", [64, 72, 80])
def test_the_command_of_mdtest_that_a_mail_program_broke(width: int) -> None:
    (whole,), (told,) = (read(text).of(BenchmarkRates) for text in (MDTEST, broken(MDTEST, width, "> ")))
    assert (told.command_line, told.file) == (whole.command_line, whole.file)
    assert [replace(r, line=0) for r in told.rates] == [replace(r, line=0) for r in whole.rates]


def test_what_stands_below_a_command_is_no_piece_of_it() -> None:
    command = next(line for line in IOR.splitlines() if line.startswith("Command line"))
    for below in ("Machine             : Linux nid000731", "", "-- a rule", "WARNING: the file system is full"):
        (run,) = read(IOR.replace(command, f"{command}\n{below}")).of(BenchmarkRun)
        assert run.command_line == command.split(": ", 1)[1]


def test_a_row_that_stays_cut_is_told_and_takes_nothing_of_the_next() -> None:
    rows = [line for line in IOR.splitlines() if line.startswith("write  ") and "4096.00" in line]
    cut = IOR.replace(rows[0], rows[0][:60])
    evidence = read(cut)
    (run,) = evidence.of(BenchmarkRun)
    writes = next(r for r in run.results if r.operation == "write")
    assert [i.number for i in writes.iterations] == [1, 2]
    assert [p.code for p in evidence.problems] == ["torn"]


def test_pieces_of_rows_are_each_read_once() -> None:
    head, _, _ = IOR.partition("write  ")

    def read_rows(rows: int) -> int:
        text = (head + "write     3087.34    774.78\n0.0214\n" * rows).encode()
        return calls_of(lambda: detect.read(io.BytesIO(text)))

    read_rows(1)  # What the first call of all prepares is no part of it.
    assert read_rows(4_000) < 3 * read_rows(2_000)


def test_lines_of_a_part_are_all_its_lines() -> None:
    text = broken(IOR, 72)
    (run,) = read(text).of(BenchmarkRun)
    assert isinstance(run.lines, Lines)
    assert run.lines.last == text.count("\n")
