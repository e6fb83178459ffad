"""A verdict on runs is one sentence in a text, and several below one another on a page."""

from __future__ import annotations

from sample_documents import document_of
from samples import case

from iotriage.analysis.engine import diagnose
from iotriage.analysis.inputs import ReadSource
from iotriage.analysis.run_sets.comparison import compare
from iotriage_parsers.evidence import Failure


def test_what_was_said_of_two_runs_is_said_one_by_one_too() -> None:
    compared = compare([(name, document_of(case(name).sources)) for name in ("10", "09")])
    (step,) = compared.steps
    assert compared.sentences == step.sentences
    verdict, changed, gone = step.sentences
    assert (verdict.startswith("B does its I/O"), changed[:9], gone[:6]) == (True, "Changed: ", "Gone: ")
    assert step.sentence == f"{verdict[:-1]}; changed: {changed[9:-1]}; gone: {gone[6:]}"
    # A reason may have a semicolon of its own.
    lost = [diagnose([ReadSource(x, "", 0, Failure("unrecognised", f"It is {x}.", "Again."))]) for x in ("gone", "cut")]
    assert len(compare([(str(i), one) for i, one in enumerate(lost)]).sentences) == 1
