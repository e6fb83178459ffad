"""Conditions of rules over metrics: the answered tree, its reasons, and that it can be decided again from itself."""

from __future__ import annotations

import pytest
from budget import examples
from declared import judge, metrics_of, thresholds_of_all
from hypothesis import given, settings
from hypothesis import strategies as st

from iotriage.analysis.condition import LOWER_BOUND, NOT_A_NUMBER, NOT_COMPUTED, evaluate, leaves, recompute
from iotriage.metrics import all_metrics
from iotriage.rules import all_rules
from iotriage.rules.core.rule import AllOf, AnyOf, Compare, IsOneOf, Present

THRESHOLDS = thresholds_of_all()
COUNT = Compare("posix.small_accesses", ">=", "small-io.count")


def answered(condition, values, bounds=()):
    return evaluate(condition, metrics_of(values, bounds), THRESHOLDS, all_metrics())


def test_a_leaf_carries_value_threshold_and_whose_it_is():
    leaf = answered(COUNT, {"posix.small_accesses": 1200})
    assert (leaf.value, leaf.threshold, leaf.answer, leaf.unit) == (1200, 1000.0, True, "calls")
    assert (leaf.threshold_id, leaf.source.document, leaf.confidence, leaf.reason) == (
        "small-io.count",
        "drishti",
        "measured",
        None,
    )
    assert leaf.title == all_metrics()["posix.small_accesses"].title


@pytest.mark.parametrize(
    ("condition", "values", "bounds", "reason"),
    [
        (COUNT, {}, (), "not in this test"),
        (COUNT, {"posix.small_accesses": 900}, {"posix.small_accesses"}, LOWER_BOUND),
        (COUNT, {"posix.small_accesses": "many"}, (), NOT_A_NUMBER),
        (IsOneOf("io.pattern", ("serial",)), {}, (), "not in this test"),
    ],
)
def test_an_unknown_leaf_says_why(condition, values, bounds, reason):
    leaf = answered(condition, values, bounds)
    assert leaf.answer is None
    assert leaf.reason == reason


def test_a_metric_of_no_scope_has_its_title_from_the_register_and_a_reason():
    leaf = evaluate(Present("group.weight"), {}, THRESHOLDS, all_metrics())
    assert (leaf.answer, leaf.title, leaf.reason) == (False, all_metrics()["group.weight"].title, NOT_COMPUTED)
    assert evaluate(COUNT, {}, THRESHOLDS).title == "posix.small_accesses"


def test_a_threshold_that_is_not_declared_is_a_defect_of_the_rule():
    with pytest.raises(KeyError):
        answered(Compare("io.bytes", ">", "nobody.knows"), {"io.bytes": 1})


def test_leaves_stand_in_their_order():
    tree = answered(AllOf((Present("io.bytes"), AnyOf((COUNT, IsOneOf("io.pattern", ("serial",)))))), {})
    assert [leaf.metric for leaf in leaves(tree)] == ["io.bytes", "posix.small_accesses", "io.pattern"]


VALUES = st.dictionaries(
    st.sampled_from(sorted(m for m, s in all_metrics().items() if s.unit != "word")),
    st.one_of(st.integers(0, 2**60), st.floats(0, 100)),
)
WORDS = st.fixed_dictionaries(
    {},
    optional={
        "io.pattern": st.sampled_from(["serial", "shared-collective", "shared-independent", "file-per-process"]),
        "io.layer": st.sampled_from(["MPI-IO", "POSIX", "STDIO"]),
    },
)


@settings(max_examples=examples(25), deadline=None)
@given(values=VALUES, words=WORDS, bounded=st.booleans())
def test_a_tree_decided_again_with_its_own_thresholds_is_the_same_tree(values, words, bounded):
    everything = values | words
    for rule in all_rules().values():
        for condition in (rule.requires, rule.condition, *rule.supports):
            tree = answered(condition, everything, set(values) if bounded else ())
            assert recompute(tree, {}) == tree


@settings(max_examples=examples(25), deadline=None)
@given(values=VALUES, words=WORDS, dropped=st.sets(st.sampled_from(sorted(all_metrics())), max_size=20))
def test_taking_evidence_away_makes_no_finding(values, words, dropped):
    """Absent metrics may settle nothing: a rule that was clear or does not apply never becomes triggered."""
    everything = values | words
    less = {m: v for m, v in everything.items() if m not in dropped}
    for rule in all_rules():
        if judge(rule, less) == "triggered":
            assert judge(rule, everything) in ("triggered",), rule
