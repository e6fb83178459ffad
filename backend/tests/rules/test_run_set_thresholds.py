"""The rules about run sets just below, at, and just above each of their thresholds."""

from __future__ import annotations

from math import inf, nextafter

import pytest
from declared import judge

from iotriage.rules import all_thresholds, rules_of_run_sets
from iotriage.rules.walk import thresholds_of

YES, NO, NA = "triggered", "clear", "not_applicable"

HOLDS = {
    "scaling-serial": {
        "runs.kind": "scaling",
        "runs.processes_growth": 4.0,
        "runs.io_time": 30.0,
        "runs.rate_growth": 1.0,
        "runs.rate_drop": 1.0,
        "runs.best_rate": 5e8,
        "runs.pattern": "shared-independent",
    },
    "scaling-contention": {
        "runs.kind": "scaling",
        "runs.processes_growth": 4.0,
        "runs.io_time": 30.0,
        "runs.rate_drop": 3.0,
    },
    "striping-experiment": {
        "runs.kind": "striping",
        "runs.with_rate": 4,
        "runs.io_time": 30.0,
        "runs.striping_gain": 2.0,
    },
    "jitter": {"runs.kind": "repeats", "runs.with_rate": 3, "runs.io_time": 30.0, "runs.spread": 2.0},
}
"""A set of metrics on which each of the rules holds."""

AROUND = [
    ("scaling-serial", "scaling-serial.processes", "runs.processes_growth", NA, YES, YES),
    ("scaling-serial", "scaling-serial.seconds", "runs.io_time", NA, YES, YES),
    ("scaling-serial", "scaling-serial.flat", "runs.rate_growth", YES, YES, NO),
    ("scaling-serial", "scaling-serial.drop", "runs.rate_drop", YES, YES, NO),
    ("scaling-serial", "scaling-serial.fastest", "runs.best_rate", YES, YES, NO),
    ("scaling-serial", "scaling-serial.slowest", "runs.best_rate", NO, YES, YES),
    ("scaling-contention", "scaling-contention.processes", "runs.processes_growth", NA, YES, YES),
    ("scaling-contention", "scaling-contention.seconds", "runs.io_time", NA, YES, YES),
    ("scaling-contention", "scaling-contention.drop", "runs.rate_drop", NO, YES, YES),
    ("scaling-contention", "scaling-contention.usual", "runs.rate_drop", NO, NO, NO),
    ("striping-experiment", "striping-experiment.runs", "runs.with_rate", NA, YES, YES),
    ("striping-experiment", "striping-experiment.seconds", "runs.io_time", NA, YES, YES),
    ("striping-experiment", "striping-experiment.usual", "runs.striping_gain", NO, NO, YES),
    ("jitter", "jitter.runs", "runs.with_rate", NA, YES, YES),
    ("jitter", "jitter.seconds", "runs.io_time", NA, YES, YES),
    ("jitter", "jitter.usual", "runs.spread", NO, NO, YES),
]
"""Rule, threshold, metric, and the verdict just below, at and just above it. The usual variation decides on
contention only where a site's is above the drop that counts."""


@pytest.mark.parametrize("rule", HOLDS)
def test_it_holds_where_it_should(rule: str) -> None:
    assert judge(rule, HOLDS[rule]) == YES


@pytest.mark.parametrize("rule", HOLDS)
def test_it_is_for_its_own_kind_of_run_set(rule: str) -> None:
    assert judge(rule, HOLDS[rule] | {"runs.kind": "change"}) == NA


@pytest.mark.parametrize(("rule", "threshold", "metric", "below", "at", "above"), AROUND)
def test_around_each_threshold(rule: str, threshold: str, metric: str, below: str, at: str, above: str) -> None:
    value = all_thresholds()[threshold].default
    for figure, expected in ((nextafter(value, -inf), below), (value, at), (nextafter(value, inf), above)):
        assert judge(rule, HOLDS[rule] | {metric: figure}) == expected, figure


def test_a_serial_pattern_alone_will_do_at_any_rate() -> None:
    slow = HOLDS["scaling-serial"] | {"runs.best_rate": 1e6}
    assert judge("scaling-serial", slow) == NO
    assert judge("scaling-serial", slow | {"runs.pattern": "serial"}) == YES


def test_every_threshold_that_decides_is_in_the_table() -> None:
    deciding = {t for rule in rules_of_run_sets() for c in (rule.requires, rule.condition) for t in thresholds_of(c)}
    assert deciding == {row[1] for row in AROUND}
