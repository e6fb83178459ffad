"""The rules about several runs."""

from __future__ import annotations

import pytest
from declared import NA, NO, WHAT, YES, context, judge

from iotriage.rules import all_rules

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
    "same-slow-ost": {
        "runs.same_slowest_ost_runs": 3,
        "runs.same_slowest_ost_share": 0.75,
        "runs.same_slowest_ost_times": 2.0,
    },
    "jitter": {"runs.kind": "repeats", "runs.with_rate": 3, "runs.io_time": 30.0, "runs.spread": 2.0},
}

AROUND = [
    ("scaling-serial", "processes", "runs.processes_growth", NA, YES, YES, WHAT),
    ("scaling-serial", "seconds", "runs.io_time", NA, YES, YES, WHAT),
    ("scaling-serial", "flat", "runs.rate_growth", YES, YES, NO, WHAT),
    ("scaling-serial", "drop", "runs.rate_drop", YES, YES, NO, WHAT),
    ("scaling-serial", "fastest", "runs.best_rate", YES, YES, NO, WHAT),
    ("scaling-serial", "slowest", "runs.best_rate", NO, YES, YES, WHAT),
    ("scaling-contention", "processes", "runs.processes_growth", NA, YES, YES, WHAT),
    ("scaling-contention", "seconds", "runs.io_time", NA, YES, YES, WHAT),
    ("scaling-contention", "drop", "runs.rate_drop", NO, YES, YES, WHAT),
    ("scaling-contention", "usual", "runs.rate_drop", NO, NO, NO, WHAT),
    ("striping-experiment", "runs", "runs.with_rate", NA, YES, YES, WHAT),
    ("striping-experiment", "seconds", "runs.io_time", NA, YES, YES, WHAT),
    ("striping-experiment", "usual", "runs.striping_gain", NO, NO, YES, WHAT),
    ("same-slow-ost", "runs", "runs.same_slowest_ost_runs", NO, YES, YES, NA),
    ("same-slow-ost", "share", "runs.same_slowest_ost_share", NO, YES, YES, WHAT),
    ("same-slow-ost", "times", "runs.same_slowest_ost_times", NO, YES, YES, WHAT),
    ("jitter", "runs", "runs.with_rate", NA, YES, YES, WHAT),
    ("jitter", "seconds", "runs.io_time", NA, YES, YES, WHAT),
    ("jitter", "usual", "runs.spread", NO, NO, YES, WHAT),
]
"""The usual variation decides on contention only where a site's is above the drop that counts."""


@pytest.mark.parametrize("rule", [rule for rule in HOLDS if "runs.kind" in HOLDS[rule]])
def test_it_is_for_its_own_kind_of_run_set(rule: str) -> None:
    assert judge(rule, HOLDS[rule] | {"runs.kind": "change"}) == NA


def test_a_serial_pattern_alone_will_do_at_any_rate() -> None:
    slow = HOLDS["scaling-serial"] | {"runs.best_rate": 1e6}
    assert judge("scaling-serial", slow) == NO
    assert judge("scaling-serial", slow | {"runs.pattern": "serial"}) == YES


@pytest.mark.parametrize(
    ("by_rate", "by_time", "said"),
    [
        (1.02, 5.0, "The best of 3 runs is 1.02 times as fast as the worst. The longest I/O time is 5.00 times the"),
        (3.4, 2.0, "The best of 3 runs is 3.40 times as fast as the worst. Factors up to"),
        (3.4, None, "The best of 3 runs is 3.40 times as fast as the worst. Factors up to"),
        (3.4, 4.1, "The best of 3 runs is 3.40 times as fast as the worst. The longest I/O time is 4.10 times the"),
    ],
)
def test_how_far_apart_runs_are_is_of_rates_or_of_times(by_rate, by_time, said):
    spreads = {"runs.with_rate": 3, "runs.spread": by_rate} | ({} if by_time is None else {"runs.time_spread": by_time})
    assert said in all_rules()["jitter"].says(context(spreads, usual_factor=1.05)).summary
