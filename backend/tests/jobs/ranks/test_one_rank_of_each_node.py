"""One rank of each node that copies, or sends on, what all ranks of its node have: it has more to do by design."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from described import MIB, Part, Work, above_info, document

RANKS, NODES = 256, 8
EACH = range(0, RANKS, RANKS // NODES)


def drained(
    movers: Sequence[int], *, each: int, files: int = 1, seconds: Sequence[float] = (), on: str = "tmpfs"
) -> Work:
    """`each` MiB of every rank on its node, and 32 GiB that each of the `movers` copies to the file system."""
    took = seconds or tuple(120.0 * (1 + 0.01 * (i % 5)) for i in range(len(movers)))
    kept = Part("/local/c/rank_{}.ckpt", range(RANKS), writes=each, write_s=each / 400)
    copied = (
        Part(
            f"/scratch/c/{{}}.{k}",
            range(rank, rank + 1),
            writes=2048 // files,
            size=16 * MIB,
            write_s=took[i] / files,
            osts=((i + k) % 48,),
        )
        for k in range(files)
        for i, rank in enumerate(movers)
    )
    mounts = (("/scratch", "lustre"), ("/local", on), ("/home", "nfs"))
    return Work((kept, *copied), RANKS, 1000.0, nodes=NODES, mounts=mounts)


@pytest.mark.parametrize(
    "work",
    [
        drained(EACH, each=512),
        drained(EACH, each=2048),
        drained(EACH, each=8192, on="xfs"),
        drained(EACH, each=2048, files=32),
        drained(range(0, RANKS, 16), each=2048),
    ],
    ids=["memory", "as much in memory", "more on disks", "a file of each rank", "two of each node"],
)
def test_nobody_is_told_to_share_evenly_what_one_rank_copies_for_its_node(work: Work) -> None:
    found = document(work)
    assert not above_info(found)
    assert found.unexplained is not None
    assert "evenly spread, write" in (found.unexplained.experiment or "")


def test_one_of_them_that_is_slow_is_named() -> None:
    slow = tuple(400.0 if i == 3 else 100.0 for i in range(NODES))
    assert next(iter(above_info(document(drained(EACH, each=512, seconds=slow))))) == "straggler-rank"


def test_ranks_that_lie_otherwise_may_have_more_than_their_part() -> None:
    """They were not picked one of so many."""
    assert "straggler-rank" in above_info(document(drained((3, 17, 40, 41, 90, 91, 92, 93), each=2048)))


def test_more_of_the_same_files_is_uneven_wherever_the_ranks_lie() -> None:
    parts = (
        Part("/scratch/o.{}", range(r, r + 1), writes=n, write_s=n / 50)
        for r in range(RANKS)
        for n in [8192 if r in EACH else 1024]
    )
    assert "straggler-rank" in above_info(document(Work(tuple(parts), RANKS, 1000.0, nodes=NODES)))
