"""What a rate is for each rank where few of them move the bytes, and what would tell whether these are too few."""

from __future__ import annotations

import pytest
from described import MIB, Part, Work, above_info, document

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


def refined(*, path: str, heavy: int, light: int, layer: str = "MPI-IO") -> Work:
    """The first 16 of 256 ranks hold the refined part of a grid and write `heavy` × 4 MiB each, the others `light`."""
    layers = {"MPI-IO": (("MPI-IO", 0.03), ("POSIX", 0.0295)), "POSIX": (("POSIX", 0.03),)}[layer]
    parts = tuple(
        Part(path, ranks, one, writes=writes, size=4 * MIB, write_s=writes * seconds, osts=tuple(range(16)))
        for ranks, writes in ((range(16), heavy), (range(16, 256), light))
        for one, seconds in layers
        if writes
    )
    return Work(parts, nprocs=256, runtime_s=400.0, nodes=4)


@pytest.mark.parametrize(
    ("path", "layer"), [("/scratch/plt.dat", "MPI-IO"), ("/scratch/plt.dat", "POSIX"), ("/scratch/plt.{}", "POSIX")]
)
def test_some_ranks_with_many_times_the_bytes_of_the_others_are_named(path: str, layer: str) -> None:
    found = document(refined(path=path, heavy=4096, light=128, layer=layer))

    assert found.headline.rule == "uneven-files"
    assert found.headline.sentence.startswith("16 ranks move far more of these files than the others")
    mine = next(f for f in found.findings if f.rule == "uneven-files" and f.verdict == "triggered")
    assert 100 < (mine.takes_s or 0.0) < 120


@pytest.mark.parametrize(("heavy", "light"), [(4096, 0), (4096, 4), (600, 400)])
def test_ranks_that_write_for_all_are_no_uneven_ones_and_neither_are_slightly_larger_parts(
    heavy: int, light: int
) -> None:
    assert "uneven-files" not in above_info(document(refined(path="/scratch/plt.dat", heavy=heavy, light=light)))
