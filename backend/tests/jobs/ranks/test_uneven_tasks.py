"""A rank that has more to do than the others in files of its own: no collective call can take a part of it."""

from __future__ import annotations

import numpy as np
from described import MIB, Part, Work, document, uneven

from iotriage.analysis.document import CaseDocument


def tasks(large: int) -> Work:
    """64 ranks that each write what a task of their own gives; one task gives so many times as much."""
    return Work(
        tuple(
            Part(
                f"/scratch/t/task{rank}.dat",
                range(rank, rank + 1),
                writes=800 * (large if rank == 13 else 1),
                write_s=15.0 * (large if rank == 13 else 1),
                osts=(rank % 48,),
            )
            for rank in range(64)
        ),
        nprocs=64,
        runtime_s=900,
        nodes=1,
    )


TOGETHER = Work(
    (
        Part("/scratch/t/all.dat", range(64), writes=800, write_s=uneven(64, 15.0), osts=tuple(range(16))),
        Part("/scratch/t/all.dat", range(13, 14), writes=5600, write_s=105.0, osts=tuple(range(16))),
    ),
    nprocs=64,
    runtime_s=900,
    nodes=1,
    reduces=False,
)


def advised(found: CaseDocument) -> str:
    return " ".join(a.text for f in found.findings if f.rule == "straggler-rank" for a in f.advice)


def test_the_largest_task_comes_first_or_is_divided() -> None:
    found = document(tasks(8))

    assert found.headline.rule == "straggler-rank"
    assert "begin with the largest" in advised(found)
    assert "collective" not in advised(found)


def test_in_a_file_of_all_ranks_collective_calls_spread_what_one_has() -> None:
    found = document(TOGETHER)

    assert "begin with the largest" not in advised(found)
    assert "let the library spread uneven parts" in advised(found)
    assert "collective" in advised(found)


def patches(slow: int | None = None) -> Work:
    """256 ranks with parts of a mesh that is refined: most have a few, some many times as much; `slow` takes three
    times as long for its bytes."""
    pieces = np.clip(np.exp(np.random.default_rng(11).normal(6.3, 0.8, 256)), 100, 5000).astype(int).tolist()
    return Work(
        tuple(
            Part(
                f"/scratch/amr/p.{rank}",
                range(rank, rank + 1),
                writes=number,
                size=4 * MIB,
                write_s=0.02 * number * (3 if rank == slow else 1),
                osts=(rank % 48,),
            )
            for rank, number in enumerate(pieces)
        ),
        nprocs=256,
        runtime_s=400,
        nodes=4,
    )


def test_ranks_whose_bytes_take_the_time_are_on_no_slow_server() -> None:
    found = document(patches())
    assert "far more data than the others" in found.headline.sentence
    assert "slow" not in advised(found)


def test_one_that_is_slow_for_its_bytes_beside_others_with_as_much_may_be() -> None:
    parts = patches().parts
    said = advised(document(patches(max(range(256), key=lambda rank: parts[rank].writes))))
    assert "their server (OST)" in said or "its server" in said


def test_of_inputs_that_each_rank_has_the_largest_is_nobody_elses_to_read() -> None:
    parts = (
        Part(f"/scratch/t/in{k:02}.bin", range(k, k + 1), reads=8000 if k == 5 else 2000, size=4 * MIB,
             read_s=200.0 if k == 5 else 50.0, osts=(k,))
        for k in range(32)
    )  # fmt: skip
    found = document(Work(tuple(parts), nprocs=32, runtime_s=400, nodes=1))
    assert found.headline.rule == "straggler-rank"
    assert "begin with the largest" in advised(found)
    assert "its part of" not in advised(found)
