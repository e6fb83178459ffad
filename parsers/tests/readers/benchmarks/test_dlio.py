"""DLIO's metrics: values by hand, cut, twice, and of another."""

from __future__ import annotations

import pytest
from stats_text import REPOSITORY, codes, extra, read

from iotriage_parsers.evidence import BenchmarkRates, Lines

TEXT = (REPOSITORY / "sample-logs" / "dlio" / "training" / "dlio-fjord.log").read_text(encoding="utf-8")
FOUND = extra("samples", "found")
MIB = 2**20


def only(text: str) -> BenchmarkRates:
    (found,) = read(text).of(BenchmarkRates)
    return found


def test_the_sample() -> None:
    run = only(TEXT)
    assert codes(read(TEXT)) == []
    assert (run.tool, run.complete, run.lines, run.nprocs) == ("DLIO", True, Lines(4, 12), 8)
    assert [(r.phase, r.unit, r.mean, r.stddev, r.seconds, r.line) for r in run.rates] == [
        ("training", "share", 0.875, 0.0125, None, 6),
        ("training", "samples/s", 16.0, 0.25, None, 7),
        ("training", "B/s", 2236.0 * MIB, 34.9375 * MIB, None, 8),
        ("checkpoint save", "B/s", 2.5 * 2**30, pytest.approx(0.075 * 2**30), 4.0, 11),
    ]
    assert [(s.key, s.text, s.line) for s in run.settings] == [("train_au_meet_expectation", "fail", 9)]


def test_a_deviation_with_its_sign() -> None:
    rates = only(TEXT.replace("16.0000 (0.2500)", "16.0000 (±0.2500)")).rates
    assert (rates[1].mean, rates[1].stddev) == (16.0, 0.25)


def test_units_of_later_versions() -> None:
    later = only(TEXT.replace("(MB/second)", "(MiB/second)").replace("(GB/second)", "(GiB/second)"))
    assert later.rates == only(TEXT).rates


def test_no_number_is_no_rate() -> None:
    without = read(TEXT.replace("2236.0000 (34.9375)", "nan (nan)"))
    (run,) = without.of(BenchmarkRates)
    assert codes(without) == ["not-a-number"]
    assert "printed no number for Training I/O Throughput (MB/second), as where no epoch" in without.problems[0].message
    nothing = TEXT.replace("2236.0000 (34.9375)", "-inf").replace("87.5000 (1.2500)", "nan (nan)")
    assert (codes(read(nothing)), codes(read(TEXT))) == (["not-a-number"], [])
    assert [r.unit for r in run.rates] == ["share", "samples/s", "B/s"]
    assert ("Training I/O Throughput (MB/second)", "nan (nan)") in [(s.key, s.text) for s in run.settings]


def test_two_runs_and_lines_between() -> None:
    runs = read(TEXT + "[OUTPUT] 2026-11-02T11:00:00 Running DLIO [Training] with 8 process(es)\n" + TEXT)
    assert [len(r.rates) for r in runs.of(BenchmarkRates)] == [4, 4]


def test_a_line_that_was_cut_is_not_read() -> None:
    cut = TEXT[: TEXT.index("36.0000 (34")]
    assert codes(read(cut)) == ["torn"]
    assert [r.unit for r in only(cut).rates] == ["share", "samples/s"]


def test_a_metric_whose_figure_stands_on_the_next_line() -> None:
    told = read(
        TEXT.replace("(%): 87.5000", "(%):\n87.5000").replace("(MB/second): 2236.0000", "(MB/second): \n2236.0000")
    )
    assert [(r.phase, r.unit, r.mean) for r in told.of(BenchmarkRates)[0].rates] == [
        (r.phase, r.unit, r.mean) for r in only(TEXT).rates
    ]
    assert "torn" not in codes(told)


@pytest.mark.parametrize(
    ("whole", "broken"),
    [
        ("(MB/second): 2236.0000", "(MB/second): 22\n36.0000"),
        ("(MB/second): 2236.0000", "(MB/second): 2236.00\n00"),
        ("Throughput (MB/second): ", "Throughput\n(MB/second): "),
        ("Throughput (MB/second): ", "Throughput (MB/\nsecond): "),
    ],
)
def test_a_metric_that_was_broken_is_put_together(whole: str, broken: str) -> None:
    assert whole in TEXT
    told = read(TEXT.replace(whole, broken))
    assert [(r.phase, r.unit, r.mean, r.stddev) for r in told.of(BenchmarkRates)[0].rates] == [
        (r.phase, r.unit, r.mean, r.stddev) for r in only(TEXT).rates
    ]


def test_a_metric_without_a_figure_is_told() -> None:
    told = read(TEXT.replace("(%): 87.5000 (1.2500)", "(%):"))
    assert codes(told) == ["torn"]
    assert [r.unit for r in told.of(BenchmarkRates)[0].rates] == ["samples/s", "B/s", "B/s"]


@pytest.mark.skipif(FOUND is None, reason="no extra corpora")
def test_what_another_measured() -> None:
    assert FOUND is not None
    run = only((FOUND / "dlio-metrics.txt").read_text(encoding="utf-8"))
    assert run.nprocs == 1
    assert [(r.unit, r.mean) for r in run.rates] == [
        ("share", pytest.approx(0.151989)),
        ("samples/s", 3.1146),
        ("B/s", 435.4454 * MIB),
    ]
