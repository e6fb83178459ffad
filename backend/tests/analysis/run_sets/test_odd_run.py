"""One run that is unlike its equals: named where it lies apart from all of them, and not among runs that scatter."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pytest

from iotriage.analysis.engine import diagnose
from iotriage.analysis.inputs import ReadSource
from iotriage.analysis.run_sets.comparison import compare
from iotriage_parsers.detect import read

IOR = (Path(__file__).parents[4] / "sample-logs/ior/ssf-collective/ior-ssf-collective.txt").read_text()
KEPT = IOR[: IOR.index("\nread ")]
ROW = next(line for line in KEPT.splitlines() if line.startswith("write "))
MIB = 49_152
FAR = "Runs in which the sources show no change are far apart"
NEAR = "Equal runs differ by more than usual"


def sentence(*mib_s: float) -> str:
    """What is said of equal runs at these rates."""
    text = ""
    for rate in mib_s:
        row = ROW.split()
        row[1], row[-2] = f"{rate:.2f}", f"{MIB / rate:.2f}"
        text += f"{KEPT[: KEPT.index(ROW)]}{' '.join(row)}\n"
    source = ReadSource("sweep.txt", "0" * 64, len(text), read(BytesIO(text.encode())))
    return compare([("sweep", diagnose([source]))]).sentence


@pytest.mark.parametrize(
    ("rates", "said"),
    [
        ((1000, 970, 1020, 330, 990), "D is 3.02 times slower than the other 4 runs, and the sources show no change"),
        ((1000, 990, 2100), "C is 2.11 times faster than the other 2 runs, and the sources show no change"),
        ((1000, 330), FAR),
        ((1000, 800, 650, 500, 400), NEAR),
        ((1000, 980, 450, 460), NEAR),
        ((1000, 330, 980, 320, 990), "B and D are 3.05 times slower than the other 3 runs, and the sources show no"),
    ],
    ids=["one slow of five", "one fast of three", "two runs", "all scatter", "two and two", "two slow of five"],
)
def test_the_odd_run_is_named_and_no_other(rates: tuple[float, ...], said: str) -> None:
    assert sentence(*rates).startswith(said)
