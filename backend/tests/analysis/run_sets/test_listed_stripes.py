"""Sweeps of IOR that list the stripes of their file beside each run: which listing is of which run."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pytest

from iotriage.analysis.engine import diagnose
from iotriage.analysis.inputs import ReadSource
from iotriage.analysis.run_sets.comparison import compare
from iotriage_parsers.detect import read

IOR = (Path(__file__).parents[4] / "sample-logs/ior/ssf-collective/ior-ssf-collective.txt").read_text()
FILE = next(line.split(":", 1)[1].strip() for line in IOR.splitlines() if line.startswith("test filename"))


def listing(stripes: int) -> str:
    rows = "".join(f"\t{i:6d}\t{9000 + i:12d}\t{hex(9000 + i):>14}\t             0\n" for i in range(stripes))
    return (
        f"{FILE}\nlmm_stripe_count:  {stripes}\nlmm_stripe_size:   1048576\nlmm_pattern:       raid0\n"
        f"lmm_layout_gen:    0\nlmm_stripe_offset: 0\n\tobdidx\t\t objid\t\t objid\t\t group\n{rows}\n"
    )


def run(mib_s: float) -> str:
    """The sample's run at another rate."""
    written = next(line for line in IOR.splitlines() if line.startswith("write "))
    return IOR.replace(written.split()[1], f"{mib_s:.2f}")


def stripes_of(*sources: str) -> list[int | None]:
    read_sources = [
        ReadSource(f"{i}.txt", f"{i:064d}", len(text), read(BytesIO(text.encode()))) for i, text in enumerate(sources)
    ]
    return [run.stripes for run in compare([("sweep", diagnose(read_sources))]).runs]


@pytest.mark.parametrize("first", [True, False], ids=["listed, then run", "run, then listed"])
def test_each_run_has_the_stripes_that_are_listed_for_it(first: bool) -> None:
    sweep = ((1, 400.0), (4, 1600.0), (12, 4500.0))
    text = "".join(listing(n) + run(rate) if first else run(rate) + listing(n) for n, rate in sweep)
    assert stripes_of(text) == [1, 4, 12]


def test_runs_between_two_listings_have_the_one_before_them() -> None:
    assert stripes_of(listing(1) + run(400) + run(410) + listing(4) + run(1600)) == [1, 1, 4]


def test_what_is_listed_once_is_of_all_runs() -> None:
    assert stripes_of(run(400) + run(410), listing(4)) == [4, 4]
    assert stripes_of(listing(4) + run(400) + run(410)) == [4, 4]
