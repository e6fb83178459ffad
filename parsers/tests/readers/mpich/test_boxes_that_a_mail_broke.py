"""Rows of statistics and times that a mail program broke at a blank behind their `=`: the figures are the row's."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from stats_text import SAMPLES, block, codes, read
from timers_text import SAMPLES as TIMES
from timers_text import timers

from iotriage_parsers.evidence import MpiioHints, MpiioStats, MpiioTimers

TEXT = block("a") + timers("a")


def broken(text: str, width: int, quoted: str) -> str:
    lines: list[str] = []
    for line in text.splitlines():
        at = line.rfind(" ", 0, width + 1) if len(line) > width else -1
        lines += [line] if at <= 0 or line.startswith("| MPIIO") else [line[:at], line[at + 1 :]]
    return "".join(f"{quoted}{line}\n" for line in lines)


def wrapped(text: str, width: int, quoted: str, indented: str) -> str:
    """As a mail program sets what was pasted indented: every line at its blanks, names and their titles too."""
    lines: list[str] = []
    for line in text.splitlines():
        rest = indented + line
        while len(rest) > width and (at := rest.rstrip().rfind(" ", len(indented), width + 1)) > len(indented):
            lines, rest = [*lines, rest[:at].rstrip()], rest[at:].strip()
        lines.append(rest)
    return "".join(f"{quoted}{line}\n" for line in lines)


@pytest.mark.parametrize("quoted", ["", "> ", "> > ", "0: "])
@pytest.mark.parametrize("width", [66, 68, 70, 72, 74])
def test_figures_that_stand_below_their_row_are_its_own(width: int, quoted: str) -> None:
    told, whole = read(broken(TEXT, width, quoted)), read(TEXT)
    assert broken(TEXT, width, "") != TEXT
    (stats,), (times,) = told.of(MpiioStats), told.of(MpiioTimers)
    (stats_of_all,), (times_of_all,) = whole.of(MpiioStats), whole.of(MpiioTimers)
    assert figures_of(times) == figures_of(times_of_all)
    assert (times.total_ticks, times.raw_bandwidth) == (times_of_all.total_ticks, times_of_all.raw_bandwidth)
    assert (stats.total_bytes, stats.complete) == (stats_of_all.total_bytes, True)
    assert (times.complete, times.net_bandwidth) == (True, times_of_all.net_bandwidth)
    assert not any(problem.loses_data for problem in told.problems)


def figures_of(times: MpiioTimers) -> list[tuple[object, ...]]:
    return [(p.label, p.ticks, p.percent) for p in (*times.phases, *times.details)]


@pytest.mark.parametrize("path", sorted(TIMES.glob("*/*.txt")), ids=lambda path: path.parent.name)
@pytest.mark.parametrize("indented", ["", "    "])
@pytest.mark.parametrize("quoted", ["", "> "])
@pytest.mark.parametrize("width", [60, 66, 72, 76, 78])
def test_times_that_a_mail_wrapped_are_those_that_were_printed(
    path: Path, width: int, quoted: str, indented: str
) -> None:
    """No percent is lost, and no least ticks are taken for those of the average."""
    text = path.read_text()
    told, whole = (read(t).of(MpiioTimers) for t in (wrapped(text, width, quoted, indented), text))
    assert len(told) == len(whole)
    for times, of_all in zip(told, whole, strict=True):
        # A row that is broken twice has none.
        assert [f for f in figures_of(of_all) if f in figures_of(times)] == figures_of(times)
        assert width < 66 or figures_of(times) == figures_of(of_all)
        assert times.file == of_all.file
        assert {n.rank for n in times.named_ranks} == {n.rank for n in of_all.named_ranks}


def test_a_percent_that_is_another_ones_stays_away() -> None:
    row = next(line for line in TEXT.splitlines() if "wait for coll" in line)
    assert row.endswith(" 40%")
    for below in ("39%", " 41 %", "40%"):
        (told,) = read(TEXT.replace(row, f"{row[:-4]}\n{below}", 1)).of(MpiioTimers)
        assert told.phase("wait for coll") is not None
    for below in ("4%", "0%", "100%", "140%"):
        evidence = read(TEXT.replace(row, f"{row[:-4]}\n{below}", 1))
        assert evidence.of(MpiioTimers)[0].phase("wait for coll") is None
        assert "torn" in codes(evidence)
    for at in (1, 2):
        (told,) = read(TEXT.replace(row, f"{row[:-at]}\n{row[-at:]}", 1)).of(MpiioTimers)
        assert [p.percent for p in told.phases if p.label == "wait for coll"] == [40]


def test_a_rank_that_a_terminal_broke_is_nobody() -> None:
    path = TIMES / "level-2-details" / "kelp-9120447.stderr.txt"
    text = path.read_text()
    late = next(line for line in text.splitlines() if "Late arriver" in line and line[-2:].isdigit())
    evidence = read(text.replace(late, f"{late[:-1]}\n{late[-1]}", 1))
    told, whole = (found.of(MpiioTimers) for found in (evidence, read(text)))
    assert sum(len(t.named_ranks) for t in told) == sum(len(t.named_ranks) for t in whole) - 1
    assert "torn" in codes(evidence)


@pytest.mark.parametrize("text", [block("a.dat"), timers("a.dat")], ids=["statistics", "times"])
def test_a_name_below_its_title_is_the_blocks(text: str) -> None:
    told = read(text.replace("for a.dat", "for\na.dat", 1))
    assert [(found.file, found.complete) for of in (MpiioStats, MpiioTimers) for found in told.of(of)] == [
        ("a.dat", True)
    ]
    for below in ("step 3 of 8", "", "|"):
        evidence = read(text.replace("for a.dat", f"for\n{below}", 1))
        assert not any(found.complete for of in (MpiioStats, MpiioTimers) for found in evidence.of(of))
        assert "torn" in codes(evidence)


HINTS = "PE 0: MPIIO hints for a.dat:\n" + "".join(
    f"          {key:<24} = {value}\n"
    for key, value in [("romio_cb_write", "automatic"), ("cb_nodes", "8"), ("romio_filesystem_type", "CRAY ADIO:")]
)
ROWS = "".join(
    f"key = {key:<30} value = {value}\n"
    for key, value in [("cb_buffer_size", "16777216"), ("romio_no_indep_rw", "false")]
)


@pytest.mark.parametrize("quoted", ["", "> ", "> > "])
@pytest.mark.parametrize("indented", ["", "    ", "            "])
@pytest.mark.parametrize(("text", "width"), [(HINTS, 36), (ROWS, 44)], ids=["Cray MPICH", "ROMIO"])
def test_the_value_of_a_hint_stands_below_it(text: str, width: int, quoted: str, indented: str) -> None:
    told, whole = read(wrapped(text, width + len(indented), quoted, indented)), read(text)
    (hints,), (of_all,) = told.of(MpiioHints), whole.of(MpiioHints)
    assert [(h.key, h.value) for h in hints.hints] == [(h.key, h.value) for h in of_all.hints]


def cut_at(text: str, width: int) -> str:
    return "".join(f"{line[at : at + width]}\n" for line in text.splitlines() for at in range(0, len(line) or 1, width))


@pytest.mark.parametrize(
    "pasted",
    [
        lambda text: text.replace("\n", "\n\n"),
        lambda text: cut_at(text, 80),
        lambda text: cut_at(text, 100),
        lambda text: broken(text, 72, ""),
        lambda text: "".join(f"0: {line}\n1: step\n" for line in text.splitlines()),
    ],
    ids=["every other line empty", "80 columns", "100 columns", "a mail", "two ranks"],
)
def test_the_components_above_a_title_are_read_however_they_were_pasted(pasted: Callable[[str], str]) -> None:
    (path,) = (SAMPLES / "v3-pfl-read").glob("*.txt")
    text = path.read_text()
    (told,), (whole,) = read(pasted(text)).of(MpiioStats), read(text).of(MpiioStats)
    figures = [
        [(c.stripe_count, c.stripe_size_bytes, c.bytes_written, c.bytes_read) for c in found.pfl]
        for found in (told, whole)
    ]
    assert figures[0] == figures[1]
    assert (told.total_bytes, told.complete) == (whole.total_bytes, True)


def test_components_that_are_cut_are_missed_aloud() -> None:
    (path,) = (SAMPLES / "v3-pfl-read").glob("*.txt")
    text = path.read_text()
    whole = max(len(line) for line in text.splitlines() if "pfl comp[" in line)
    for width in range(60, whole):
        evidence = read("".join(f"{line[:width]}\n" for line in text.splitlines()))
        (found,) = evidence.of(MpiioStats)
        assert {c.bytes_read for c in found.pfl} <= {None, 2**26, 960 * 2**20, 4608 * 2**20}
        assert "cut-lines" in codes(evidence)


def test_a_row_without_figures_below_it_stays_torn() -> None:
    row = next(line for line in TEXT.splitlines() if "system writes" in line)
    label, value = row.split("= ")
    for below in ("step 12 of 30", "", "> 1605", "| 1605"):
        evidence = read(TEXT.replace(row, f"{label}=\n{below}", 1))
        assert evidence.of(MpiioStats)[0].system_accesses is None
        assert "torn" in codes(evidence)
    later = read(TEXT.replace(row, f"{label}=\nstep\n{value}", 1))
    assert later.of(MpiioStats)[0].system_accesses is None


def test_a_column_that_is_broken_within_its_figure_is_none() -> None:
    row = next(line for line in TEXT.splitlines() if "wait for coll" in line)
    for at in range(row.index("300000000") + 1, row.index("300000000") + 9):
        told = read(TEXT.replace(row, f"{row[:at]}\n{row[at:]}", 1))
        assert "wait for coll" not in [p.label for p in told.of(MpiioTimers)[0].phases]
        assert "torn" in codes(told)


def test_figures_that_are_broken_once_more_are_none() -> None:
    row = next(line for line in TEXT.splitlines() if "system writes" in line)
    label, value = row.split("= ")
    (found,) = read(TEXT.replace(row, f"{label}=\n{value[:2]}\n{value[2:]}", 1)).of(MpiioStats)
    assert (found.system_accesses, found.complete) == (None, False)


RULE = "+--------------------------------------------------------+"


@pytest.mark.parametrize("behind", ["|   aggregators             = 12", "|   wait for coll   = 1 2 3  4%", RULE])
@pytest.mark.parametrize("text", [block("a.dat"), timers("a.dat")], ids=["statistics", "times"])
def test_a_name_ends_where_the_line_of_another_rank_begins(text: str, behind: str) -> None:
    evidence = read(text.replace("for a.dat", f"for a.dat{behind}", 1))
    assert [found.file for of in (MpiioStats, MpiioTimers) for found in evidence.of(of)] == ["a.dat"]
    assert "torn" in codes(evidence)


@pytest.mark.parametrize("of", ["access patterns", "by phases, all ranks,"])
@pytest.mark.parametrize("text", [block("a.dat"), timers("a.dat")], ids=["statistics", "times"])
def test_no_name_holds_two_titles(text: str, of: str) -> None:
    evidence = read(text.replace("for a.dat", f"for a.dat| MPIIO write {of} for b.dat", 1))
    names = {found.file for kind in (MpiioStats, MpiioTimers) for found in evidence.of(kind)}
    assert names <= {"a.dat", "b.dat", None}
    assert "torn" in codes(evidence)


@pytest.mark.parametrize("name", ["a|b.dat", "a| b.dat", "x=1|y=2.dat", "run |a"])
def test_a_name_with_a_bar_is_whole(name: str) -> None:
    evidence = read(block(name) + timers(name))
    assert [found.file for of in (MpiioStats, MpiioTimers) for found in evidence.of(of)] == [name, name]
    assert evidence.problems == ()


@pytest.mark.parametrize(
    ("broken", "value"),
    [
        ("automa\ntic ", "automatic"),
        ("\ndisabled", "disabled"),
        ("LUSTRE\n:", "LUSTRE:"),
        ("CRAY\nADIO:", "CRAY ADIO:"),
        ("167772\n16  ", None),
        ("0 32\n64 96", None),
        ("automatic\n16 steps", "automatic"),
    ],
)
def test_the_value_of_a_hint_that_a_terminal_broke_is_whole_or_left_out(broken: str, value: str) -> None:
    evidence = read(
        f"key = cb_nodes                  value = 8\nkey = x  value = {broken}\nkey = romio_cb_pfr  value = 1\n"
    )
    (hints,) = evidence.of(MpiioHints)
    assert [hint.value for hint in hints.hints] == ["8", *([] if value is None else [value]), "1"]
    assert hints.complete == (value is not None)
    assert [one.code for one in evidence.problems] == ([] if value is not None else ["torn"])


def test_a_block_whose_name_is_gone_is_told_without_it() -> None:
    evidence = read(re.sub(r"(access patterns|only|ranks)(,? for) \S+", r"\1\2", TEXT).rpartition("+--")[0])
    said = " ".join(problem.message for problem in evidence.problems)
    assert "of a file whose name is not there" in said
    assert '""' not in said
