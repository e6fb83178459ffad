"""What a rate is for each rank where few of them move the bytes, and what would tell whether these are too few."""

from __future__ import annotations

import pytest
from described import MIB, Part, Work, document

from iotriage.analysis.document import CaseDocument


def subfiles(name: str, *, movers: int = 16, ranks: int = 1024, seconds: float = 600.0) -> CaseDocument:
    """`movers` ranks, equally far apart, write a subfile of 160 GiB each."""
    apart = ranks // movers
    parts = (
        Part(name.format(k), range(k * apart, k * apart + 1), writes=1280, size=128 * MIB, write_s=seconds, osts=(k,))
        for k in range(movers)
    )
    return document(Work(tuple(parts), ranks, 1200.0))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("/scratch/gs.bp/data.{}", "NumAggregators"),
        ("/scratch/gs.bp.dir/gs.bp.{}", "NumAggregators"),
        ("/scratch/gs.{}.dat", "the library's own number of I/O ranks"),
    ],
)
def test_the_rate_is_that_of_the_ranks_that_move_the_bytes(name: str, said: str) -> None:
    top = subfiles(name).headline

    assert "for each rank that moves the bytes (16 of 1,024)" in (top.action or "")
    assert said in (top.action or "")


def test_where_all_ranks_move_bytes_the_rate_is_for_each_rank() -> None:
    found = subfiles("/scratch/gs.bp/data.{}", movers=32, ranks=32)

    assert found.unexplained is not None
    assert [rate.count for rate in found.unexplained.rates if rate.of == "rank"] == [32]
    assert "for each rank that" not in (found.headline.action or "")
    assert "few of the ranks" not in (found.unexplained.experiment or "")
