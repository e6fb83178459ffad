"""Jobs whose nodes no source states, on a site whose profile has the cores of a node."""

from __future__ import annotations

import pytest
from described import Part, Work, document


def interleaved(ranks: int, stripes: int, root: str = "/lustre/orion/csc000/scratch", nodes: int | None = None) -> Work:
    """Every rank writes 4,000 pieces of 47,008 bytes to one file, here and there."""
    part = Part(
        f"{root}/part.dat",
        range(ranks),
        writes=4000,
        size=47_008,
        write_s=240.0,
        in_order=0.0,
        aligned=False,
        osts=tuple(range(stripes)),
    )
    mounts = ((root.rsplit("/", 2)[0], "lustre"), ("/tmp", "tmpfs"))
    return Work((part,), ranks, 400.0, nodes=nodes, mounts=mounts, named=False)


def verdict(work: Work) -> str:
    return next(f.verdict for f in document(work).findings if f.rule == "lock-contention")


@pytest.mark.parametrize(
    ("work", "said"),
    [
        pytest.param(interleaved(512, 8), "triggered", id="ten nodes, at least"),
        pytest.param(interleaved(512, 16), "unknown", id="ten nodes at least, or more than sixteen"),
        pytest.param(interleaved(512, 8, nodes=4), "clear", id="the job says that it has four"),
        pytest.param(interleaved(512, 8, "/lustre/here/u/run"), "unknown", id="a site of which nobody says the cores"),
    ],
)
def test_the_nodes_are_as_many_as_the_ranks_fill(work: Work, said: str) -> None:
    assert verdict(work) == said


def test_small_pieces_that_cross_no_boundary_are_not_found_in_order() -> None:
    found = document(interleaved(512, 16, "/lustre/here/u/run"))
    verdicts = {f.rule: f.verdict for f in found.findings}

    assert verdicts["misaligned-io"] == "not_applicable"
    assert verdicts["small-io"] == "triggered"
