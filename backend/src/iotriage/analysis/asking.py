"""Every rule asked about the job, or about each of its larger groups of files: what its finding rests on, and what it
would say. Verdicts, severities and order are decided from that (`iotriage.analysis.order`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cache, cached_property
from itertools import chain, islice
from typing import Literal

from iotriage.analysis.condition import Answer, AnsweredLeaf, Metrics, Thresholds, answer, can_be, ruled_out_by, verdict
from iotriage.analysis.contradictions import with_settings
from iotriage.analysis.document import Finding, FindingScope, RuleAsked, RuledOut, Said, ThresholdInForce
from iotriage.analysis.fitting import OwnSettings, fitted
from iotriage.analysis.run_sets.next_run import trial_of
from iotriage.analysis.significance import FLOORS, SIGNIFICANCE, SIGNIFICANT_IO
from iotriage.metrics.core.metric import Metric
from iotriage.metrics.core.registry import MetricsInGroup
from iotriage.metrics.tables.grouping import Group
from iotriage.rules import all_rules
from iotriage.rules.core.advice import withheld_last
from iotriage.rules.core.claim import looked_at
from iotriage.rules.core.condition import SIGNS, Compare, Condition, IsOneOf, metrics_of, thresholds_of
from iotriage.rules.core.rule import Context, Impact, Rule, Statement, Threshold
from iotriage.rules.core.words import exactly, quantity
from iotriage.sites import file_system_kind
from iotriage.sites.site import Site, ThresholdOverride
from iotriage_parsers.evidence import Mount
from iotriage_parsers.frozen import frozen, frozen_identity

MOST_GROUPS_JUDGED = 8
MOST_FIGURES = 2

NO_FILES = "no source shows files that such a group could be made of"
NOTHING_SEEN = "no source has any of the figures that it looks at"

Api = Literal["HDF5", "PnetCDF", "MPI-IO", "POSIX", "STDIO"]
LIBRARIES: Mapping[str, Api] = {"H5F": "HDF5", "PNETCDF_FILE": "PnetCDF"}
"""Darshan's modules whose records are files, by the id of the file's records in the layers below."""


THE_JOB = FindingScope("job", "job", "the job")

_NEVER = frozenset([False])


@frozen_identity
class Subject:
    """What the rules of one case are asked about."""

    metrics: Mapping[str, Metric]
    of_groups: Mapping[str, Mapping[str, Metric]]
    groups: Sequence[Group]
    site: Site
    mounts: tuple[Mount, ...]
    own: OwnSettings


@frozen_identity
class _Asked:
    """A scope that rules are asked about: the job, where `group` is its largest, or one of its groups. It keeps whether
    each rule applies and holds, by the rule's id."""

    case: Subject
    scope: FindingScope
    metrics: Mapping[str, Metric]
    group: Group | None
    files: int | None = None
    applying: dict[str, _Answered] = field(default_factory=dict, init=False)
    holding: dict[str, _Answered] = field(default_factory=dict, init=False)

    def applies(self, rule: Rule, thresholds: Thresholds) -> _Answered:
        return self._kept(self.applying, rule.id, rule.requires, thresholds)

    def holds(self, rule: Rule, thresholds: Thresholds) -> _Answered:
        return self._kept(self.holding, rule.id, rule.condition, thresholds)

    def _kept(self, known: dict[str, _Answered], id: str, condition: Condition, thresholds: Thresholds) -> _Answered:
        found = known.get(id)
        if found is None:
            found = known[id] = _answered(condition, self.metrics, thresholds)
        return found

    @classmethod
    def job(cls, case: Subject) -> _Asked:
        return cls(case, THE_JOB, case.metrics, case.groups[0] if case.groups else None)

    @classmethod
    def of_group(cls, group: Group, case: Subject) -> _Asked:
        metrics = MetricsInGroup(case.of_groups[group.id], case.metrics)
        return cls(case, FindingScope("group", group.id, group.label), metrics, group, len(group.files))

    @cached_property
    def context(self) -> Context:
        case, path = self.case, None if self.group is None else self.group.largest.path
        return Context(
            metrics=self.metrics,
            site=case.site,
            label=self.scope.label,
            file=path,
            files=self.files,
            ending=None if self.group is None else self.group.ending,
            api=_api(self.group),
            file_system=file_system_kind(case.site, case.mounts, path) if path is not None else "unknown",
        )


@frozen
class _Answered:
    """The answers that thresholds can give to a condition, and the one that they give now."""

    can_be: frozenset[Answer]
    now: Answer


@frozen
class Answers:
    """The findings, not yet decided beside one another; the rules of those that a threshold can change, and the
    thresholds that these compare with; and the `groups` that were asked about."""

    findings: tuple[Finding | RuledOut, ...]
    rules: dict[str, RuleAsked]
    thresholds: dict[str, ThresholdInForce]
    groups: tuple[_Asked, ...]


def ask_rules(case: Subject) -> Answers:
    """One finding of a job rule; of a group rule one for each of the larger groups that it applies to, or, where it
    applies to none, one for the largest group."""
    thresholds = _thresholds(case.site.thresholds)
    job, groups = _Asked.job(case), [_Asked.of_group(group, case) for group in case.groups]
    found: list[Finding | RuledOut] = []
    for rule in _rules():
        found += _findings(rule, job, groups, thresholds)
    changing = [f for f in found if isinstance(f, Finding)]
    ruled_out = [f for f in found if isinstance(f, RuledOut)]
    changeable = {f.rule for f in changing}
    rules = {rule.id: _rule_asked(rule.id) for rule in _rules() if rule.id in changeable}
    used = thresholds_of(SIGNIFICANCE).union(*(_compared_with(id) for id in rules))
    in_force = {id: threshold for id, threshold in thresholds.items() if id in used}
    return Answers((*with_settings(changing), *ruled_out), rules, in_force, tuple(groups))


@cache
def _rule_asked(rule_id: str) -> RuleAsked:
    rule = all_rules()[rule_id]
    return RuleAsked(
        rule.severity,
        rule.leads,
        rule.explains,
        rule.requires,
        rule.condition,
        rule.supports,
        rule.citations,
        rule.claims,
    )


@cache
def _compared_with(rule_id: str) -> frozenset[str]:
    """The thresholds that the rule's conditions compare with."""
    return frozenset[str]().union(*(thresholds_of(condition) for condition in all_rules()[rule_id].conditions))


@cache
def looked_at_by(rule_id: str) -> frozenset[str]:
    """The metrics that the rule's conditions and claims look at."""
    rule = all_rules()[rule_id]
    return frozenset[str]().union(*map(metrics_of, rule.conditions), *map(looked_at, rule.claims))


@cache
def _rules() -> tuple[Rule, ...]:
    """The rules that decide on one case: those about run sets do not."""
    return tuple(rule for rule in all_rules().values() if rule.scope != "run-set")


@cache
def _thresholds(overrides: tuple[ThresholdOverride, ...]) -> Mapping[str, ThresholdInForce]:
    """Every threshold in force, by id: the rules' own, those of significance, and the site's where it sets another."""
    of_site = {o.threshold: o for o in overrides}
    declared = [(rule.id, t) for rule in _rules() for t in rule.thresholds] + [(SIGNIFICANT_IO, t) for t in FLOORS]
    return {t.id: _in_force(rule, t, of_site.get(t.id)) for rule, t in declared}


def _in_force(rule: str, t: Threshold, site: ThresholdOverride | None) -> ThresholdInForce:
    return ThresholdInForce(
        t.id,
        rule,
        t.title,
        t.unit,
        t.default if site is None else site.value,
        t.default,
        t.stated_by if site is None else Statement(site.source.document, site.source.section, site.why),
        t.minimum,
        t.maximum,
        t.scale,
        None if site is None else f"{site.why} ({site.source.document}, {site.source.section})",
    )


def _findings(rule: Rule, job: _Asked, groups: Sequence[_Asked], thresholds: Thresholds) -> list[Finding | RuledOut]:
    if rule.scope == "job":
        return [_finding(rule, job, job.applies(rule, thresholds), thresholds)]
    if not groups:
        return [_ruled_out(rule, THE_JOB, "not_applicable", NO_FILES)]
    first, *others = groups
    of_first = first.applies(rule, thresholds)
    of_others = ((group, group.applies(rule, thresholds)) for group in others)
    found = (
        _finding(rule, group, requires, thresholds)
        for group, requires in chain([(first, of_first)], of_others)
        if requires.now is not False
    )
    judged = islice((f for f in found if f.verdict != "not_applicable"), MOST_GROUPS_JUDGED)
    return list(judged) or [_finding(rule, first, of_first, thresholds)]


def _finding(rule: Rule, asked: _Asked, requires: _Answered, thresholds: Thresholds) -> Finding | RuledOut:
    metrics = asked.metrics
    if requires.can_be == _NEVER:
        return _ruled_out(rule, asked.scope, "not_applicable", _figures(rule.requires, metrics, thresholds))
    condition = asked.holds(rule, thresholds)
    if condition.can_be == _NEVER:
        return _never_holding(rule, asked, requires, thresholds)
    read = (metric for id in _metrics_read(rule.id) if (metric := metrics.get(id)) is not None)
    seen = [metric for metric in read if metric.value is not None]
    inferred = rule.confidence == "inferred" or any(metric.confidence == "inferred" for metric in seen)
    now = verdict(requires.now, condition.now)
    says, error = None, None
    if True in requires.can_be and True in condition.can_be and seen:
        says, error = _words(rule, asked)
    failed = error is not None and now in ("triggered", "clear")
    return Finding(
        rule=rule.id,
        title=rule.title,
        clear_title=rule.clear_title,
        scope=asked.scope,
        verdict="error" if failed else now,
        severity="info",
        confidence="inferred" if inferred else "measured",
        explained_by=None,
        priority=rule.priority,
        weighed=rule.weighed,
        says=says,
        advice=(),
        error=error if failed else None,
    )


def _answered(condition: Condition, metrics: Metrics, thresholds: Thresholds) -> _Answered:
    found = can_be(condition, metrics, thresholds)
    return _Answered(found, answer(condition, metrics, thresholds) if len(found) > 1 else next(iter(found)))


@cache
def _metrics_read(rule_id: str) -> tuple[str, ...]:
    """By the condition of the rule."""
    return tuple(sorted(metrics_of(all_rules()[rule_id].condition)))


def _never_holding(rule: Rule, asked: _Asked, requires: _Answered, thresholds: Thresholds) -> RuledOut:
    """Of a rule whose condition holds under no thresholds: then nobody asks under which it applies."""
    metrics = asked.metrics
    if all((metric := metrics.get(id)) is None or metric.value is None for id in _metrics_read(rule.id)):
        return _ruled_out(rule, asked.scope, "not_applicable", NOTHING_SEEN)
    applies = requires.now is not False
    why = _figures(rule.condition, metrics, thresholds)
    return _ruled_out(rule, asked.scope, "clear" if applies else "not_applicable", why)


def _ruled_out(rule: Rule, scope: FindingScope, verdict: Literal["not_applicable", "clear"], reason: str) -> RuledOut:
    title = rule.clear_title if verdict == "clear" else rule.title
    return RuledOut(rule.id, title, scope, verdict, rule.weighed, rule.priority, reason)


def _figures(condition: Condition, metrics: Mapping[str, Metric], thresholds: Thresholds) -> str:
    """The figures for which a condition does not hold, the first of them: what it asks for, and what there is."""
    leaves = islice(ruled_out_by(condition, metrics, thresholds), MOST_FIGURES)
    return "; ".join(dict.fromkeys(_asked_and_there(leaf, thresholds) for leaf in leaves))


def _asked_and_there(node: AnsweredLeaf, thresholds: Thresholds) -> str:
    leaf, metric = node.leaf, node.metric
    title = leaf.metric if metric is None else metric.title
    if metric is None or metric.value is None:
        return f"{title} is not known" if metric is None or metric.reason is None else f"{title}: {metric.reason}"
    here = quantity(metric.value, metric.unit)
    match leaf:
        case IsOneOf():
            return f"{title}: {here}; the rule is about {' or '.join(leaf.words)}"
        case Compare():
            threshold = thresholds[leaf.threshold]
            return f"{title}: {here}, threshold {SIGNS[leaf.operator]} {exactly(threshold.value, threshold.unit)}"
        case _:
            return f"{title}: {here}"


def _words(rule: Rule, asked: _Asked) -> tuple[Said | None, str | None]:
    """What the rule says of the scope. A rule that fails costs its own finding, never the case."""
    context = asked.context
    try:
        words = rule.says(context)
        advice = withheld_last(fitted(rule.advise(context), asked.case.own))
        provable = rule.weighed and not rule.leads and any(a.command is not None for a in advice)
        trial = trial_of(rule.id, advice, context.file, asked.case.metrics) if provable else None
        return Said(words.headline, words.summary, advice, rule.impact(context), trial=trial), None
    except Exception as failure:
        return None, f"the rule failed: {type(failure).__name__}: {failure}"


def _api(group: Group | None) -> Api | None:
    """The library through which the group's largest file was used in parallel, or the calls where there was none."""
    if group is None:
        return None
    layers = set(group.largest.layers)
    if "MPI-IO" in layers:
        mine = [rows for rows in group.selection.logs if rows.source == group.largest.source]
        for module, api in LIBRARIES.items():
            tables = [t for rows in mine if (t := rows.table(module)) is not None]
            if any(group.largest.record in t.ids.tolist() for t in tables):
                return api
        return "MPI-IO"
    return "POSIX" if "POSIX" in layers else "STDIO" if "STDIO" in layers else None


@frozen_identity
class LookedAt:
    """What it takes to judge a group of files again under other thresholds: the metrics that rules looked at, or would,
    and the savings of those that some threshold would have triggered, by rule."""

    metrics: Mapping[str, Metric]
    impacts: Mapping[str, Impact]


def looked_at_in_groups(answers: Answers) -> Mapping[str, LookedAt]:
    """By the group's id, those too that no rule has a finding on. Of the job every rule has its finding, which has the
    saving too."""
    return {asked.scope.id: _looked_at(asked) for asked in answers.groups}


def _looked_at(asked: _Asked) -> LookedAt:
    thresholds = _thresholds(asked.case.site.thresholds)
    metrics, impacts = asked.metrics, dict[str, Impact]()
    for rule in _rules():
        if rule.scope != asked.scope.kind or asked.applies(rule, thresholds).can_be == _NEVER:
            continue
        can_hold = True in asked.holds(rule, thresholds).can_be
        for id in looked_at_by(rule.id) if can_hold else _metrics_read(rule.id):
            metrics.get(id)
        impact = _impact(rule, asked) if can_hold else None
        if impact is not None:
            impacts[rule.id] = impact
    found = metrics.asked_for if isinstance(metrics, MetricsInGroup) else metrics
    return LookedAt({id: metric for id, metric in found.items() if id in _looked_at_by_rules()}, impacts)


@cache
def _looked_at_by_rules() -> frozenset[str]:
    return frozenset[str]().union(*(looked_at_by(rule.id) for rule in _rules()))


def _impact(rule: Rule, asked: _Asked) -> Impact | None:
    """None too of a rule that fails: that costs its own finding, never the case."""
    try:
        return rule.impact(asked.context)
    except Exception:
        return None
