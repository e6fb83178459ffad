"""One access of another size among thousands alike: what a document says of 1 MiB is meant of those."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from described import MIB, Part, Work, above_info, document, osts

RANKS = range(64)
NAME = "/scratch/run/o.dat"


def through_mpi_io(size: int, header: int | None) -> Work:
    """Each rank writes 400 interleaved pieces that begin anywhere; one writes a header too."""
    pieces = (
        Part(NAME, RANKS, "MPI-IO", writes=400, size=size, write_s=60.0),
        Part(NAME, RANKS, writes=400, size=size, write_s=59.0, in_order=0.2, aligned=False, osts=osts(16)),
    )
    return _with(pieces, header, "MPI-IO", "POSIX")


def without_it(size: int, header: int | None) -> Work:
    pieces = Part(NAME, RANKS, writes=400, size=size, write_s=59.0, in_order=0.2, aligned=False, osts=osts(8))
    return _with((pieces,), header, "POSIX")


def _with(pieces: tuple[Part, ...], header: int | None, *layers: str) -> Work:
    written = (
        ()
        if header is None
        else tuple(Part(NAME, range(1), layer, writes=1, size=header, write_s=0.001) for layer in layers)
    )
    return Work((*pieces, *written), nprocs=64, runtime_s=100, nodes=32)


@pytest.mark.parametrize("of", [through_mpi_io, without_it])
@pytest.mark.parametrize("header", [None, 100, 64 * MIB], ids=["none", "a small one", "a large one"])
def test_a_header_among_pieces_of_1_mib_changes_nothing(
    of: Callable[[int, int | None], Work], header: int | None
) -> None:
    assert above_info(document(of(MIB, header))) == {"misaligned-io": "medium"}


@pytest.mark.parametrize(("of", "rule"), [(through_mpi_io, "independent-shared"), (without_it, "lock-contention")])
@pytest.mark.parametrize("header", [None, 100, 64 * MIB], ids=["none", "a small one", "a large one"])
def test_nor_among_pieces_that_are_a_little_smaller(
    of: Callable[[int, int | None], Work], rule: str, header: int | None
) -> None:
    found = document(of(MIB - 1000, header))
    assert found.headline.rule == rule
    said = next(f for f in found.findings if f.rule == rule).says
    assert said is not None
    assert ("mostly" in said.summary) == (header is not None)
