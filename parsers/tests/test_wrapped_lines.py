"""Texts that a terminal broke at its width are told: rows are cut there, and names."""

from __future__ import annotations

import textwrap
from io import BytesIO
from pathlib import Path

import pytest
from stats_text import REPOSITORY, block, codes, read

from iotriage_parsers.detect import read as read_head
from iotriage_parsers.evidence import Failure, MpiioStats
from iotriage_parsers.reader import Limits
from iotriage_parsers.wrapped_lines import broken_lines

SAMPLES = REPOSITORY / "sample-logs"
TEXTS = sorted(p for p in SAMPLES.glob("*/*/*") if p.suffix in (".txt", ".out", ".rpt", ".log", ".err", ".slurm"))


def broken(text: str, width: int) -> str:
    pieces = ([line[at : at + width] for at in range(0, len(line), width)] or [""] for line in text.splitlines())
    return "".join(f"{piece}\n" for line in pieces for piece in line)


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_no_sample_is_broken(path: Path) -> None:
    assert broken_lines(path.read_bytes()) is None


@pytest.mark.parametrize(
    ("sample", "width"),
    [
        ("craypat/lite-file-per-process/slurm-40417.out", 80),
        ("craypat/pat-report-one-writer/wave3d.pe.rpt", 80),
        ("ior/shared-at-four-sizes/ior-064-ranks.txt", 100),
        ("darshan_parser_text/shared-indep-unaligned/cells.darshan.txt", 80),
    ],
)
def test_what_a_terminal_broke_is_told(sample: str, width: int) -> None:
    evidence = read(broken((SAMPLES / sample).read_text(encoding="utf-8"), width))
    (found,) = (p for p in evidence.problems if "broken at" in p.message)
    assert (found.loses_data, f"at {width} columns" in found.message) == (True, True)


def test_words_that_were_wrapped_and_code_are_not_broken() -> None:
    prose = textwrap.fill("The run wrote its restart files and then waited for the file system to answer it. " * 80, 80)
    assert broken_lines(prose.encode() + b"\n") is None
    code = "".join(f"    value_{n} = {'f(x), ' * 12}".ljust(80, "y")[:80] + f"\n        + {n}\n" for n in range(20))
    assert broken_lines(code.encode()) is None
    warning = "rank {}: could not lock the file, and goes on without a lock as it was asked to do".ljust(82, "!")
    repeated = "".join(f"{warning.format(n)}\nstep {n} of 99\n" for n in range(10, 40))
    assert len(repeated.splitlines()[0]) == 82
    assert broken_lines(repeated.replace("!!", "", 1).encode()) is None
    assert broken_lines("".join(f"{warning[2:].format(n)}\nstep {n}\n" for n in range(10, 40)).encode()) is None
    assert codes(read(block("a") + prose)) == []


def test_where_nothing_is_read_the_broken_lines_may_be_why() -> None:
    steps = ("assemble", "solve", "project", "advect", "average", "smooth", "restrict", "prolong")
    rows = "".join(f"{step} took {'a long while ' * 4}for {step * 5} and its neighbours\n" for step in steps)
    failed = read_head(BytesIO(broken(rows, 80).encode()), Limits())
    assert isinstance(failed, Failure)
    assert failed.message.startswith("nothing that is read here")
    assert "long lines are broken at 80 columns" in failed.message


LONG = "/work/e999/e999/user/run/a_directory_with_a_long_name/and_another_one/field_000001.dat"


@pytest.mark.parametrize("width", [80, 100])
def test_the_name_of_a_file_that_a_terminal_broke_is_whole(width: int) -> None:
    one = LONG if width == 80 else LONG.replace("/run/", "/run/in_a_much_longer_directory/")
    text = broken(block(one), width)
    assert one not in text
    assert read(text).of(MpiioStats)[0].file == one


@pytest.mark.parametrize("behind", ["step 10 done", "| done", ""])
def test_what_a_program_prints_behind_a_full_title_is_no_name(behind: str) -> None:
    title = "| MPIIO write access patterns for "
    name = LONG[: 80 - len(title)]
    text = block(name).replace(f"{name}\n", f"{name}\n{behind}\n")
    assert read(text).of(MpiioStats)[0].file == name
    # Nor is a word behind a title that fills no terminal's width.
    short = block("o.dat").replace("o.dat\n", "o.dat\ndone\n")
    assert read(short).of(MpiioStats)[0].file == "o.dat"
