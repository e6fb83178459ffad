"""What a run after the advice says about it."""

from __future__ import annotations

from sample_documents import document_of
from samples import case

from iotriage.analysis.run_sets.comparison import compare
from iotriage.helpdesk.outcomes import assess, outcome_sentence


def test_what_helped_by_its_findings_is_not_called_slower_by_times_that_tell_nothing() -> None:
    """Both spend under a second in I/O: the second has not the one rank that did all of it, and takes longer."""
    found = assess(compare([(name, document_of(case(name).sources)) for name in ("01", "38")]))
    assert (found.verdict, found.factor, found.factor_most) == ("helped", None, None)
    assert outcome_sentence(found.verdict, found.factor, found.measured, found.factor_most) == (
        "helped: both runs spend under a second in I/O, too little to tell by time"
    )
