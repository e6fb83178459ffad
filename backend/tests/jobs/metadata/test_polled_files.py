"""A file that all wait for: one write of it, or a look at what it says, does not make of the opens a program's own."""

from __future__ import annotations

import pytest
from described import MIB, Part, Work, document, own, uneven

from iotriage.analysis.document import Finding

RANKS = range(64)
LOCK = "/scratch/run/ready"
DATA = Part("/scratch/run/o.{}", RANKS, writes=1000, size=4 * MIB, write_s=uneven(64, 40.0), osts=own(64))


def reopened(*used: Part, opens: int = 2000, meta_s: float = 60.0) -> Finding:
    polled = Part(LOCK, RANKS, meta_s=meta_s, opens=opens)
    found = document(Work((polled, *used, DATA), nprocs=64, runtime_s=200, nodes=4)).findings
    return next(f for f in found if f.rule == "reopened-files" and f.verdict == "triggered")


WRITTEN_ONCE = Part(LOCK, range(1), writes=1, size=8, write_s=0.01)
READ_ONCE = Part(LOCK, RANKS, reads=1, size=8, read_s=0.01)


@pytest.mark.parametrize("used", [(), (WRITTEN_ONCE,), (WRITTEN_ONCE, READ_ONCE)], ids=["never", "written", "read too"])
def test_who_waits_for_a_file_is_told_to_look_less_often(used: tuple[Part, ...]) -> None:
    found = reopened(*used)
    assert found.advice[0].text.startswith("Let who waits for such a file sleep")
    assert found.could_save_s is None
    assert found.says is not None
    assert "sent on its own" not in found.says.summary


def test_who_writes_at_each_step_what_all_open_is_told_to_keep_it_open() -> None:
    found = reopened(Part(LOCK, range(1), writes=2000, size=8, write_s=1.0))
    assert found.advice[0].text.startswith("Open the file once")


def test_opens_that_cost_nothing_are_not_told_because_of_one_write() -> None:
    with pytest.raises(StopIteration):
        reopened(Part(LOCK, range(1), writes=1, size=8, write_s=60.0), meta_s=0.5)
