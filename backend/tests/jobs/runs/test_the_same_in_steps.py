"""A job script that runs its program three times loses three times as much, for the same reason."""

from __future__ import annotations

from collections import Counter

import pytest
from budget import some
from described import in_steps
from test_advice_of_jobs import JOBS

from iotriage.analysis.document import CaseDocument

STEPS = 3
OTHERWISE = {
    # Files that are read again by each step are opened more often than they are many.
    "tiny inputs of a script",
    # Three files on one OST tell more of it than one.
    "a slow core",
    "a file a node, one slow",
    "one of the servers is slow",
}
pytestmark = pytest.mark.fuzz


def takes(found: CaseDocument) -> Counter[str]:
    return Counter(
        {f.rule: f.takes_s or 0.0 for f in found.findings if f.verdict == "triggered" and f.explained_by is None}
    )


@pytest.mark.parametrize("name", some(sorted(JOBS.keys() - OTHERWISE)))
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
