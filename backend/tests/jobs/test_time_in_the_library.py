"""Collective calls whose time passes above the file system: what is to be done first, and of whom it is said."""

from __future__ import annotations

import pytest
from described import KIB, MIB, Part, Work, document, osts

TRAJECTORY = "/scratch/run/traj.nc"


def first_advice(work: Work) -> str:
    found = next(f for f in document(work).findings if f.rule == "collective-overhead" and f.verdict == "triggered")
    return found.advice[0].text


@pytest.mark.parametrize(
    ("calls", "size", "said"),
    [
        (40_000, 2 * KIB, "Write more with each collective call"),
        (10, 2 * KIB, "Find out what takes the time"),
        (40_000, 2 * MIB, "Find out what takes the time"),
    ],
    ids=["many and small", "few", "large"],
)
def test_many_small_collective_calls_are_gathered_before_anybody_looks_for_what_takes_them(
    calls: int, size: int, said: str
) -> None:
    below = calls * size * 256 // (512 * KIB) // 8
    work = Work(
        (
            Part(TRAJECTORY, range(256), "MPI-IO", writes=calls, size=size, write_s=240.0, collective=True),
            Part(TRAJECTORY, range(0, 256, 32), writes=below, size=512 * KIB, write_s=4.0, osts=osts(8)),
        ),
        nprocs=256,
        runtime_s=600.0,
    )
    assert first_advice(work).startswith(said)
