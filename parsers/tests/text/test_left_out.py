"""Rows for which somebody put three dots."""

from __future__ import annotations

import pytest
from stats_text import REPOSITORY, VALUES, block, read

from iotriage_parsers.evidence import BenchmarkRun, JobContext
from iotriage_parsers.text.left_out import stands_for_rows

SAMPLES = REPOSITORY / "sample-logs"
CRAYPAT = (SAMPLES / "craypat" / "pat-report-one-writer" / "wave3d.pe.rpt").read_text(encoding="utf-8")
MDTEST = (SAMPLES / "mdtest" / "shared-directory" / "mdtest-fjord.txt").read_text(encoding="utf-8")
MARKS = ("...", "[...]", "(...)", "\u2026", "<snip>", "--- snip ---")


def losses(text: str) -> list[str]:
    return [p.message for p in read(text).problems if p.loses_data]


def with_mark(text: str, row: str, mark: str) -> str:
    """The text with a mark for the line that has `row`, and the number of that line."""
    lines = text.splitlines()
    at = next(n for n, line in enumerate(lines) if row in line)
    return "".join(f"{line}\n" for line in (*lines[:at], mark, *lines[at + 1 :]))


@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize("quote", ["", "> ", "0: "])
def test_a_row_that_was_left_out_is_told(mark: str, quote: str) -> None:
    text = "".join(f"{quote}{line}\n" for line in with_mark(MDTEST, "File stat", mark).splitlines())
    line = next(n for n, one in enumerate(text.splitlines(), 1) if one.endswith(mark))
    assert losses(text) == [f"line {line} stands for rows that were left out: they are not known"]
    assert losses(MDTEST) == []


def test_within_the_sides_of_a_table_and_beside_blank_lines() -> None:
    row = next(line for line in CRAYPAT[CRAYPAT.index(" Stats by Filename") :].splitlines() if line.startswith("| "))
    for mark in ("| ...", "\n...\n", "|..."):
        assert any("stands for rows" in message for message in losses(with_mark(CRAYPAT, row, mark)))
    name = next(iter(VALUES))
    assert any("stands for rows" in message for message in losses(with_mark(block("a.dat"), name, "|   ...")))


def test_rows_behind_the_mark_are_read_without_a_head_too() -> None:
    text = """\
access    bw(MiB/s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   total(s)   iter
------    ---------  ---------- ---------  --------   --------   --------   --------   ----
write     44.78      1048576    4.00       0.007478   182.91     49.97      182.93     0
...
write     52.90      1048576    4.00       0.013605   154.84     40.42      154.85     9
"""
    (run,) = read(text).of(BenchmarkRun)
    assert [i.number for i in run.results[0].iterations] == [0, 9]
    assert len(losses(text)) == 1


def test_dots_elsewhere_are_nobodys_rows() -> None:
    assert losses(f"...\n{MDTEST}\n...\n") == []
    assert losses(with_mark(MDTEST, "File stat", "......")) == []
    script = "#!/bin/bash\n#SBATCH -N 2\n...\nsrun -n 8 ./a.out\n"
    assert losses(script) == []
    assert read(script).of(JobContext)[0].nnodes == 2


@pytest.mark.parametrize("text", ["", ".", "..", "....", "a ...", "... and so on", "-" * 60, "snippet"])
def test_what_is_no_mark(text: str) -> None:
    assert not stands_for_rows(text)
