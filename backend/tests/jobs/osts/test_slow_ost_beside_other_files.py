"""What a cure of a slow OST could save does not depend on what else the same ranks do, in other files."""

from __future__ import annotations

import pytest
from described import MIB, Part, Work, document, osts

RANKS = range(64)
BESIDE = {
    "alone": (),
    "an input of all": (Part("/scratch/in.dat", RANKS, reads=4000, size=16 * MIB, read_s=100.0, osts=osts(48)),),
    "a log of each at home": (Part("/home/u/log.{}", RANKS, writes=4000, size=MIB, write_s=30.0),),
}
"""Each rank takes as long in these as every other."""


def run(slow: dict[int, float], beside: tuple[Part, ...]) -> Work:
    """Each rank has a file on one OST; those of the `slow`, which take so many seconds, lie on OST 5."""
    own = []
    for rank in RANKS:
        took, ost = slow.get(rank, 10.0 + 0.01 * rank), 5 if rank in slow else rank % 5 if rank % 48 == 5 else rank % 48
        own.append(Part(f"/scratch/o.{rank:03}", range(rank, rank + 1), writes=512, write_s=took, osts=(ost,)))
    return Work((*own, *beside), nprocs=64, runtime_s=400, nodes=4, reduces=False)


def saved(rule: str, work: Work) -> tuple[float | None, float | None]:
    told = next(f for f in document(work).findings if f.rule == rule and f.verdict == "triggered")
    return told.could_save_at_least_s, told.could_save_s


@pytest.mark.parametrize("beside", BESIDE)
@pytest.mark.parametrize(
    ("rule", "slow"),
    [
        ("slow-ost", {5: 60.0, 53: 60.0}),
        ("slow-ost", {7: 45.0, 55: 46.0}),
        ("crowded-ost", dict.fromkeys(range(5, 64, 8), 40.0)),
    ],
    ids=["six times as slow", "four times as slow", "eight files"],
)
def test_the_same_is_saved_whatever_stands_beside(rule, slow, beside):
    least, most = saved(rule, run(slow, ()))
    assert least is not None
    assert saved(rule, run(slow, BESIDE[beside])) == (pytest.approx(least, rel=0.1), pytest.approx(most, rel=0.1))
