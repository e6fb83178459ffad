"""Large files of which little is read, as xarray does of thousands before it reads any data: packing them helps nobody.

Written before the first of them was diagnosed.
"""

from __future__ import annotations

import pytest
from described import KIB, MIB, Part, Work, document

from iotriage.analysis.document import Finding


def opened(reach: int, *, name: str = "out_{:05}.nc", program: str = "/sw/bin/python3") -> Finding:
    """2,000 files, six pieces of each."""
    parts = (
        Part(
            f"/scratch/x/{name.format(k)}", range(1), reads=6, size=2 * KIB, read_s=0.02, meta_s=0.02,
            reach=reach, in_order=0.2, begins_s=1 + k * 0.04,
        )
        for k in range(2000)
    )  # fmt: skip
    found = document(Work(tuple(parts), nprocs=1, runtime_s=200.0, nodes=1, program=program))
    assert found.headline.rule == "many-small-files"
    return next(f for f in found.findings if f.rule == "many-small-files" and f.verdict == "triggered")


def test_large_files_are_not_called_small_nor_packed() -> None:
    found = opened(90 * MIB)
    said = " ".join(a.text for a in found.advice)
    assert found.headline == "Little is read of each of 2,000 files."
    assert "The reads reach 90.0 MiB into most of them." in found.summary
    assert "parallel=True" in said
    assert "several read the files side by side" in said
    assert "pack them" not in said


@pytest.mark.parametrize(
    ("name", "program", "told"),
    [
        ("out_{:05}.nc", "/sw/app", "kerchunk"),
        ("scan_{:05}.h5", "/sw/bin/python3", "kerchunk"),
        ("out_{:05}.fits", "/sw/bin/python3", "open the others for their data alone"),
    ],
)
def test_what_makes_an_index_is_told_by_the_files(name: str, program: str, told: str) -> None:
    said = opened(90 * MIB, name=name, program=program).advice[0].text
    assert told in said
    assert ("open_mfdataset" in said) is ("python" in program and "kerchunk" in told)


def test_small_files_that_are_read_whole_are_small() -> None:
    assert opened(12 * KIB).headline == "The data lies in 2,000 small files."


def test_what_all_ranks_together_read_is_not_little() -> None:
    """Each of 8 reads 300 KiB of each of 1,000 files of 2 MiB, and all of them all of it."""
    parts = (
        Part(f"/scratch/m/{k:04}.bin", range(8), reads=3, size=100 * KIB, read_s=0.02, meta_s=0.05, reach=2 * MIB)
        for k in range(1000)
    )
    found = document(Work(tuple(parts), nprocs=8, runtime_s=200.0, nodes=1)).findings
    assert any(f.rule == "many-small-files" and f.verdict == "triggered" for f in found)
    assert not any("Little is read of each" in (f.headline or "") for f in found)


def test_files_that_are_only_opened_do_not_make_little_of_what_is_read_of_the_others() -> None:
    """1,400 of 3,000 are read whole."""
    size = 1100 * KIB
    parts = (
        Part(f"/scratch/x/out_{k:05}.nc", range(1), reads=int(k < 1400), size=size, read_s=0.02, meta_s=0.05)
        for k in range(3000)
    )
    found = document(Work(tuple(parts), nprocs=1, runtime_s=300.0, nodes=1))
    assert found.headline.sentence.startswith("The data lies in 3,000 small files")
