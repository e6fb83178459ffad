"""HACC-IO's results: values by hand, cut, changed, twice."""

from __future__ import annotations

import pytest
from stats_text import REPOSITORY, codes, read

from iotriage_parsers.evidence import BenchmarkRates, Lines

TEXT = (REPOSITORY / "sample-logs" / "hacc_io" / "write-and-read" / "hacc-fjord.out").read_text(encoding="utf-8")
MIB = 2**20


def runs(text: str) -> tuple[BenchmarkRates, ...]:
    return read(text).of(BenchmarkRates)


def test_the_sample() -> None:
    (run,) = runs(TEXT)
    assert (run.tool, run.complete, run.lines, run.nprocs) == ("HACC_IO", True, Lines(3, 5), None)
    assert [(r.phase, r.unit, r.mean, r.seconds, r.line) for r in run.rates] == [
        ("write checkpoint", "B/s", 9765.62 * MIB, 10.0, 3),
        ("read restart", "B/s", 19531.2 * MIB, 5.0, 5),
    ]
    assert codes(read(TEXT)) == []


def test_numbers_with_exponents() -> None:
    (run,) = runs(TEXT.replace("19531.2 BW", "1.95312e+04 BW"))
    assert [r.mean for r in run.rates] == pytest.approx([9765.62 * MIB, 19531.2 * MIB])


def test_one_run_after_the_other() -> None:
    assert [len(run.rates) for run in runs(TEXT + TEXT)] == [2, 2]


@pytest.mark.parametrize(
    ("changed", "code"), [("1953l.2 BW", "torn"), ("15931.2 BW", "damaged"), ("19531,2 BW", "unrecognised-number")]
)
def test_a_figure_that_was_changed_is_not_read(changed: str, code: str) -> None:
    text = TEXT.replace("19531.2 BW", changed)
    (run,) = runs(text)
    assert [r.phase for r in run.rates] == ["write checkpoint"]
    assert codes(read(text)) == [code]


def test_a_line_that_was_cut_is_not_read() -> None:
    text = TEXT[: TEXT.index("0 Bytes 5 Max")]
    assert codes(read(text)) == ["torn"]
    assert [r.phase for r in runs(text)[0].rates] == ["write checkpoint"]
