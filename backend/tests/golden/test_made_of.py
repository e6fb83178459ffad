"""A metric that names what it is made of is answered without its formula where there is none of it: the formula would
say the same, of samples that together have every answer of every rule, in `make fuzz` of all, and each group of their
files."""

from __future__ import annotations

import pytest
from covering import covering_cases
from sample_documents import sources_of
from samples import Case

from iotriage.analysis.engine import diagnosis_of
from iotriage.metrics import all_metrics
from iotriage.metrics.core.metric import Absent
from iotriage.metrics.core.selection import Selection


@pytest.mark.fuzz
@pytest.mark.parametrize("case", covering_cases(), ids=str)
def test_the_formula_says_what_is_said_without_it(case: Case) -> None:
    found = diagnosis_of(sources_of(case.sources))
    for selection in (found.contents.job, *(group.selection for group in found.rule_inputs.groups)):
        _say_the_same(selection)


def _say_the_same(selection: Selection) -> None:
    for id, spec in all_metrics().items():
        basis = None if spec.basis is None or selection.scope not in spec.scopes else spec.basis(selection)
        if isinstance(basis, Absent):
            assert spec.compute(selection) == basis, id
