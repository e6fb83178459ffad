"""Drawn jobs: what they cost, what their logs say, and what the product says of a small fixed draw."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from bench.laboratory.answers import Answer, Named, judged
from bench.laboratory.draws import ENOUGH, Drawn, Plan, drawn, wall_of
from bench.laboratory.experiment import outcome_of
from bench.laboratory.faults import FAULTS, Fault
from bench.laboratory.jobs import Job, Output
from bench.laboratory.laws import DISK, MiB

JOB = Job(DISK, 32, 8, 2, 30.0, Output("collective", 256 * MiB, 8 * MiB, 48, 8 * MiB, aggregators=8), seed=1)
ALONE = replace(JOB, output=Output("own", 256 * MiB, 4 * MiB))


@pytest.mark.parametrize("fault", FAULTS, ids=[fault.id for fault in FAULTS])
def test_a_job_takes_longer_with_a_fault_than_without(fault: Fault) -> None:
    job = JOB if fault.fits(JOB) else ALONE
    faulty, clean = fault.pair(job, np.random.default_rng(3), 2.0)
    with_fault, without = (wall_of(replace(job, **{fault.slot: part})) for part in (faulty, clean))
    assert with_fault > without


def test_every_theme_keeps_a_family_from_development() -> None:
    themes = {fault.theme for fault in FAULTS}
    assert {fault.theme for fault in FAULTS if fault.held_out} == themes


def test_a_plan_is_drawn_the_same_again_and_its_fault_costs_enough() -> None:
    plan = Plan(7, "known", 3)
    one, again = drawn(plan), drawn(plan)
    assert one is not None
    assert one == again
    assert one.cost_s[0] >= ENOUGH * one.wall_s


def found(*rules: str, most: float | None = None) -> Answer:
    return Answer([Named(rule, "high", None, most) for rule in rules], "")


FAULT = {fault.id: fault for fault in FAULTS}
FIXED = ("small-pieces", "everybody-reads", "alone", "one-aggregator", "holes")
MUST_LEAD = 4
"""Of the fixed draw; `make laboratory` has hundreds."""
TWO = Drawn("two", "two", JOB, (FAULT["one-stripe"], FAULT["many-files"]), (30.0, 90.0), 200.0)


def test_the_costlier_of_two_faults_must_lead_and_both_be_named() -> None:
    assert judged(TWO, found("metadata-bound", "ssf-understriped")).leads
    wrong = judged(TWO, found("ssf-understriped", "small-io"))
    assert (wrong.leads, wrong.named) == (False, False)
    near = replace(TWO, cost_s=(70.0, 90.0))
    assert judged(near, found("ssf-understriped", "metadata-bound")).leads is None


def test_an_unknown_fault_must_not_be_given_a_known_name() -> None:
    busy = Drawn("unknown", "unknown", JOB, (FAULT["busy-storage"],), (50.0,), 200.0)
    assert judged(busy, found("below-expectation")).leads
    assert not judged(busy, found("below-expectation", "ssf-understriped")).leads


def test_a_saving_is_right_where_the_cost_is_inside() -> None:
    assert judged(TWO, found("metadata-bound", most=95.0)).savings[0][0]
    assert not judged(TWO, found("metadata-bound", most=80.0)).savings[0][0]


def fixed(name: str) -> Drawn:
    fault = FAULT[name]
    part, clean = fault.pair(JOB, np.random.default_rng(3), 32.0)
    job = replace(JOB, **{fault.slot: part})
    wall = wall_of(job)
    return Drawn(name, "known", job, (fault,), (wall - wall_of(replace(JOB, **{fault.slot: clean})),), wall)


def test_the_product_names_the_faults_of_a_small_fixed_draw(tmp_path: Path) -> None:
    outcomes = [outcome_of(fixed(name), tmp_path) for name in FIXED]
    assert [outcome.log_differs for outcome in outcomes] == [[]] * len(FIXED)
    named = {outcome.judged.name: outcome.judged.lead for outcome in outcomes if not outcome.judged.leads}
    assert len(FIXED) - len(named) >= MUST_LEAD, named


def test_the_product_names_nothing_where_nothing_is_wrong(tmp_path: Path) -> None:
    healthy = Drawn("healthy", "faultless", replace(JOB, compute_s=8.0), (), (), wall_of(JOB))
    assert outcome_of(healthy, tmp_path).judged.all_named == []
