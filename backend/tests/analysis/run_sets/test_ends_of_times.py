"""Times that are known between two ends, and how often files are read: both decide between two runs, and turn round."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
from sample_documents import document_of
from samples import case

from iotriage.analysis.document import CaseDocument, KnownMetric
from iotriage.analysis.run_sets.comparison import compare


@cache
def sample(name: str) -> CaseDocument:
    return document_of(case(name).sources)


def test_of_times_whose_ends_leave_it_open_none_is_called_the_faster() -> None:
    one, other = (_with_ends(sample("40"), *ends) for ends in ((4.0, 10.0), (3.0, 6.0)))
    (step,) = compare([("A", one), ("B", other)]).steps
    assert (step.outcome, step.factor) == ("unknown", None)
    assert "Whether B does its I/O faster than A is open (4.00 s to 10.0 s → 3.00 s to 6.00 s)" in step.sentence
    (step,) = compare([("A", one), ("B", _with_ends(sample("40"), 1.0, 2.0))]).steps
    assert "2 to 10 times faster (4.00 s to 10.0 s → 1.00 s to 2.00 s)" in step.sentence


def test_of_times_that_are_alike_within_their_ends_the_factor_turned_round_is_its_inverse() -> None:
    one, other = (_with_ends(sample("40"), *ends) for ends in ((10.0, 10.2), (10.0, 10.3)))
    forth, back = (compare([("A", a), ("B", b)]).steps[0] for a, b in ((one, other), (other, one)))
    assert (forth.outcome, back.outcome) == ("same", "same")
    assert forth.factor is not None
    assert back.factor is not None
    assert forth.factor * back.factor == pytest.approx(1)


def test_who_reads_a_smaller_part_of_its_files_does_not_read_them_less_often() -> None:
    """16 reads its file once, 09 an eighth of one beside what it writes: nothing is read again."""
    (step,) = compare([("A", sample("09")), ("B", sample("16"))]).steps
    assert (step.outcome, step.basis) == ("unknown", "nothing")
    assert "once" not in step.sentence


def test_of_a_longer_run_no_more_is_said_to_lie_outside_the_io_than_its_ends_leave() -> None:
    def run_of(run_s: float, *ends: float) -> CaseDocument:
        of = _with_ends(sample("40"), *ends)
        runtime = of.metrics["job.runtime"]
        assert isinstance(runtime, KnownMetric)
        return replace(of, metrics={**of.metrics, "job.runtime": replace(runtime, value=run_s)})

    before = run_of(100.0, 1.0, 10.0)
    for after, said in (
        (run_of(200.0, 2.0, 45.0), "The run itself took 100 s longer, of which at most 44.0 s is I/O: look"),
        (run_of(200.0, 2.0, 55.0), None),
        (run_of(200.0, 40.0, 40.0), "The run itself took 100 s longer, of which at most 39.0 s is I/O: look"),
    ):
        note = compare([("A", before), ("B", after)]).note or ""
        assert said in note if said is not None else "The run itself" not in note


@pytest.mark.parametrize(
    ("ends", "verdict"),
    [
        # Whether the two differ at all is open, however far their ends lie apart.
        (((1.0, 10.0), (2.0, 45.0)), "unknown"),
        (((1.0, 10.0), (40.0, 45.0)), "triggered"),
        (((1.0, 10.0), (1.01, 10.1)), "clear"),
        (((1.0, 10.0), (1.01, 10.1), (0.99, 9.9)), "clear"),
    ],
)
def test_runs_of_which_nobody_knows_that_they_differ_are_not_called_far_apart(
    ends: tuple[tuple[float, float], ...], verdict: str
) -> None:
    found = compare([(f"{at}", _with_ends(sample("40"), *each)) for at, each in enumerate(ends)])
    assert found.kind == "repeats"
    assert {f.rule: f.verdict for f in found.run_set}["jitter"] == verdict
    said = f"{found.sentence} {found.note}"
    assert ("far apart" in found.sentence) == (verdict == "triggered")
    assert ("at least 4.00 times the shortest" in said) == (verdict == "triggered")


def _with_ends(given: CaseDocument, least_s: float, most_s: float) -> CaseDocument:
    account, time = given.account, given.metrics["job.io_time"]
    assert account is not None
    assert account.slowest is not None
    assert isinstance(time, KnownMetric)
    slowest = replace(account.slowest, least_s=least_s, most_s=most_s)
    metrics = {**given.metrics, "job.io_time": replace(time, value=most_s)}
    job = replace(given.job, job_id=f"{least_s:g}")
    return replace(given, job=job, account=replace(account, slowest=slowest), metrics=metrics)
