"""Each rule just below, at, and just above each of its thresholds, and without the metric.

The tables stand beside this file, in the `test_*_thresholds.py`. `HOLDS`: metrics for which each rule holds, some rules
in more than one way; a key begins with the rule's id. `AROUND`: case, threshold (its id behind the rule's), metric, and
the verdicts just below, at, and just above the threshold, and without the metric. `QUIET`: what a rule has nothing to
say about, and why.
"""

from __future__ import annotations

from importlib import import_module
from math import inf, nextafter
from pathlib import Path

import pytest
from declared import NA, NO, WHAT, YES, judge

from iotriage.rules import all_rules, all_thresholds
from iotriage.rules.core.condition import thresholds_of

TABLES = [import_module(path.stem) for path in sorted(Path(__file__).parent.glob("test_*_thresholds.py"))]
HOLDS = {case: values for table in TABLES for case, values in table.HOLDS.items()}
QUIET = {why: of for table in TABLES for why, of in getattr(table, "QUIET", {}).items()}


def rule_of(case):
    return max((r for r in all_rules() if case.startswith(r)), key=len)


AROUND = [(case, f"{rule_of(case)}.{of}", *rest) for table in TABLES for case, of, *rest in table.AROUND]


def test_no_case_hides_one_of_another_table():
    assert len(HOLDS) == sum(len(table.HOLDS) for table in TABLES)
    assert len(QUIET) == sum(len(getattr(table, "QUIET", {})) for table in TABLES)


@pytest.mark.parametrize("case", HOLDS)
def test_the_cases_hold(case):
    assert judge(rule_of(case), HOLDS[case]) == YES


@pytest.mark.parametrize(
    ("case", "threshold", "metric", "below", "at", "above", "absent"), AROUND, ids=[f"{r[0]}: {r[2]}" for r in AROUND]
)
def test_around_the_threshold(case, threshold, metric, below, at, above, absent):
    limit, rule, values = all_thresholds()[threshold].default, rule_of(case), HOLDS[case]
    assert judge(rule, values | {metric: nextafter(limit, -inf)}) == below
    assert judge(rule, values | {metric: limit}) == at
    assert judge(rule, values | {metric: nextafter(limit, inf)}) == above
    assert judge(rule, {m: v for m, v in values.items() if m != metric}) == absent


def test_every_threshold_that_decides_something_is_in_one_of_the_tables():
    deciding = {t for rule in all_rules().values() for c in (rule.requires, rule.condition) for t in thresholds_of(c)}
    assert deciding - {row[1] for row in AROUND} == {"partial-evidence.sources"}


@pytest.mark.parametrize(("rule", "values"), QUIET.values(), ids=QUIET)
def test_stays_quiet(rule, values):
    assert judge(rule, values) in (NO, NA)


def test_without_any_evidence_nothing_is_claimed():
    for rule in all_rules():
        assert judge(rule, {}) in (NO, NA, WHAT), rule
