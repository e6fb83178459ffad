"""A job script that runs its program three times loses three times as much, for the same reason."""

from __future__ import annotations

from collections import Counter

import pytest
from budget import some, tries
from described import MIB, Part, Work, in_steps, own
from test_advice_of_jobs import JOBS

from iotriage.analysis.document import CaseDocument

STEPS = 3
OTHERWISE = {
    # Its timers show more than the run lasts, and no account is made of them.
    "threads read",
    # Files that are read again by each step are opened more often than they are many.
    "tiny inputs of a script",
    # Three files on one OST tell more of it than one.
    "a slow core",
    "a file a node, one slow",
    "one of the servers is slow",
}
ONE_OF_EACH = [
    "a mesh read two bytes at a time",
    "eight servers of NEMO, alike",
    "half of the aggregators slow",
    "a slow node",
    "staged in by rank 0",
]
"""Of what is told by ranks or nodes that are compared with one another."""


def takes(found: CaseDocument) -> Counter[str]:
    return Counter(
        {f.rule: f.takes_s or 0.0 for f in found.findings if f.verdict == "triggered" and f.explained_by is None}
    )


@pytest.mark.fuzz
@pytest.mark.parametrize("name", dict.fromkeys([*ONE_OF_EACH, *some(sorted(JOBS.keys() - OTHERWISE))[:: tries(4, 1)]]))
def test_steps_alike_lose_their_seconds_each(name: str) -> None:
    work = JOBS[name]
    apart_s = (work.runtime_s or 0.0) + 100.0
    once, thrice = in_steps((work, 0.0)), in_steps(*((work, apart_s * k) for k in range(STEPS)))
    assert once.account is not None
    assert thrice.account is not None
    io_s = once.account.cells.total
    assert thrice.account.cells.total == pytest.approx(STEPS * io_s, rel=0.02)
    of_one, of_all = takes(once), takes(thrice)
    for rule in of_one | of_all:
        assert of_all[rule] == pytest.approx(STEPS * of_one[rule], abs=0.1 * STEPS * io_s), rule


@pytest.mark.parametrize("ranks", [1, 64])
def test_one_process_or_rank_that_moves_all_takes_all_of_it_in_each_step(ranks: int) -> None:
    part = Part("/scratch/o/all.bin", range(1), writes=24_000, size=MIB, write_s=80.0, osts=(1,))
    found = in_steps(*((Work((part,), ranks, 200.0, nodes=1), 300.0 * k) for k in range(STEPS)))
    assert takes(found)["serial-io"] == pytest.approx(80.0 * STEPS, rel=0.01)


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize(("ranks", "takes_s"), [(1, 80.0), (2, 140.0), (128, 140.0)])
def test_a_step_of_one_process_is_not_one_rank_of_the_others(ranks: int, takes_s: float, first: int) -> None:
    """Who prepares the input has no other ranks; 256 could write what one of them writes."""
    read = Part("/scratch/i/in.bin", range(1), reads=8000, size=MIB, read_s=60.0, osts=(1,))
    write = Part("/scratch/o/all.bin", range(1), writes=24_000, size=MIB, write_s=80.0, osts=(1,))
    steps = [Work((read,), ranks, 100.0, nodes=1, program="/sw/prepare"), Work((write,), 256, 200.0, nodes=2)]
    found = in_steps((steps[first], 0.0), (steps[1 - first], 300.0))
    assert takes(found)["serial-io"] == pytest.approx(takes_s, rel=0.01)


@pytest.mark.parametrize(
    ("apart_s", "steps"), [(0.0, 1), (130.0, 2), (300.0, 4)], ids=["at the same time", "a chain", "one after the other"]
)
def test_the_calls_of_one_rank_add_up_as_their_seconds_do(apart_s: float, steps: int) -> None:
    """A hundred files of rank 0, opened in 0.5 s each; in a chain each program ends as the next but one begins."""

    def program(k: int) -> Work:
        alone = (
            Part(f"/scratch/p{k}/f{i}", range(1), writes=1, write_s=0.1, meta_s=0.5, syncs=1, osts=(i % 48,))
            for i in range(100)
        )
        return Work((*alone, Part(f"/scratch/q{k}.{{}}", range(64), writes=2, write_s=0.1, osts=own(64))), 64, 200.0)

    found = in_steps(*((program(k), apart_s * k) for k in range(4))).metrics
    assert found["balance.alone_time"].value == pytest.approx(60.0 * steps)
    assert found["balance.alone_opens"].value == found["balance.alone_syncs"].value == 100 * steps
    assert found["balance.alone_open_time"].value == pytest.approx(0.5)
    assert found["balance.alone_steps"].value == steps
