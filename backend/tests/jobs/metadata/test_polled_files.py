"""A file that all wait for: one write of it, or a look at what it says, does not make of the opens a program's own."""

from __future__ import annotations

import pytest
from described import KIB, MIB, Part, Work, document, own, uneven

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


@pytest.mark.parametrize("layer", ["STDIO", "POSIX"])
@pytest.mark.parametrize(("size", "may_wait"), [(12, True), (100 * KIB, False)], ids=["a word", "a table"])
def test_a_word_that_is_read_again_at_each_open_may_be_waited_for(layer: str, size: int, *, may_wait: bool) -> None:
    read = Part(
        "/scratch/run/s.txt", RANKS, layer, reads=6000, size=size, read_s=30.0, meta_s=140.0, opens=6000, reach=size
    )
    found = document(Work((read,), nprocs=64, runtime_s=200, nodes=4))
    (first,) = (f for f in found.findings if f.rule == found.headline.rule)
    assert any("let one rank look" in advice.text for advice in first.advice) is may_wait
    assert (first.could_save_s is None) is may_wait
    assert "6,000 times" in found.headline.sentence


@pytest.mark.parametrize(("name", "is_lock"), [(".lock", True), ("db.lck", True), ("clock.dat", False)])
def test_a_lock_is_no_file_to_keep_open(name: str, *, is_lock: bool) -> None:
    """Each rank takes it a thousand times, and writes its name into it now and then."""
    lock = Part(f"/scratch/run/{name}", RANKS, writes=4, size=12, meta_s=60.0, opens=1000)
    found = document(Work((lock, DATA), nprocs=64, runtime_s=200, nodes=4))
    assert found.headline.action is not None
    assert found.headline.action.startswith("Let who waits for such a file" if is_lock else "Open the file once")


@pytest.mark.parametrize(
    ("layer", "reads", "read_s", "meta_s"),
    [("POSIX", 0, 0.0, 100.0), ("POSIX", 3000, 1.0, 100.0), ("POSIX", 900, 100.0, 1.0), ("STDIO", 900, 100.0, 1.0)],
    ids=["looked for", "opened", "read", "read as a stream"],
)
@pytest.mark.parametrize("ranks", [1, 64])
def test_one_process_has_no_others_to_tell(layer: str, reads: int, read_s: float, meta_s: float, ranks: int) -> None:
    looks = Part("/scratch/run/done", range(ranks), layer, reads=reads, size=100, read_s=read_s, meta_s=meta_s,
                 opens=reads or 3000, reach=100)  # fmt: skip
    found = document(Work((looks,), ranks, 200.0, nodes=1)).findings
    rules = ("reopened-files", "redundant-reads", "stdio-reread")
    first = next(f for f in found if f.rule in rules and f.verdict == "triggered")
    said = " ".join(advice.text for advice in first.advice)
    assert "these seconds are won only where" in said
    assert first.could_save_s is None
    assert ("tell the others" in said) is (ranks > 1)
    assert ("ranks of one job" in said) is (ranks > 1)
