"""Metrics by hand, and rules judged over them, for the tests of this folder."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial

from iotriage.analysis.decision.condition import answer, verdict
from iotriage.analysis.document import ThresholdInForce
from iotriage.metrics import all_metrics
from iotriage.metrics.core.metric import Metric
from iotriage.rules import all_rules
from iotriage.rules.core.rule import Context, Threshold
from iotriage.sites import all_sites

KIB, MIB, GIB = 2**10, 2**20, 2**30
YES, NO, NA, WHAT = "triggered", "clear", "not_applicable", "unknown"


@cache
def _all_absent():
    return {
        spec.id: Metric(spec.id, spec.title, spec.unit, None, reason="not in this test")
        for spec in all_metrics().values()
    }


def metrics_of(values, bounds=()):
    """Every declared metric: those of `values` measured, those of `bounds` lower bounds, the others absent."""
    known = ((all_metrics()[id], value, "lower" if id in bounds else None) for id, value in values.items())
    return _all_absent() | {
        spec.id: Metric(spec.id, spec.title, spec.unit, value, confidence="measured", bound=bound)
        for spec, value, bound in known
    }


def in_force(threshold: Threshold, rule: str) -> ThresholdInForce:
    t = threshold
    return ThresholdInForce(
        t.id, rule, t.title, t.unit, t.default, t.default, t.stated_by, t.minimum, t.maximum, t.scale
    )


@cache
def thresholds_of_all():
    return {t.id: in_force(t, rule.id) for rule in all_rules().values() for t in rule.thresholds}


def judge(rule_id, values, bounds=(), moved=None):
    """The verdict of a rule over these metrics, some thresholds `moved` (id → number). No records are missing, and no
    figures in them, unless `values` says so."""
    values = {"evidence.records_missing": "no", "balance.ranks_uncounted": "no"} | values
    unknown = set(values) - set(all_metrics())
    assert not unknown, f"no such metrics: {unknown}"
    rule, metrics, thresholds = all_rules()[rule_id], metrics_of(values, bounds), thresholds_of_all()
    if moved:
        thresholds = thresholds | {id: replace(thresholds[id], value=value) for id, value in moved.items()}
    return verdict(answer(rule.requires, metrics, thresholds), answer(rule.condition, metrics, thresholds))


def context(values, **given):
    """A context over these metrics; the site is the generic one unless `site` names another."""
    site = all_sites()[given.pop("site", "generic")]
    defaults = {"label": "out.dat", "file": "/lus/fs/project/run/out.dat", "file_system": "lustre", "usual_factor": 1.5}
    answers = partial(answer, thresholds=thresholds_of_all())
    return Context(metrics=metrics_of(values), site=site, answers=answers, **(defaults | given))
