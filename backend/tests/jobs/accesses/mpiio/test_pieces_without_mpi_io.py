"""Ranks that write one file by plain calls, in pieces that lie between one another's, where nobody says how many nodes
they were on: what is said holds on any number of them."""

from __future__ import annotations

import pytest
from described import KIB, MIB, Part, Work, above_info, document, osts, uneven

FRONTIER = "/lustre/orion"
"""Where 56 cores of a node are a job's."""


def written(ranks: int, *, write_s: float = 300.0, size: int = 47008, root: str = "/scratch", **does: object) -> Work:
    """As IOR's hard test writes through POSIX."""
    how: dict[str, object] = {"in_order": 0.0, "forward": 1.0, "aligned": False, "osts": osts(32)} | does
    took = uneven(ranks, write_s)
    part = Part(f"{root}/csc000/scratch/hard", range(ranks), writes=10_000, size=size, write_s=took, **how)  # type: ignore[arg-type]
    mounts = ((root, "lustre"), ("/tmp", "tmpfs"))
    return Work((part,), nprocs=ranks, runtime_s=360.0, program="/sw/ior -a POSIX", mounts=mounts)


@pytest.mark.parametrize("ranks", [16, 96, 512])
def test_the_pieces_of_all_ranks_in_one_file_are_named_and_not_their_size_alone(ranks: int) -> None:
    found = document(written(ranks))
    assert (found.headline.rule, list(above_info(found))) == ("independent-shared", ["independent-shared"])
    assert "small interleaved pieces" in found.headline.sentence
    assert "collective" in (found.headline.action or "")


def test_it_takes_what_the_writes_take_and_the_waiting_for_the_slowest() -> None:
    cause = next(
        f for f in document(written(96)).findings if f.rule == "independent-shared" and f.verdict == "triggered"
    )
    assert cause.takes_s == pytest.approx(330, rel=0.01)


def test_more_ranks_than_a_node_has_cores_are_on_several_and_take_locks() -> None:
    assert document(written(1024)).headline.rule == "lock-contention"


def test_so_are_those_of_a_site_that_states_its_cores() -> None:
    assert document(written(512, root=FRONTIER)).headline.rule == "lock-contention"


def test_fewer_than_a_node_of_the_site_has_may_be_on_one() -> None:
    assert document(written(32, root=FRONTIER)).headline.rule == "independent-shared"


@pytest.mark.parametrize(
    "work",
    [
        written(96, in_order=1.0),
        written(96, aligned=True),
        written(96, reach=10_000 * 47008 * 96 * 4),
        written(96, forward=0.2),
        written(96, size=600),
        written(96, write_s=3.0),
        written(96, size=4 * MIB),
    ],
    ids=["one after the other", "aligned", "with holes", "here and there", "lines", "fast", "large"],
)
def test_other_writes_to_one_file_are_no_pieces_between_pieces(work: Work) -> None:
    assert "independent-shared" not in above_info(document(work))


def test_what_is_read_so_takes_no_locks() -> None:
    part = Part(
        "/scratch/hard", range(96), reads=10_000, size=47 * KIB, read_s=uneven(96, 300), in_order=0.0, forward=1.0,
        aligned=False, osts=osts(32),
    )  # fmt: skip
    assert "independent-shared" not in above_info(document(Work((part,), nprocs=96, runtime_s=360.0)))


@pytest.mark.parametrize(
    ("piece", "nodes", "meet"),
    [(1, 8, True), (2, 8, True), (4, 8, False), (1, 1, False)],
    ids=["a quarter of a stripe", "half of one", "a whole stripe", "of one node"],
)
def test_pieces_of_a_mebibyte_are_small_where_the_stripes_are_larger(piece: int, nodes: int, meet: bool) -> None:
    part = Part(
        "/scratch/i/o.dat", range(512), writes=300, size=piece * MIB, write_s=uneven(512, 170.0), in_order=0,
        forward=1.0, aligned=piece >= 4, osts=osts(8), stripe=4 * MIB,
    )  # fmt: skip
    found = document(Work((part,), nprocs=512, runtime_s=400.0, nodes=nodes))
    assert ("lock-contention" in above_info(found)) == meet
