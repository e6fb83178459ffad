"""The rules about run sets on the samples that belong together: each says what `run-sets.toml` says that it does."""

from __future__ import annotations

import pytest
from run_sets import SampleRunSet, run_sets

from iotriage.rules import rules_of_run_sets


@pytest.mark.parametrize("run_set", run_sets(), ids=str)
def test_a_run_set_is_told_what_it_is_and_what_is_wrong_with_it(run_set: SampleRunSet) -> None:
    compared = run_set.compared()
    assert compared.kind == run_set.kind
    verdicts = {f.rule: f.verdict for f in compared.run_set}
    assert {rule for rule, v in verdicts.items() if v == "triggered"} == run_set.triggered
    assert {rule for rule, v in verdicts.items() if v == "clear"} == run_set.clear


@pytest.mark.parametrize("rule", [r.id for r in rules_of_run_sets()])
def test_every_rule_about_run_sets_fires_on_one_and_stays_clear_on_another(rule: str) -> None:
    assert any(rule in s.triggered for s in run_sets())
    assert any(rule in s.clear for s in run_sets())
