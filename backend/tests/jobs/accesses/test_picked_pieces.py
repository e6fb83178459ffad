"""Small reads that go forward through a large file and skip nearly all of it, as whoever looks through the headers of
GRIB messages does. Written before the first was diagnosed."""

from __future__ import annotations

import pytest
from described import GIB, MIB, Part, Work, document

from iotriage.analysis.document import Finding


def read(reach: int, *, in_order: float = 0.1, name: str = "era5.grib", ranks: int = 1) -> Finding:
    """A million pieces by one process, or by each of several."""
    part = Part(
        f"/scratch/{name}", range(ranks), reads=1_000_000, size=64, read_s=120.0, in_order=in_order, forward=1.0,
        reach=reach,
    )  # fmt: skip
    found = document(Work((part,), ranks, 300.0, nodes=1, program="/sw/bin/python3"))
    (mine,) = (f for f in found.findings if f.rule == "small-io" and f.verdict == "triggered")
    return mine


def test_no_buffer_brings_together_what_lies_far_apart() -> None:
    mine = read(60 * GIB)
    said = " ".join(one.text for one in mine.advice)
    assert "They pass over all but 0.1 % of the 60.0 GiB into which they reach." in mine.summary
    assert "The pieces lie far apart" in said
    assert "buffer is enough" not in said


def test_what_it_saves_is_what_reading_all_that_lies_between_would_leave() -> None:
    """60 GiB take longer at 500 MiB/s than these reads do; 10 GiB take 20 s, and a tenth is left out."""
    assert read(60 * GIB).could_save_at_least_s is None
    all_of_it = read(10 * GIB)
    assert all_of_it.could_save_at_least_s == pytest.approx(0.9 * 120 - 20.5, abs=0.1)
    assert "blocks of 1 MiB or more" in all_of_it.advice[0].text
    assert "They pass over all but 0.6 % of the 10.0 GiB" in (all_of_it.summary or "")


@pytest.mark.parametrize(("times", "far"), [(50, True), (1, False)], ids=["far apart", "all of it, interleaved"])
def test_of_several_ranks_that_pick_none_is_told_of_collective_reads_first(times: int, far: bool) -> None:
    """1.4 TiB of headers alone; and as many bytes that fill the file, where collective calls bring them together."""
    mine = read(times * 64 * 64 * 1_000_000, name="line.segy", ranks=64)
    assert ("an index" in mine.advice[0].text, "collective routines" in mine.advice[0].text) == (far, not far)
    assert (mine.could_save_at_least_s is None) is far


@pytest.mark.parametrize(
    ("reach", "in_order"),
    [
        pytest.param(64 * MIB, 0.1, id="one behind the other"),
        pytest.param(60 * GIB, 0.95, id="one part of the file"),
    ],
)
def test_of_others_a_larger_buffer_is_told(reach: int, in_order: float) -> None:
    mine = read(reach, in_order=in_order)
    said = " ".join(one.text for one in mine.advice)
    assert "far apart" not in said
    assert "buffer is enough" in said
    assert "pass over" not in mine.summary


def test_chunks_of_hdf5_are_its_own_matter() -> None:
    said = " ".join(one.text for one in read(60 * GIB, name="era5.h5").advice)
    assert "In files of HDF5 the library makes the accesses." in said
    assert "far apart" not in said
