"""From the sources of one job to its case document. Pure: no clock, no file, no network; the same sources and site
give the same document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from iotriage import __version__
from iotriage.analysis.agreement import agreements
from iotriage.analysis.charts.activity import activity_of
from iotriage.analysis.charts.mpi_times import mpi_times
from iotriage.analysis.charts.of_case import charts
from iotriage.analysis.cited import cited_documents
from iotriage.analysis.condition import evaluate, leaves, verdict
from iotriage.analysis.contradictions import with_stripings
from iotriage.analysis.copies import without_copies
from iotriage.analysis.document import (
    DOCUMENT_VERSION,
    CaseDocument,
    FileGroup,
    FileRow,
    Finding,
    FindingScope,
    MadeBy,
    Settle,
    SourceReport,
    TextPart,
    ThresholdInForce,
    Told,
    WouldSay,
)
from iotriage.analysis.expectation import expectations, with_documented
from iotriage.analysis.facts import facts_of
from iotriage.analysis.headline import headline_of
from iotriage.analysis.inputs import GivenSource, OpenedSource, opened
from iotriage.analysis.order import settle, spoken
from iotriage.analysis.run_sets.next_run import next_run_of
from iotriage.analysis.significance import FLOORS, MATTERS, WEIGHING
from iotriage.analysis.site_used import site_used
from iotriage.metrics import all_metrics, compute_all
from iotriage.metrics.file_uses import FileUse, file_uses
from iotriage.metrics.grouping import Group, group_files, leading_pattern
from iotriage.metrics.metric import Confidence, Metric
from iotriage.metrics.selection import Selection, whole_job
from iotriage.metrics.settle import EVIDENCE
from iotriage.rules import all_rules
from iotriage.rules.core.conditions import metrics_of
from iotriage.rules.core.rule import AllOf, AnyOf, Context, Present, Rule, Source, Threshold, withheld_last
from iotriage.sites import all_sites, file_system_kind
from iotriage.sites.site import Site
from iotriage_parsers.detect import describe, title_of
from iotriage_parsers.evidence import DarshanLog, DarshanSummary, Evidence, Failure, Mount, Problem

MOST_GROUPS = 40
MOST_FILES = 1000
MOST_GROUPS_JUDGED = 8
MOST_LOCATORS = 16
MOST_TOLD = 400

Api = Literal["HDF5", "PnetCDF", "MPI-IO", "POSIX", "STDIO"]
LIBRARIES: Mapping[str, Api] = {"H5F": "HDF5", "PNETCDF_FILE": "PnetCDF"}
"""Darshan's modules whose records are files, by the id of the file's records in the layers below."""


@dataclass(frozen=True, eq=False)
class _Case:
    """What every finding of one case is made from."""

    job: Selection
    metrics: Mapping[str, Metric]
    thresholds: Mapping[str, ThresholdInForce]
    site: Site
    mounts: tuple[Mount, ...]

    @property
    def values(self) -> dict[str, float]:
        return {t.id: t.value for t in self.thresholds.values()}


def diagnose(given: Sequence[GivenSource], site: str | None = None) -> CaseDocument:
    """The case document of what was given, in its order, each file of an archive a source of its own. `site` is the id
    of a profile; None detects it from mounts and paths. KeyError for an unknown site. A source that failed is reported
    in the document and changes nothing else, and so is one that was given before."""
    sources = opened(given)
    evidence = [(i, s.outcome) for i, s in enumerate(sources) if isinstance(s.outcome, Evidence) and s.same_as is None]
    parts, copy_of = without_copies([(i, part) for i, e in evidence for part in e.parts])
    losses = tuple(frozenset(p.code for p in e.problems if p.loses_data) for _, e in evidence if e.status == "partial")
    darshan = [part for _, part in parts if isinstance(part, DarshanLog | DarshanSummary)]
    mounts = tuple(dict.fromkeys(m for part in darshan for m in part.job.mounts))

    first = whole_job(parts)
    uses = file_uses(first)
    used = site_used(site, mounts, uses, first)
    profile = all_sites()[used.id]
    osts = _osts(profile, uses)
    first = replace(first, losses=losses, site_osts=osts, site=used.id)
    found, group_of = group_files(first, uses, MOST_GROUPS)
    groups = with_documented(found, profile)
    pattern = leading_pattern(groups)
    job = replace(first, pattern=pattern, files=len(uses))
    case = _Case(job, compute_all(job), _thresholds(profile), profile, mounts)
    of_groups = {g.id: compute_all(g.selection) for g in groups}
    findings = settle(with_stripings([f for rule in _rules() for f in _findings(rule, case, groups, of_groups)]))
    reports = tuple(_report(s, _copied(sources, s, copy_of.get(i))) for i, s in enumerate(sources))
    expected = expectations(profile, groups, of_groups, job)
    told = [Told(i, part) for i, part in parts if isinstance(part, TextPart)]
    facts = facts_of(parts, case.metrics)
    return CaseDocument(
        version=DOCUMENT_VERSION,
        made_by=MadeBy(__version__, profile.version),
        job=facts,
        site=used,
        headline=headline_of(findings, reports, case.metrics),
        sources=reports,
        metrics=dict(case.metrics),
        groups=tuple(FileGroup(g.id, g.label, len(g.files), g.largest.path, of_groups[g.id]) for g in groups),
        files=tuple(_row(u, group_of[u.path], groups) for u in uses[:MOST_FILES]),
        files_total=len(uses),
        findings=findings,
        thresholds=tuple(case.thresholds.values()),
        documents=cited_documents(findings, case.thresholds.values(), expected, profile),
        charts=replace(charts(job, uses), activity=activity_of(evidence, groups)),
        agreement=agreements(job),
        told=tuple(told[:MOST_TOLD]),
        told_total=len(told),
        expectation=expected,
        next_run=next_run_of(findings, facts, told, case.metrics),
        mpi=mpi_times(job),
    )


def _osts(site: Site, uses: Sequence[FileUse]) -> int | None:
    """OSTs of the file system that the largest file is on, as the site's profile has it."""
    found = site.file_system_of(uses[0].path) if uses else None
    return found.osts if found is not None else None


def _rules() -> list[Rule]:
    """The rules that decide on one case: those about run sets do not."""
    return [rule for rule in all_rules().values() if rule.scope != "run-set"]


def _thresholds(site: Site) -> dict[str, ThresholdInForce]:
    """Every threshold in force, by id: the rules' own, the weighing's, and the site's where it sets another."""
    overrides = {o.threshold: o for o in site.thresholds}
    found = {}

    def add(rule: str, t: Threshold) -> None:
        other = overrides.get(t.id)
        found[t.id] = ThresholdInForce(
            t.id,
            rule,
            t.title,
            t.unit,
            other.value if other else t.default,
            t.default,
            Source(other.source.document, other.source.section, other.why) if other else t.source,
            t.minimum,
            t.maximum,
            t.scale,
            f"{other.why} ({other.source.document}, {other.source.section})" if other else None,
        )

    for rule in _rules():
        for threshold in rule.thresholds:
            add(rule.id, threshold)
    for threshold in FLOORS:
        add(WEIGHING, threshold)
    return found


def _findings(
    rule: Rule, case: _Case, groups: Sequence[Group], of_groups: Mapping[str, Mapping[str, Metric]]
) -> list[Finding]:
    """One finding of a job rule; of a group rule one for each of the larger groups that it applies to, or, where it
    applies to none, one for the largest group."""
    if rule.scope == "job":
        largest = groups[0] if groups else None
        return [_finding(rule, case, case.metrics, FindingScope("job", "job", "the job", _path(largest)), largest)]
    found = []
    for group in groups[:MOST_GROUPS]:
        metrics = {**case.metrics, **of_groups[group.id]}
        scope = FindingScope("group", group.id, group.label, group.largest.path, len(group.files))
        finding = _finding(rule, case, metrics, scope, group)
        found.append(finding)
    if not found:
        no_files = replace(rule, requires=AllOf((Present("group.weight"), rule.requires)))
        return [_finding(no_files, case, case.metrics, FindingScope("job", "job", "the job"), None)]
    applying = [f for f in found if f.verdict != "not_applicable"]
    return (applying or found[:1])[:MOST_GROUPS_JUDGED]


def _path(group: Group | None) -> str | None:
    return None if group is None else group.largest.path


def _finding(
    rule: Rule, case: _Case, metrics: Mapping[str, Metric], scope: FindingScope, group: Group | None
) -> Finding:
    specs = all_metrics()
    requires = evaluate(rule.requires, metrics, case.thresholds, specs)
    condition = evaluate(rule.condition, metrics, case.thresholds, specs)
    supports = tuple(evaluate(s, metrics, case.thresholds, specs) for s in rule.supports)
    matters = evaluate(MATTERS, case.metrics, case.thresholds, specs) if rule.weighed else None
    answered = verdict(requires.answer, condition.answer)
    read = [metrics[leaf.metric] for leaf in leaves(condition) if leaf.metric in metrics]
    if answered == "clear" and all(m.value is None for m in read):
        return _finding(_where_it_can_be_seen(rule), case, metrics, scope, group)
    says, error = None, None
    if answered in ("triggered", "clear") and any(m.value is not None for m in read):
        says, error = _words(rule, case, metrics, scope, group)
    inferred = rule.confidence == "inferred" or any(m.confidence == "inferred" for m in read if m.value is not None)
    confidence: Confidence = "inferred" if inferred else "measured"
    where = tuple(dict.fromkeys(w for m in read for w in m.where))
    unsettled = [*leaves(requires), *leaves(condition)] if answered == "unknown" else []
    finding = Finding(
        rule=rule.id,
        title=rule.title,
        verdict="error" if error else answered,
        severity="info",
        confidence=confidence,
        scope=scope,
        condition=condition,
        impact=None,
        headline=None,
        summary=None,
        advice=(),
        citations=rule.citations,
        locators=where[:MOST_LOCATORS],
        explained_by=None,
        requires=requires,
        supports=supports,
        matters=matters,
        base_severity=rule.severity,
        explains=rule.explains,
        priority=rule.priority,
        leads=rule.leads,
        clear_title=rule.clear_title,
        settle=_settle(m for leaf in unsettled if leaf.answer is None and (m := metrics.get(leaf.metric))),
        would_say=says,
        error=error,
    )
    return spoken(finding)


def _where_it_can_be_seen(rule: Rule) -> Rule:
    """The rule for evidence with a figure that its condition looks at: without any, nothing was looked at, and the rule
    does not apply."""
    seen = AnyOf(tuple(Present(metric) for metric in sorted(metrics_of(rule.condition))))
    return replace(rule, requires=AllOf((seen, rule.requires)))


def _words(
    rule: Rule, case: _Case, metrics: Mapping[str, Metric], scope: FindingScope, group: Group | None
) -> tuple[WouldSay | None, str | None]:
    """What the rule says of the scope. A rule that fails costs its own finding, never the case."""
    path = scope.file
    context = Context(
        metrics=metrics,
        thresholds=case.values,
        site=case.site,
        label=scope.label,
        file=path,
        files=scope.files,
        api=_api(group),
        file_system=file_system_kind(case.site, case.mounts, path) if path is not None else "unknown",
    )
    try:
        words = rule.says(context)
        advice = withheld_last(rule.advise(context))
        return WouldSay(words.headline, words.summary, advice, rule.impact(context)), None
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


def _settle(absent: Iterable[Metric]) -> tuple[Settle, ...]:
    keys = dict.fromkeys(k for m in absent for k in m.settled_by)
    return tuple(Settle(k, EVIDENCE[k].text, EVIDENCE[k].lines) for k in keys)


def _copied(sources: Sequence[OpenedSource], source: OpenedSource, run_of: int | None) -> tuple[Problem, ...]:
    """Says of a source that it adds nothing: it is an earlier one again, or another form of the same run."""
    original = source.same_as if source.same_as is not None else run_of
    if original is None:
        return ()
    what = "run" if source.same_as is None else "file"
    name = sources[original].name
    return (Problem("duplicate-block", f"this is the same {what} as {name}: its figures are not counted again."),)


def _report(source: OpenedSource, copied: tuple[Problem, ...]) -> SourceReport:
    outcome = source.outcome
    read = outcome if isinstance(outcome, Evidence) else None
    failure = outcome if isinstance(outcome, Failure) else None
    return SourceReport(
        name=source.name,
        sha256=source.sha256,
        size_bytes=source.size_bytes,
        kind=read.reader if read else None,
        status=read.status if read else "failed",
        title=title_of(read.reader) if read else None,
        holds=describe(read) if read else (),
        warnings=(*read.problems, *copied) if read else (),
        failure=failure.message if failure else None,
        next_step=failure.next_step if failure else None,
        given=source.given,
        member=source.member,
    )


def _row(use: FileUse, group: str, groups: Sequence[Group]) -> FileRow:
    pattern = next((g.pattern for g in groups if g.id == group), None)
    return FileRow(
        path=use.path,
        group=group,
        pattern=pattern,
        layers=use.layers,
        bytes_read=use.bytes_read,
        bytes_written=use.bytes_written,
        size_bytes=use.size_bytes,
        ranks=use.opened_by,
        independent_calls=use.independent,
        collective_calls=use.collective,
        time_s=use.time_s,
        metadata_time_s=use.metadata_time_s,
        stripe_count=use.stripe_count,
        stripe_size_bytes=use.stripe_size_bytes,
        effective_ranks=use.effective_ranks,
    )
