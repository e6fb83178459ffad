"""Evaluates every rule on the job, or on each of its larger groups of files.

The result holds, for each finding, what its conditions answer under the thresholds in force and under any others, and
the text that it would show. Verdicts, severities and the order of the findings are decided from that
(`iotriage.analysis.decision.order`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import cache, cached_property, partial
from typing import Literal

from iotriage.analysis.decision.condition import Answer, Metrics, Thresholds, answer, can_be, ruled_out_by, verdict
from iotriage.analysis.decision.contradictions import with_settings
from iotriage.analysis.decision.significance import FLOORS, SIGNIFICANCE, SIGNIFICANT_IO
from iotriage.analysis.document import DocumentRule, Finding, FindingScope, RuledOut, Said, ThresholdInForce
from iotriage.analysis.document.next_run import LaunchLine
from iotriage.analysis.file_system_of import kind_of_file
from iotriage.analysis.fitting import fit_advice, is_about
from iotriage.analysis.job_settings import JobSettings, with_the_program_of
from iotriage.analysis.run_sets.next_run import trials_of
from iotriage.metrics.core.metric import Metric, UncountedMetric
from iotriage.metrics.core.registry import MetricsInGroup
from iotriage.metrics.tables.files.uses import FileUse
from iotriage.metrics.tables.gaps import Gaps
from iotriage.metrics.tables.grouping import Group
from iotriage.metrics.tables.mounts import mount_above
from iotriage.rules import all_rules
from iotriage.rules.core.advice import withheld_last
from iotriage.rules.core.claim import metrics_of_claim
from iotriage.rules.core.condition import SIGNS, Compare, Condition, IsOneOf, Leaf, metrics_of, thresholds_of
from iotriage.rules.core.rule import Context, Impact, Rule, Statement, Threshold
from iotriage.rules.core.saving import NOBODY_MAY_WAIT, may_be_servers
from iotriage.rules.core.words import exact_quantity, paragraph, quantity
from iotriage.sites.site import FileSystemKind, Site, ThresholdOverride
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

SIGNIFICANCE_COMPARES_WITH = thresholds_of(SIGNIFICANCE)


@frozen_identity
class RuleInputs:
    """What the rules are evaluated on: the metrics of the job and of each group of files, what the evidence lacks, the
    site's profile, the mounts, what the job itself sets (`own`), whether it ran `several_programs`, and the line that
    starts it."""

    metrics: Mapping[str, Metric]
    of_groups: Mapping[str, Mapping[str, Metric]]
    groups: Sequence[Group]
    gaps: Gaps
    site: Site
    mounts: tuple[Mount, ...]
    own: JobSettings
    several_programs: bool
    launch: LaunchLine


@frozen_identity
class _RuleScope:
    """A scope that rules are evaluated on: the job, where `group` is its largest, or one of its groups of files. It
    caches by the rule's id whether the rule applies and holds."""

    case: RuleInputs
    scope: FindingScope
    metrics: Mapping[str, Metric]
    group: Group | None
    files: int | None = None
    applying: dict[str, _ConditionResult] = field(default_factory=dict, init=False)
    holding: dict[str, _ConditionResult] = field(default_factory=dict, init=False)

    def applies(self, rule: Rule, thresholds: Thresholds) -> _ConditionResult:
        found = self.applying.get(rule.id)
        if found is None:
            found = self.applying[rule.id] = _condition_result(rule.requires, self.metrics, thresholds)
        return found

    def holds(self, rule: Rule, thresholds: Thresholds) -> _ConditionResult:
        found = self.holding.get(rule.id)
        if found is None:
            found = self.holding[rule.id] = _condition_result(rule.condition, self.metrics, thresholds)
        return found

    @classmethod
    def job(cls, case: RuleInputs) -> _RuleScope:
        return cls(case, THE_JOB, case.metrics, case.groups[0] if case.groups else None)

    @classmethod
    def of_group(cls, group: Group, case: RuleInputs) -> _RuleScope:
        metrics = MetricsInGroup(case.of_groups[group.id], case.metrics)
        return cls(case, FindingScope("group", group.id, group.label), metrics, group, group.number)

    @cached_property
    def own(self) -> JobSettings:
        """What the job sets, and of a group of files the program that moves these."""
        own = self.case.own
        if self.group is None or self.scope.kind != "group" or not self.case.several_programs:
            return own
        return with_the_program_of(self.group.selection, own)

    @cached_property
    def context(self) -> Context:
        case, largest = self.case, None if self.group is None else self.group.largest
        return Context(
            metrics=self.metrics,
            site=case.site,
            label=self.scope.label,
            answers=_answering(case.site.thresholds),
            file=None if largest is None else largest.path,
            files=self.files,
            ending=None if self.group is None else self.group.ending,
            api=_api(self.group),
            file_system="unknown" if largest is None else _kind(largest, case),
            gaps=case.gaps,
            scheduler=case.own.scheduler,
            mount=None if largest is None else _mount(largest, case),
            program=self.own.program,
        )


def _mount(use: FileUse, case: RuleInputs) -> str | None:
    above = mount_above(use.path, case.mounts)
    return None if above is None else above.path


def _kind(use: FileUse, case: RuleInputs) -> FileSystemKind:
    return kind_of_file(use, case.site, case.mounts)


@frozen
class _ConditionResult:
    """What a condition answers: `now` under the thresholds in force; `can_be` has all answers that thresholds within
    their ranges can give."""

    can_be: frozenset[Answer]
    now: Answer


_SURE = {frozenset((one,)): _ConditionResult(frozenset((one,)), one) for one in (True, None, False)}
"""Answers of conditions that no threshold can change; most conditions are such."""


@frozen
class Evaluation:
    """The findings, not yet ordered nor explained by one another; the rules of those that some threshold can change,
    the thresholds that these compare with, and the `groups` that rules were evaluated on."""

    findings: tuple[Finding | RuledOut, ...]
    rules: dict[str, DocumentRule]
    thresholds: dict[str, ThresholdInForce]
    groups: tuple[_RuleScope, ...]


def evaluate_rules(case: RuleInputs) -> Evaluation:
    """One finding of a rule about the job; of a rule about groups one for each of the larger groups that it applies to,
    or, where it applies to none, one for the largest group."""
    thresholds = thresholds_in_force(case.site.thresholds)
    job, groups = _RuleScope.job(case), [_RuleScope.of_group(group, case) for group in case.groups]
    found: list[Finding | RuledOut] = []
    for rule in _rules():
        found += _findings(rule, job, groups, thresholds)
    changing = [f for f in found if isinstance(f, Finding)]
    ruled_out = [f for f in found if isinstance(f, RuledOut)]
    changeable = {f.rule for f in changing}
    rules = {rule.id: _rule_in_document(rule.id, case.own) for rule in _rules() if rule.id in changeable}
    used = SIGNIFICANCE_COMPARES_WITH.union(*map(_compared_with, rules))
    in_force = {id: threshold for id, threshold in thresholds.items() if id in used}
    return Evaluation((*with_settings(changing), *ruled_out), rules, in_force, tuple(groups))


def _rule_in_document(rule_id: str, own: JobSettings) -> DocumentRule:
    """The rule as the document has it, without citations of manuals of other MPI libraries than the job's."""
    rule = all_rules()[rule_id]
    return DocumentRule(
        rule.severity,
        rule.leads,
        rule.explains,
        rule.requires,
        rule.condition,
        rule.supports,
        tuple(one for one in rule.citations if is_about(one, own)),
        rule.claims,
    )


@cache
def _compared_with(rule_id: str) -> frozenset[str]:
    """The thresholds that the rule's conditions compare with."""
    return frozenset[str]().union(*(thresholds_of(condition) for condition in all_rules()[rule_id].conditions))


@cache
def metrics_used_by(rule_id: str) -> frozenset[str]:
    """The ids of the metrics that the rule's conditions and claims read."""
    rule = all_rules()[rule_id]
    return frozenset[str]().union(*map(metrics_of, rule.conditions), *map(metrics_of_claim, rule.claims))


@cache
def _rules() -> tuple[Rule, ...]:
    """The rules that decide on one case: those about run sets do not."""
    return tuple(rule for rule in all_rules().values() if rule.scope != "run-set")


@cache
def thresholds_in_force(overrides: tuple[ThresholdOverride, ...]) -> Mapping[str, ThresholdInForce]:
    """Every threshold in force, by id: the rules' own, those of significance, and the site's where it sets another."""
    of_site = {o.threshold: o for o in overrides}
    declared = [(rule.id, t) for rule in _rules() for t in rule.thresholds] + [(SIGNIFICANT_IO, t) for t in FLOORS]
    return {t.id: _in_force(rule, t, of_site.get(t.id)) for rule, t in declared}


@cache
def _answering(overrides: tuple[ThresholdOverride, ...]) -> Callable[[Condition, Metrics], Answer]:
    return partial(answer, thresholds=thresholds_in_force(overrides))


def _in_force(rule: str, t: Threshold, site: ThresholdOverride | None) -> ThresholdInForce:
    return ThresholdInForce(
        t.id,
        rule,
        t.title,
        t.unit,
        t.default if site is None else site.value,
        t.default,
        t.stated_by if site is None else Statement(site.source.document, site.source.place, site.why),
        t.minimum,
        t.maximum,
        t.scale,
        None if site is None else f"{site.why} ({site.source.document}, {site.source.place})",
    )


def _findings(
    rule: Rule, job: _RuleScope, groups: Sequence[_RuleScope], thresholds: Thresholds
) -> list[Finding | RuledOut]:
    if rule.scope == "job":
        return [_finding(rule, job, job.applies(rule, thresholds), thresholds)]
    if not groups:
        return [_ruled_out(rule, THE_JOB, "not_applicable", NO_FILES)]
    judged: list[Finding | RuledOut] = []
    for group in groups:
        # Most groups beside the largest are too light for any rule: that costs less to know than what else it requires.
        if len(groups) > 1 and answer(rule.worth, group.metrics, thresholds) is False:
            continue
        requires = group.applies(rule, thresholds)
        finding = None if requires.now is False else _finding(rule, group, requires, thresholds)
        if finding is not None and finding.verdict != "not_applicable":
            judged.append(finding)
            if len(judged) == MOST_GROUPS_JUDGED:
                break
    return judged or [_finding(rule, groups[0], groups[0].applies(rule, thresholds), thresholds)]


def _finding(
    rule: Rule, rule_scope: _RuleScope, requires: _ConditionResult, thresholds: Thresholds
) -> Finding | RuledOut:
    metrics = rule_scope.metrics
    if requires.can_be == _NEVER:
        leaves = ruled_out_by(rule.requires, metrics, thresholds)
        return _ruled_out(rule, rule_scope.scope, "not_applicable", _figures(leaves, metrics, thresholds))
    condition = rule_scope.holds(rule, thresholds)
    if condition.can_be == _NEVER:
        return _never_holding(rule, rule_scope, requires, thresholds)
    if condition.now is False:
        lacking = _uncounted(ruled_out_by(rule.condition, metrics, thresholds), metrics)
        if lacking:
            every = dict.fromkeys(_required_and_actual(leaf, metrics.get(leaf.metric), thresholds) for leaf in lacking)
            return _ruled_out(rule, rule_scope.scope, "not_applicable", "; ".join([*every][:MOST_FIGURES]))
    read = (metric for id in _metrics_read(rule.id) if (metric := metrics.get(id)) is not None)
    seen = [metric for metric in read if metric.value is not None]
    inferred = rule.confidence == "inferred" or any(metric.confidence == "inferred" for metric in seen)
    now = verdict(requires.now, condition.now)
    says, error = None, None
    if True in requires.can_be and True in condition.can_be and seen:
        says, error = _words(rule, rule_scope)
    failed = error is not None and now in ("triggered", "clear")
    return Finding(
        rule=rule.id,
        title=rule.title,
        clear_title=rule.clear_title,
        scope=rule_scope.scope,
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


def _condition_result(condition: Condition, metrics: Metrics, thresholds: Thresholds) -> _ConditionResult:
    found = can_be(condition, metrics, thresholds)
    return _SURE.get(found) or _ConditionResult(found, answer(condition, metrics, thresholds))


@cache
def _metrics_read(rule_id: str) -> tuple[str, ...]:
    """The metrics that the condition of the rule reads."""
    return tuple(sorted(metrics_of(all_rules()[rule_id].condition)))


def _never_holding(rule: Rule, rule_scope: _RuleScope, requires: _ConditionResult, thresholds: Thresholds) -> RuledOut:
    """The finding of a rule whose condition holds under no thresholds. Under which thresholds the rule would apply is
    then not worked out."""
    metrics = rule_scope.metrics
    if all((metric := metrics.get(id)) is None or metric.value is None for id in _metrics_read(rule.id)):
        return _ruled_out(rule, rule_scope.scope, "not_applicable", NOTHING_SEEN)
    leaves = ruled_out_by(rule.condition, metrics, thresholds)
    applies = requires.now is not False and not _uncounted(leaves, metrics)
    why = _figures(leaves, metrics, thresholds)
    return _ruled_out(rule, rule_scope.scope, "clear" if applies else "not_applicable", why)


def _uncounted(leaves: Sequence[Leaf], metrics: Metrics) -> list[Leaf]:
    """Comparisons that do not hold and whose figures lack counters in some records: an uncounted quantity does not show
    that all is in order."""
    return [leaf for leaf in leaves if isinstance(metrics.get(leaf.metric), UncountedMetric)]


def _ruled_out(rule: Rule, scope: FindingScope, verdict: Literal["not_applicable", "clear"], reason: str) -> RuledOut:
    title = rule.clear_title if verdict == "clear" else rule.title
    return RuledOut(rule.id, title, scope, verdict, rule.weighed, rule.priority, reason)


def _figures(leaves: Sequence[Leaf], metrics: Metrics, thresholds: Thresholds) -> str:
    """For a condition that does not hold: the first comparisons that fail, with the number required and the number
    found."""
    if len(leaves) == 1:
        return _required_and_actual(leaves[0], metrics.get(leaves[0].metric), thresholds)
    figures = [_required_and_actual(leaf, metrics.get(leaf.metric), thresholds) for leaf in leaves[:MOST_FIGURES]]
    return "; ".join(dict.fromkeys(figures))


def _required_and_actual(leaf: Leaf, metric: Metric | None, thresholds: Thresholds) -> str:
    title = leaf.metric if metric is None else metric.title
    if metric is None or metric.value is None:
        return f"{title} is not known" if metric is None or metric.reason is None else f"{title}: {metric.reason}"
    here = quantity(metric.value, metric.unit)
    match leaf:
        case IsOneOf():
            # That a rule holds, too, where nobody knows is no news to who is told what is known.
            asked = [word for word in leaf.words if word != "unknown"] or ["others"]
            return f"{title}: {here}; the rule is about {' or '.join(asked)}"
        case Compare():
            threshold = thresholds[leaf.threshold]
            return (
                f"{title}: {here}, threshold {SIGNS[leaf.operator]} {exact_quantity(threshold.value, threshold.unit)}"
            )
        case _:
            return f"{title}: {here}"


def _words(rule: Rule, rule_scope: _RuleScope) -> tuple[Said | None, str | None]:
    """What the rule says about the scope. A rule that fails costs its own finding, never the case."""
    context = rule_scope.context
    try:
        words = rule.says(context)
        advice = withheld_last(fit_advice(rule.advise(context), rule_scope.own, context, rule.id))
        provable = rule.weighed and not rule.leads and any(a.command is not None for a in advice)
        case = rule_scope.case
        trials = tuple(trials_of(rule.id, advice, context.file, case.metrics, case.launch)) if provable else ()
        impact = rule.impact(context)
        if impact is None or not may_be_servers(context):
            return Said(words.headline, words.summary, advice, impact, trials=trials), None
        summary = paragraph(words.summary, NOBODY_MAY_WAIT)
        return Said(words.headline, summary, advice, None, trials=trials), None
    except Exception as failure:
        return None, f"the rule failed: {type(failure).__name__}: {failure}"


def _api(group: Group | None) -> Api | None:
    """The library through which several ranks used the group's largest file; where there was none, the layer of its
    calls."""
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
class UsedMetrics:
    """What it takes to evaluate the rules on a group of files again under other thresholds: the metrics that they read,
    or would, and by rule the saving of each that some threshold would have triggered."""

    metrics: Mapping[str, Metric]
    impacts: Mapping[str, Impact]


def metrics_used_in_groups(answers: Evaluation) -> Mapping[str, UsedMetrics]:
    """By the group's id, those too that no rule has a finding on. Of the job every rule has its finding, which has the
    saving too."""
    return {rule_scope.scope.id: _metrics_used(rule_scope) for rule_scope in answers.groups}


def _metrics_used(rule_scope: _RuleScope) -> UsedMetrics:
    thresholds = thresholds_in_force(rule_scope.case.site.thresholds)
    metrics, impacts = rule_scope.metrics, dict[str, Impact]()
    for rule in _rules():
        if rule.scope != rule_scope.scope.kind or rule_scope.applies(rule, thresholds).can_be == _NEVER:
            continue
        can_hold = True in rule_scope.holds(rule, thresholds).can_be
        for id in metrics_used_by(rule.id) if can_hold else _metrics_read(rule.id):
            metrics.get(id)
        impact = _impact(rule, rule_scope) if can_hold else None
        if impact is not None:
            impacts[rule.id] = impact
    found = metrics.accessed if isinstance(metrics, MetricsInGroup) else metrics
    return UsedMetrics({id: metric for id, metric in found.items() if id in _metrics_used_by_rules()}, impacts)


@cache
def _metrics_used_by_rules() -> frozenset[str]:
    return frozenset[str]().union(*(metrics_used_by(rule.id) for rule in _rules()))


def _impact(rule: Rule, rule_scope: _RuleScope) -> Impact | None:
    """The saving; None also where the rule's function raises an error: that costs this finding its saving, and the case
    nothing."""
    try:
        return None if may_be_servers(rule_scope.context) else rule.impact(rule_scope.context)
    except Exception:
        return None
