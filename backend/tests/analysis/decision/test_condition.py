"""Conditions of rules over metrics: the answer, the answered tree with its reasons, and what thresholds can do."""

from __future__ import annotations

from dataclasses import replace

import pytest
from budget import examples
from declared import judge, metrics_of, thresholds_of_all
from hypothesis import given, settings
from hypothesis import strategies as st

from iotriage.analysis.decision import condition as deciding
from iotriage.analysis.decision.condition import LOWER_BOUND, NOT_A_NUMBER, NOT_COMPUTED, answer, leaves
from iotriage.metrics import all_metrics
from iotriage.rules import all_rules
from iotriage.rules.core.condition import AllOf, Compare, IsOneOf, Present, all_of, any_of, clear_where_whole

THRESHOLDS = thresholds_of_all()
COUNT = Compare("posix.small_accesses", ">=", "small-io.count")


def answered(condition, values, bounds=()):
    return deciding.answered(condition, metrics_of(values, bounds), THRESHOLDS)


def test_a_leaf_carries_the_figure_and_what_it_is_compared_with():
    found = answered(COUNT, {"posix.small_accesses": 1200})
    assert (found.metric.value, found.answer, found.metric.unit) == (1200, True, "calls")
    assert (found.leaf.threshold, found.metric.confidence, found.reason) == ("small-io.count", "measured", None)
    assert (THRESHOLDS[found.leaf.threshold].value, THRESHOLDS[found.leaf.threshold].stated_by.document) == (
        1000.0,
        "drishti",
    )
    assert found.metric.title == all_metrics()["posix.small_accesses"].title


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
    found = answered(condition, values, bounds)
    assert found.answer is None
    assert found.reason == reason


@pytest.mark.parametrize(("condition", "expected"), [(Present("group.weight"), False), (COUNT, None)])
def test_a_metric_that_the_scope_does_not_have_has_a_reason(condition, expected):
    found = deciding.answered(condition, {}, THRESHOLDS)
    assert (found.answer, found.metric, found.reason) == (expected, None, NOT_COMPUTED)


def _binding(values, *conditions):
    tree = answered(AllOf(conditions), values)
    return [leaf.leaf for leaf in deciding.binding(leaves(tree), THRESHOLDS)]


SLOW, SURE = (Compare("ost.slowness", ">=", f"slow-ost.{id}") for id in ("slowness", "sure-slowness"))
"""At least 3, and at least 1.5."""
BELOW, FAR_BELOW = (
    Compare("job.io_time_fraction", "<", f"io-not-the-bottleneck.{id}") for id in ("fraction", "negligible")
)
"""Below 10 % and below 1 %."""
ANY, BEST = (IsOneOf("expectation.statistic", words) for words in (("maximum", "typical"), ("maximum",)))


@pytest.mark.parametrize(
    ("values", "both", "told"),
    [
        ({"ost.slowness": 40}, (SURE, SLOW), [SLOW]),
        ({"ost.slowness": 1.2}, (SURE, SLOW), [SURE]),
        ({"ost.slowness": 2}, (SURE, SLOW), [SURE, SLOW]),
        ({}, (SURE, SLOW), [SURE, SLOW]),
        ({"ost.slowness": 40}, (SLOW, SLOW), [SLOW, SLOW]),
        ({"job.io_time_fraction": 0.001}, (BELOW, FAR_BELOW), [FAR_BELOW]),
        ({"job.io_time_fraction": 0.5}, (BELOW, FAR_BELOW), [BELOW]),
        ({"expectation.statistic": "maximum"}, (ANY, BEST), [BEST]),
        ({"expectation.statistic": "range"}, (ANY, BEST), [ANY]),
        ({"expectation.statistic": "typical"}, (ANY, BEST), [ANY, BEST]),
        ({"ost.slowness": 40, "job.io_time_fraction": 0.5}, (SLOW, BELOW), [SLOW, BELOW]),
    ],
)
def test_of_comparisons_that_follow_from_one_another_that_one_binds(values, both, told):
    assert _binding(values, *both) == told


def test_a_threshold_that_is_not_declared_is_a_defect_of_the_rule():
    with pytest.raises(KeyError):
        answered(Compare("io.bytes", ">", "nobody.knows"), {"io.bytes": 1})


def test_leaves_stand_in_their_order():
    tree = answered(all_of(Present("io.bytes"), any_of(COUNT, IsOneOf("io.pattern", ("serial",)))), {})
    assert [found.leaf.metric for found in leaves(tree)] == ["io.bytes", "posix.small_accesses", "io.pattern"]


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


@settings(max_examples=100, deadline=None)
@given(values=VALUES, words=WORDS, bounded=st.booleans())
def test_a_tree_is_answered_as_the_condition_is(values, words, bounded):
    metrics = metrics_of(values | words, set(values) if bounded else ())
    for rule in all_rules().values():
        for condition in rule.conditions:
            tree = deciding.answered(condition, metrics, THRESHOLDS)
            assert tree.answer is answer(condition, metrics, THRESHOLDS)


@settings(max_examples=100, deadline=None)
@given(values=VALUES, words=WORDS, bounded=st.booleans(), data=st.data())
def test_whatever_thresholds_are_moved_to_the_answer_is_among_those_that_can_be(values, words, bounded, data):
    metrics = metrics_of(values | words, set(values) if bounded else ())
    rule = data.draw(st.sampled_from(sorted(all_rules().values(), key=lambda rule: rule.id)))
    moved = {
        t.id: data.draw(st.one_of(st.just(t.value), st.floats(t.minimum, t.maximum), _near(metrics, t)))
        for t in (THRESHOLDS[declared.id] for declared in rule.thresholds)
    }
    thresholds = THRESHOLDS | {id: replace(THRESHOLDS[id], value=value) for id, value in moved.items()}
    for condition in rule.conditions:
        assert answer(condition, metrics, thresholds) in deciding.can_be(condition, metrics, THRESHOLDS)


def _near(metrics, threshold):
    """At the figures that could be compared with it, where it may stand there."""
    found = sorted({m.value for m in metrics.values() if isinstance(m.value, int | float)})
    return st.sampled_from([v for v in found if threshold.minimum <= v <= threshold.maximum] or [threshold.value])


@settings(max_examples=examples(25), deadline=None)
@given(values=VALUES, words=WORDS, dropped=st.sets(st.sampled_from(sorted(all_metrics())), max_size=20))
def test_taking_evidence_away_makes_no_finding(values, words, dropped):
    """Absent metrics may settle nothing: a rule that was clear or does not apply never becomes triggered."""
    everything = values | words
    less = {m: v for m, v in everything.items() if m not in dropped}
    for rule in all_rules():
        if judge(rule, less) == "triggered":
            assert judge(rule, everything) == "triggered", rule


@pytest.mark.parametrize(
    ("word", "words", "told"),
    [
        ("unknown", ("as others", "unknown"), [COUNT.metric]),
        ("as others", ("as others", "unknown"), ["ost.ranks_elsewhere", COUNT.metric]),
        ("unknown", ("slow",), ["ost.ranks_elsewhere"]),
    ],
)
def test_that_a_word_is_not_known_is_no_reason(word, words, told):
    tree = answered(
        all_of(IsOneOf("ost.ranks_elsewhere", words), COUNT),
        {"ost.ranks_elsewhere": word, "posix.small_accesses": 1200},
    )
    assert [leaf.leaf.metric for leaf in deciding.deciding(tree)] == told


@pytest.mark.parametrize(
    ("missing", "found", "told"),
    [
        ({"evidence.records_missing": "no"}, False, [COUNT.metric]),
        ({}, None, ["evidence.records_missing"]),
    ],
)
def test_that_no_record_is_missing_is_no_reason(missing, found, told):
    condition, values = clear_where_whole(COUNT), {"posix.small_accesses": 9} | missing
    tree = answered(condition, values)
    assert tree.answer is found
    assert [leaf.leaf.metric for leaf in deciding.deciding(tree)] == told
    if found is False:
        assert deciding.ruled_out_by(condition, metrics_of(values), THRESHOLDS) == [COUNT]
