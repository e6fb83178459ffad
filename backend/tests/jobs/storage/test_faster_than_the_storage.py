"""A rate is held against what the OSTs give that are in use at the time: of several files they are more than of one."""

from __future__ import annotations

from itertools import count

import pytest
from described import MIB, Part, Work, document


def measured_on_a_cache(osts: tuple[int, ...], *, at_once: bool) -> bool:
    """For files of one stripe on these OSTs, which 64 ranks write at 6 GiB/s altogether; one OST gives 1 GB/s."""
    files = len(osts)
    parts = [
        Part(
            f"/work/z01/u/o.{n}.dat",
            range(64),
            writes=24 // files,
            size=16 * MIB,
            write_s=4.0 / files,
            begins_s=1.0 if at_once else 1.0 + n * 4.5 / files,
            osts=(ost,),
        )
        for n, ost in zip(count(), osts, strict=False)
    ]
    mounts = (("/work", "lustre"),)
    found = document(Work(tuple(parts), nprocs=64, runtime_s=100.0, nodes=1, mounts=mounts, site="archer2"))
    return any(f.rule == "cache-inflated" and f.verdict == "triggered" for f in found.findings)


@pytest.mark.parametrize("files", [8, 12, 6])
def test_several_files_at_once_have_the_osts_of_all_of_them(files):
    assert not measured_on_a_cache(tuple(range(files)), at_once=True)


@pytest.mark.parametrize("osts", [(0,), (0, 0, 0, 0), (0, 1, 0, 1)], ids=["one", "four on one", "four on two"])
def test_files_on_few_osts_have_these(osts):
    assert measured_on_a_cache(osts, at_once=True)


@pytest.mark.parametrize("files", [4, 8, 12])
def test_of_files_one_after_another_one_is_in_use(files):
    assert measured_on_a_cache(tuple(range(files)), at_once=False)
