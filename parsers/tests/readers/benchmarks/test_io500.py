"""IO500: the summary and the INI file."""

from __future__ import annotations

import re

import pytest
from stats_text import REPOSITORY, codes, extra, read

from iotriage_parsers.evidence import BenchmarkRates

FOLDER = REPOSITORY / "sample-logs" / "io500" / "summary-and-result"
SUMMARY = (FOLDER / "result_summary.txt").read_text(encoding="utf-8")
RESULT = (FOLDER / "result.txt").read_text(encoding="utf-8")
FOUND = extra("samples", "found")
GIB = 2**30


def only(text: str) -> BenchmarkRates:
    (found,) = read(text).of(BenchmarkRates)
    return found


def test_the_summary() -> None:
    run = only(SUMMARY)
    assert codes(read(SUMMARY)) == []
    assert (run.tool, run.version, run.complete, len(run.rates)) == ("IO500", "io500-sc23_v1", True, 15)
    first, second, *_ = run.rates
    assert (first.phase, first.unit, first.mean, first.seconds, first.line) == (
        "ior-easy-write",
        "B/s",
        20 * GIB,
        312.0,
        2,
    )
    assert (second.phase, second.unit, second.mean) == ("mdtest-easy-write", "ops/s", 100_000.0)
    assert [r.phase for r in run.rates if not r.valid] == [
        "mdtest-easy-delete",
        "bandwidth score",
        "metadata score",
        "score",
    ]


def test_the_ini_file() -> None:
    run = only(RESULT)
    assert (run.version, run.nprocs, run.complete) == ("io500-sc23_v1", 640, True)
    assert run.began_local == "2026-02-12 10:00:00"
    assert [(r.command_line or "")[:9] for r in run.rates[:3]] == ["./ior -C ", "./mdtest ", ""]
    assert [(r.phase, r.unit, r.mean, r.seconds) for r in run.rates] == [
        ("ior-easy-write", "B/s", 20 * GIB, 312.0),
        ("mdtest-easy-write", "ops/s", 100_000.0, 330.25),
        ("find", "ops/s", 400_000.0, 95.0),
        ("bandwidth score", "B/s", 20 * GIB, None),
        ("metadata score", "ops/s", 200_000.0, None),
        ("score", "score", 63.245553, None),
    ]


def test_rows_without_a_version_are_a_result() -> None:
    rows = SUMMARY[SUMMARY.index("[RESULT]") :]
    run = only(rows)
    assert (run.version, run.complete) == (None, True)
    assert [(r.phase, r.mean, r.valid) for r in run.rates] == [(r.phase, r.mean, r.valid) for r in only(SUMMARY).rates]


def test_a_phase_that_comes_again_is_of_another_result() -> None:
    text = "MPI-IO:\n{}POSIX:\n{}".format(
        *(f"[RESULT] ior-hard-write {n}.5 GiB/s : time 300.3 seconds\n" for n in (2, 3))
    )
    runs = read(text).of(BenchmarkRates)
    assert [[r.mean for r in run.rates] for run in runs] == [[2.5 * GIB], [3.5 * GIB]]
    # Rows that were pasted alone do not break off; a result with its head does.
    assert codes(read(text)) == ["note"] * 2
    assert codes(read(f"IO500 version io500-sc24 (standard)\n{text}"))[0] == "unterminated"


@pytest.mark.parametrize("word", [" seconds", " time ", " GiB/s", " [INVALID]", " TOTAL "])
def test_rows_that_a_mail_program_broke_have_the_same_figures(word: str) -> None:
    broken = SUMMARY.replace(word, f"\n{word.strip()} " if word.endswith(" ") else f"\n{word.strip()}")
    evidence = read(broken)
    (run,) = evidence.of(BenchmarkRates)
    assert [(r.phase, r.mean, r.seconds, r.valid) for r in run.rates] == [
        (r.phase, r.mean, r.seconds, r.valid) for r in only(SUMMARY).rates
    ]
    assert codes(evidence) == []


def test_a_row_that_stays_cut_is_told() -> None:
    cut = SUMMARY.replace(" seconds", "", 1)
    assert len(only(cut).rates) == len(only(SUMMARY).rates) - 1
    assert [(p.code, p.line, p.loses_data) for p in read(cut).problems] == [("torn", 2, True)]


@pytest.mark.parametrize("text", [SUMMARY, RESULT])
def test_without_its_score_it_is_cut_off(text: str) -> None:
    cut = text[: text.index("[SCORE")]
    run = only(cut)
    assert not run.complete
    assert len(run.rates) >= 3
    assert codes(read(cut)) == ["unterminated"]


def test_an_ini_file_ends_where_other_lines_begin() -> None:
    text = RESULT.replace("; END 2026-02-12 10:12:18\n", "") + "the job is done\nscore = 3\n"
    assert only(text).lines.last == len(RESULT.splitlines()) - 1


@pytest.mark.skipif(FOUND is None, reason="no extra corpora")
def test_what_others_measured_as_patterns_read_it() -> None:
    assert FOUND is not None
    summary = (FOUND / "io500-result_summary.txt").read_text(encoding="utf-8")
    rows = re.findall(r"\[RESULT\]\s+(\S+)\s+(\S+) (GiB/s|kIOPS)\s+: time (\S+)", summary)
    expected = [(n, float(x) * (GIB if u == "GiB/s" else 1000), float(t)) for n, x, u, t in rows]
    assert [(r.phase, r.mean, r.seconds) for r in only(summary).rates[:-3]] == expected
    assert len(expected) == 12
    result = (FOUND / "io500-result.txt").read_text(encoding="utf-8")
    blocks = re.findall(r"^\[([a-z-]+)\]\n((?:.+\n)+)", result, re.MULTILINE)
    scores = {n: float(m.group(1)) for n, body in blocks if (m := re.search(r"^score\s+= (\S+)", body, re.MULTILINE))}
    run = only(result)
    assert {
        r.phase: (r.mean or 0) / (GIB if r.unit == "B/s" else 1000) for r in run.rates if "score" not in r.phase
    } == pytest.approx(scores)
    assert len(scores) == 12


def test_a_score_that_is_cut_within_its_figure_is_none() -> None:
    row = "[RESULT]       ior-easy-write        6.173493 GiB/s : time 329.228 seconds\n"
    score = "[SCORE ] Bandwidth 0.585873 GiB/s : IOPS 4.148649 kiops : TOTAL 1.559032"
    whole = read(f"{row}{score}\n").of(BenchmarkRates)[0]
    assert [r.mean for r in whole.rates if r.unit == "score"] == [1.559032]
    for cut in (score[:-1], score[:-3], score[:-5] + ">"):
        evidence = read(f"{row}{cut}\n")
        assert not [r for r in evidence.of(BenchmarkRates)[0].rates if r.unit == "score"]
        assert any(p.loses_data for p in evidence.problems)


def test_phases_that_are_invalid_in_their_brackets() -> None:
    """As versions of 2020 to 2022 print them."""
    text = """IO500 version 9c0f0c6
[RESULT-invalid]       ior-easy-write        0.015926 GiB/s : time 300.414 seconds
[RESULT]    mdtest-easy-write        0.011581 kIOPS : time 300.392 seconds
[SCORE-invalid] Bandwidth 0.002757 GB/s : IOPS 0.008095 kiops : TOTAL 0.004724
"""
    for part in (text, text[text.index("[RESULT-") :]):
        (run,) = read(part).of(BenchmarkRates)
        assert [(r.phase, r.valid) for r in run.rates] == [
            ("ior-easy-write", False),
            ("mdtest-easy-write", True),
            ("bandwidth score", False),
            ("metadata score", False),
            ("score", False),
        ]


def test_phases_of_the_extended_mode_that_no_score_counts() -> None:
    text = """IO500 version io500-sc22_v2 (extended)
[RESULT]       ior-easy-write        2.176514 GiB/s : time 300.123 seconds
[      ]            timestamp        0.000000 kIOPS : time 0.000 seconds
[      ]            find-easy      124.176514 kIOPS : time 12.123 seconds [INVALID]
[RESULT]                 find      100.176514 kIOPS : time 12.123 seconds
[SCORE ] Bandwidth 2.176514 GiB/s : IOPS 14.176514 kiops : TOTAL 5.554762
[SCOREX] Bandwidth 1.176514 GiB/s : IOPS 10.176514 kiops : TOTAL 3.554762
"""
    (run,) = read(text).of(BenchmarkRates)
    assert [(rate.phase, rate.valid) for rate in run.rates[:3]] == [
        ("ior-easy-write", True),
        ("find-easy", False),
        ("find", True),
    ]
    assert run.complete
    assert run.rates[-1].mean == 5.554762
