"""All ranks wait in collective calls for one that is in other files: what it does there is the cause, and the waiting
its symptom."""

from __future__ import annotations

from dataclasses import replace

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


def test_that_records_are_not_reduced_hides_nobody_who_is_late() -> None:
    """Each rank's own record of the file says as much as the variance over all."""
    for part in (INPUT, LINES, BRIEFLY):
        work = waits_for(part)
        assert document(replace(work, reduces=False)).headline.sentence == document(work).headline.sentence
    assert "it is in in.0 meanwhile" in document(replace(waits_for(SLOW), reduces=False)).headline.sentence


def test_a_rank_that_does_not_open_the_file_hides_nobody_who_is_late() -> None:
    work = waits_for(INPUT)
    without_last = tuple(replace(p, ranks=range(63)) if p.layer == "MPI-IO" else p for p in work.parts)
    assert document(replace(work, parts=without_last)).headline.rule == "serial-io"


def test_who_does_less_in_a_file_of_independent_calls_is_not_awaited_there() -> None:
    took = (10.0,) + 63 * (110.0,)
    calls = Part("/scratch/o.dat", RANKS, "MPI-IO", writes=40, size=16 * MIB, write_s=took)
    below = Part("/scratch/o.dat", RANKS, writes=40, size=16 * MIB, write_s=took, osts=osts(8))
    found = document(Work((INPUT, calls, below), nprocs=64, runtime_s=600.0, nodes=2)).findings
    said = " ".join(f.summary or "" for f in found)
    assert "wait for it in collective calls" not in said


@pytest.mark.parametrize(
    ("quick", "why"),
    [
        (16, "about 16 ranks may come late, or the time passes in the library."),
        (32, "the time passes in the library."),
        (0, "the time passes in the library."),
    ],
)
def test_that_a_part_of_the_ranks_is_in_the_calls_briefly_is_said(quick: int, why: str) -> None:
    """They come late, or have less to do in them: the library took them no longer."""
    took = quick * (10.0,) + (64 - quick) * (110.0,)
    calls = Part("/scratch/o.dat", RANKS, "MPI-IO", writes=40, size=16 * MIB, write_s=took, collective=True)
    below = Part("/scratch/o.dat", range(0, 64, 8), writes=320, size=16 * MIB, write_s=9.0, osts=osts(8))
    said = document(Work((calls, below), nprocs=64, runtime_s=600.0, nodes=2)).headline
    assert said.rule == "collective-overhead"
    assert why in said.sentence
    assert ("may come late" in said.sentence) is ("may come late" in why)


def test_one_rank_of_few_that_may_come_late_is_named() -> None:
    """Of eight ranks one is more than a tenth, from which ranks are not few."""
    calls = Part("/scratch/o.dat", range(8), "MPI-IO", writes=40, size=16 * MIB, write_s=(10.0,) + 7 * (110.0,))
    below = Part("/scratch/o.dat", (range(0, 8, 4)), writes=320, size=16 * MIB, write_s=9.0, osts=osts(8))
    work = Work((replace(calls, collective=True), below), nprocs=8, runtime_s=600.0, nodes=2)
    assert ": rank 0 may come late, or the time passes in the library." in document(work).headline.sentence


@pytest.mark.parametrize("part", [INPUT, LINES, SHARED], ids=["in", "log", "shared"])
def test_what_was_over_before_the_calls_is_not_what_the_others_wait_for(part: Part) -> None:
    """As an input that rank 0 reads when the run begins, long before the first output."""
    *others, calls, below = waits_for(part).parts
    later = tuple(replace(p, begins_s=300.0) for p in (calls, below))
    said = document(Work((*others, *later), nprocs=64, runtime_s=600.0, nodes=2))
    assert "mpiio.late_arriver_elsewhere" not in {m for m, found in said.metrics.items() if found.value is not None}
    assert "meanwhile, " not in " ".join(f.summary or "" for f in said.findings)
    late = next(f for f in said.findings if f.rule == "wait-for-coll")
    assert (late.headline or "").endswith("and all others wait.")
