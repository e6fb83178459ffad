"""Noise around, odd chunks, cut and damaged bytes: no crash, no hang, and no figure that the text does not hold."""

from __future__ import annotations

import io
import random
from pathlib import Path

import pytest
from budget import dice, examples, some, tries
from craypat_text import LITE, NEW_TABLE, OLD_TABLE, answer, corpus_files, figures, only, read, reports, samples
from hypothesis import given, settings
from hypothesis import strategies as st
from odd_stream import OddStream

from iotriage_parsers import detect
from iotriage_parsers.evidence import CrayPatReport, Evidence
from iotriage_parsers.reader import Limits
from iotriage_parsers.readers.craypat import reader
from iotriage_parsers.text.scan import scan

SOURCES = (*samples(), *corpus_files(craypat=True))
NOISE = (
    "srun: error: nid000123: task 7: Killed",
    "Table 3: of the application",
    "| a | b | c |",
    "a,b,c",
    "| 1 | 2",
    "===========================",
    "-----",
    "Observation: the sun shines",
    "  0.5 | 17 |Total",
    "####",
    "File Input Stats by Filename",
    "\x1b[31mred\x1b[0m",
    "",
)


def sound(evidence: Evidence) -> bool:
    """Whether every problem and every figure says where it is, and every figure is a number."""
    for problem in evidence.problems:
        assert problem.line is not None
        assert problem.line > 0
    for report in evidence.of(CrayPatReport):
        for table in report.io_tables:
            for row in (*table.rows, *table.rank_rows):
                assert report.lines.first <= row.line <= report.lines.last
                figures_of_row = (row.printed_time_s, row.printed_mib, row.printed_calls, row.bytes_per_call)
                assert all(f is None or 0 <= f < 2**63 for f in figures_of_row)
    return True


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: f"{p.parent.name}/{p.name[:24]}")
def test_noise_around(path: Path) -> None:
    data = path.read_bytes()
    noise = "".join(f"step {n}: | {n} | all well\n" for n in range(500)).encode()
    evidence = read(noise + data + (b"" if data.endswith(b"\n") else b"\n") + noise)
    (alone,) = reports(data)
    (found,) = evidence.of(CrayPatReport)
    assert figures(found) == figures(alone)
    assert found.lines.first == alone.lines.first + 500
    assert sound(evidence)


@pytest.mark.fuzz
@pytest.mark.parametrize("path", some(SOURCES), ids=lambda p: f"{p.parent.name}/{p.name[:24]}")
@pytest.mark.parametrize("chunk", [1, 17, 997])
def test_odd_chunks(path: Path, chunk: int) -> None:
    data = path.read_bytes()
    blocks, _ = scan(OddStream(data), [reader], Limits(), chunk)
    (whole,) = reports(data)
    assert [part for b in blocks for part in b.found.parts] == [whole]


@pytest.mark.fuzz
@pytest.mark.parametrize("path", SOURCES, ids=lambda p: f"{p.parent.name}/{p.name[:24]}")
def test_truncated_anywhere(path: Path) -> None:
    """What is left of a cut report is in the whole one too, or is said to be torn."""
    data = path.read_bytes()
    (whole,) = reports(data)
    rows = {(t.direction, r.file, r.rank, r.texts) for t in whole.io_tables for r in (*t.rows, *t.rank_rows)}
    stated = {(f.key, f.text) for f in whole.fields}
    places = random.Random(path.name).sample(range(len(data)), tries(3, 60))
    for place in places:
        found = answer(data[:place])
        if not isinstance(found, Evidence):
            continue
        assert sound(found)
        for report in found.of(CrayPatReport):
            for table in report.io_tables:
                assert {(table.direction, r.file, r.rank, r.texts) for r in (*table.rows, *table.rank_rows)} <= rows
            assert {(f.key, f.text) for f in report.fields} <= stated
            if figures(report) != figures(whole) and report.form == "lite":
                assert found.status == "partial"


@pytest.mark.fuzz
@pytest.mark.parametrize("path", SOURCES, ids=lambda p: f"{p.parent.name}/{p.name[:24]}")
def test_flipped_bytes(path: Path) -> None:
    data = path.read_bytes()
    chance = dice(path.name)
    for _ in range(tries(3, 200)):
        flipped = bytearray(data)
        flipped[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        found = answer(bytes(flipped))
        assert not isinstance(found, Evidence) or sound(found)


@settings(max_examples=examples(10), deadline=None)
@given(st.lists(st.sampled_from((*NOISE, *LITE.splitlines(), *OLD_TABLE.splitlines())), max_size=80))
def test_lines_in_any_order(lines: list[str]) -> None:
    found = answer("\n".join(lines))
    assert not isinstance(found, Evidence) or sound(found)


@settings(max_examples=examples(10), deadline=None)
@given(st.text(max_size=300), st.text(max_size=300))
def test_any_text_around(before: str, after: str) -> None:
    text = f"{before}\n{LITE}\n{after}".encode("utf-8", errors="replace")
    found = answer(text)
    assert isinstance(found, Evidence)
    assert sound(found)


@settings(max_examples=examples(10), deadline=None)
@given(st.binary(max_size=600))
def test_random_bytes_after_a_title(data: bytes) -> None:
    found = answer(b"Table 4:  File Output Stats by Filename\n\n" + data)
    assert not isinstance(found, Evidence) or sound(found)


@settings(max_examples=examples(10), deadline=None)
@given(st.lists(st.tuples(st.integers(0, 60), st.sampled_from(NOISE)), max_size=20))
def test_foreign_lines_change_no_figure(inserted: list[tuple[int, str]]) -> None:
    """Except that lines which look like an end of table or a new one may end it."""
    harmless = [(at, line) for at, line in inserted if not line.startswith(("Table", "=", "-", "Obs", "|", "  0.5"))]
    lines = LITE.splitlines()
    for at, line in sorted(harmless, reverse=True):
        lines.insert(min(max(at, 7), len(lines) - 1), line)
    assert figures(only("\n".join(lines) + "\n")) == figures(only(LITE))


def test_a_line_over_the_limit_is_skipped_and_said() -> None:
    long = f"| 1.000000 | 1.000000 | 1.000000 | 1 | 1.0 | 1.00 | {'x' * 70_000}\n"
    evidence = read(NEW_TABLE.replace("| 0.000500", f"{long}| 0.000500"))
    (report,) = evidence.of(CrayPatReport)
    assert [r.file for r in report.io_tables[0].rows] == ["out/a|b.dat", "_UnknownFile_"]
    (problem,) = [p for p in evidence.problems if p.code == "line-too-long"]
    assert problem.line == report.io_tables[0].rows[0].line + 1


@pytest.mark.parametrize(
    "line",
    [
        "|" * 60_000,
        "| 1.0 " * 10_000,
        "Read " * 12_000 + "File Name=!x/",
        "!x/" * 20_000 + "File Name=!x/ | a | b | c",
        "# " * 30_000 + "CrayPat/X:  Version 1",
        "1," * 30_000,
        "9" * 60_000 + " | 1 | 1 | 1 | 1 |x",
        "Number of PEs (MPI ranks):" + " " * 60_000 + "x",
        "Observation:  MPI utilization" + " " * 60_000,
    ],
    ids=["bars", "cells", "words", "patterns", "comments", "commas", "digits", "blanks", "observation"],
)
def test_long_lines_are_read_in_time(line: str) -> None:
    found = answer(f"{LITE[: LITE.index('Table 6')]}Table 6:  File Output Stats by Filename\n{line}\n" * 20)
    assert isinstance(found, Evidence)
    assert sound(found)


def test_more_rows_than_are_kept_are_said(monkeypatch) -> None:
    monkeypatch.setattr("iotriage_parsers.readers.craypat.table.MOST_ROWS", 50)
    row = "|| 0.250000 | 8.000000 |   32.000000 |     1 |  128.0 | 65,536.00 | pe.{}\n"
    many = "".join(row.format(n) for n in range(55))
    evidence = read(NEW_TABLE.replace("| 0.000500", f"{many}| 0.000500").replace("PE=HIDE", "PE"))
    (report,) = evidence.of(CrayPatReport)
    assert len(report.io_tables[0].rank_rows) == 49
    (limit,) = [p for p in evidence.problems if p.code == "limit"]
    assert (limit.loses_data, evidence.status) == (True, "partial")
    assert sound(evidence)


def test_a_stream_of_a_pipe() -> None:
    found = detect.read(io.BufferedReader(OddStream(LITE.encode())))
    assert isinstance(found, Evidence)
    assert figures(found.of(CrayPatReport)[0]) == figures(only(LITE))
