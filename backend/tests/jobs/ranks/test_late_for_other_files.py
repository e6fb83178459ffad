"""All ranks wait in collective calls for one that is in other files: what it does there is the cause, and the waiting
its symptom."""

from __future__ import annotations

import pytest
from described import MIB, Part, Work, above_info, document, osts, own, seconds_of

RANKS = range(64)
LINES = Part("/scratch/run.log", range(1), "STDIO", writes=1_000_000, size=80, write_s=100.0, syncs=1_000_000)
INPUT = Part("/scratch/in.dat", range(1), reads=51_200, size=4 * MIB, read_s=100.0, osts=(1,))
OPENED = Part("/scratch/d.{}", range(1), opens=20_000, meta_s=100.0)
SLOW = Part("/scratch/in.{}", RANKS, reads=100, size=MIB, read_s=(101.0,) + 63 * (1.0,), osts=own(64))
SHARED = Part("/scratch/in.dat", RANKS, reads=100, size=MIB, read_s=(101.0,) + 63 * (1.0,), osts=(1,))
BRIEFLY = Part("/scratch/in.dat", range(1), reads=2_000, size=MIB, read_s=20.0, osts=(1,))


def waits_for(*others: Part) -> Work:
    """Rank 0 is in the calls for 10 s, as long as the data takes, and the others for 110 s."""
    took = (10.0,) + 63 * (110.0,)
    calls = Part("/scratch/o.dat", RANKS, "MPI-IO", writes=40, size=16 * MIB, write_s=took, collective=True)
    below = Part("/scratch/o.dat", range(0, 64, 8), writes=320, size=16 * MIB, write_s=9.0, osts=osts(8))
    return Work((*others, calls, below), nprocs=64, runtime_s=600.0, nodes=2)


@pytest.mark.parametrize(
    ("part", "rule"), [(LINES, "serial-io"), (INPUT, "serial-io"), (SLOW, "straggler-rank")], ids=["log", "in", "own"]
)
def test_what_the_late_rank_does_elsewhere_leads(part: Part, rule: str) -> None:
    work = waits_for(part)
    assert document(work).headline.rule == rule
    assert seconds_of(work)[rule] == pytest.approx(98.4, abs=0.1)
    explained = {f.rule: f.explained_by for f in document(work).findings if f.verdict == "triggered"}
    assert explained["wait-for-coll"] == rule


def test_that_the_others_wait_is_then_in_the_log() -> None:
    found = next(f for f in document(waits_for(INPUT)).findings if f.rule == "serial-io")
    assert "The others wait for it in collective calls meanwhile, 98.4 s on average." in (found.summary or "")


@pytest.mark.parametrize(("part", "file"), [(OPENED, "d.0"), (SHARED, "in.dat")], ids=["opens", "shared"])
def test_a_file_that_no_other_finding_is_about_is_named_with_the_waiting(part: Part, file: str) -> None:
    found = document(waits_for(part)).headline
    assert found.rule == "wait-for-coll"
    assert found.sentence.startswith(
        f"Rank 0 comes late to the collective calls, and all others wait: it is in {file} "
    )


@pytest.mark.parametrize("others", [(), (BRIEFLY,)], ids=["nowhere", "briefly"])
def test_a_rank_that_is_late_for_another_reason_is_not_said_to_be_in_a_file(others: tuple[Part, ...]) -> None:
    work = waits_for(*others)
    assert set(above_info(document(work))) == {"wait-for-coll"}
    assert document(work).headline.sentence.startswith(
        "Rank 0 comes late to the collective calls, and all others wait."
    )
