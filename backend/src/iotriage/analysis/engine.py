"""Makes the case document from the sources of one job. It uses no clock, no file and no network: the same sources and
site give the same document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from iotriage.analysis.account import account_of
from iotriage.analysis.agreement import agreements
from iotriage.analysis.charts.activity import activity_of
from iotriage.analysis.charts.case_charts import build_charts
from iotriage.analysis.charts.mpi_times import mpi_times
from iotriage.analysis.charts.what_if import what_if
from iotriage.analysis.cited import cited_documents
from iotriage.analysis.csh import evidence_in_csh
from iotriage.analysis.decision.basis import DecisionBasis
from iotriage.analysis.decision.evidence_headlines import headlines_of_evidence
from iotriage.analysis.decision.headline import headline_of
from iotriage.analysis.decision.order import decide_findings
from iotriage.analysis.decision.significance import SIGNIFICANCE
from iotriage.analysis.decision.unexplained import unexplained_of
from iotriage.analysis.deduplication import Deduplicated, deduplicate
from iotriage.analysis.displayed_hint_mounts import displayed_mounts
from iotriage.analysis.document import (
    DOCUMENT_VERSION,
    CaseDocument,
    FileGroup,
    FileRow,
    Finding,
    Headline,
    JobFacts,
    JobGiven,
    MadeBy,
    MissingEvidence,
    RuledOut,
    SiteUsed,
    SourceReport,
    TextEvidence,
    TextPart,
)
from iotriage.analysis.document.account import Unexplained
from iotriage.analysis.document.metrics import Absence
from iotriage.analysis.evaluation import Evaluation, RuleInputs, evaluate_rules, metrics_used_by, thresholds_in_force
from iotriage.analysis.expected.expectation import expectations, with_documented
from iotriage.analysis.file_system_of import kind_of_file, kind_of_path
from iotriage.analysis.inputs import INSIDE, ReadSource, UnpackedSource, unpack_archives
from iotriage.analysis.investigations.choosing import investigations_of
from iotriage.analysis.investigations.moved import ThresholdsOfCase
from iotriage.analysis.job_facts import facts_of
from iotriage.analysis.job_settings import JobSettings, runs_several_programs, settings_of_job
from iotriage.analysis.jobs import OtherJobs, group_by_job, source_identity_of
from iotriage.analysis.longest_files import file_row, longest_files
from iotriage.analysis.packed_metrics import MetricInterner, pack_metrics
from iotriage.analysis.run_sets.launching import launch_line, proof_lines
from iotriage.analysis.run_sets.next_run import next_run_of
from iotriage.analysis.site_used import site_used
from iotriage.analysis.unstriped import without_stripes
from iotriage.metrics import compute_metrics, group_metrics
from iotriage.metrics.core.metric import Metric
from iotriage.metrics.core.missing_evidence import (
    DARSHAN,
    ENVIRONMENT,
    HINTS,
    STATS,
    TIMERS,
    MachineWords,
    evidence_of,
)
from iotriage.metrics.core.pattern import Pattern
from iotriage.metrics.core.selection import LostData, Selection, nameless
from iotriage.metrics.tables.files.names import stands_for_name
from iotriage.metrics.tables.files.uses import FileUse, file_uses, number_of
from iotriage.metrics.tables.gaps import gaps_of
from iotriage.metrics.tables.grouping import Group, Grouped, group_files, leading_pattern
from iotriage.metrics.tables.mounts import mount_above
from iotriage.metrics.tables.selecting import select_job
from iotriage.release import __version__
from iotriage.rules.core.commands import shell_word
from iotriage.rules.core.condition import metrics_of as metrics_in
from iotriage.sites import all_sites
from iotriage.sites.site import MAYBE_LUSTRE, Site
from iotriage_parsers.detect import PRINTED_OF_LOGS, describe, title_of
from iotriage_parsers.evidence import DarshanLog, DarshanSummary, Evidence, Failure, Mount, Part, Problem
from iotriage_parsers.frozen import frozen_identity

MOST_GROUPS = 40
MOST_FILES = 1000
MOST_LONGEST = 10
GROUPS_ARE_DRAWN_BY = frozenset({"io.bytes", "group.bytes_fraction"})
"""Metrics of a group that the page draws although no rule reads them."""
SIGNIFICANCE_IS_BY = metrics_in(SIGNIFICANCE)
MOST_TEXTS = 400


@frozen_identity
class _CaseContents:
    """What the job's sources hold: those that were read, each part that is shown and the job's selection of what
    counts, with the index of the source; the files, largest first, and the group of each by its path."""

    sources: Sequence[UnpackedSource]
    reports: tuple[SourceReport, ...]
    evidence: Sequence[tuple[int, Evidence]]
    shown: Sequence[tuple[int, Part]]
    job: Selection
    uses: Sequence[FileUse]
    grouped: Grouped


@frozen_identity
class Diagnosis:
    """What was decided about one job, and from what. `metrics_used` has the ids of the metrics that findings look at,
    by scope. The headline, the unexplained time and the case document are made when they are first asked for: for most
    of a centre's jobs nobody needs the document."""

    rule_inputs: RuleInputs
    facts: JobFacts
    site: SiteUsed
    findings: tuple[Finding | RuledOut, ...]
    basis: DecisionBasis
    evaluation: Evaluation
    metrics_used: Mapping[str, frozenset[str]]
    contents: _CaseContents

    @cached_property
    def headline(self) -> Headline:
        return headline_of(self.findings, self.basis, self.unexplained)

    @cached_property
    def unexplained(self) -> Unexplained | None:
        return unexplained_of(self.findings, self.basis)

    @cached_property
    def document(self) -> CaseDocument:
        return _document(self)


def diagnose(given: Sequence[ReadSource], site: str | None = None, default_site: str | None = None) -> CaseDocument:
    """The case document of the sources in `given`, in their order; each member of an archive is a source of its own.

    `site` is the id of a profile. None chooses the profile that the evidence names, and `default_site` where it names
    none. KeyError for an unknown site. A source that failed, or that was given before, is reported in the document and
    changes nothing else. All sources are taken to be of one job: those of other jobs are left out, and the document
    says so.
    """
    return diagnosis_of(given, site, default_site).document


def diagnosis_of(given: Sequence[ReadSource], site: str | None = None, default_site: str | None = None) -> Diagnosis:
    """The diagnosis of the sources, from which the document is made."""
    sources = unpack_archives(given)
    deduplicated = deduplicate(sources)
    here = _on_its_site(deduplicated, site, default_site)
    job, groups = here.job, here.groups
    metrics = compute_metrics(job)
    facts = facts_of(here.parts, metrics)
    rule_inputs = _rule_inputs(here, metrics, facts, _texts(deduplicated.shown))
    evaluation = evaluate_rules(rule_inputs)
    metrics_used = _metrics_used(evaluation)
    own = {
        id: _differing(of_group, metrics, metrics_used.get(id, GROUPS_ARE_DRAWN_BY))
        for id, of_group in rule_inputs.of_groups.items()
    }
    account = account_of(job, groups)
    may_hold = {f.rule for f in evaluation.findings if isinstance(f, Finding)}
    investigations = investigations_of(
        account,
        metrics,
        may_hold,
        ThresholdsOfCase(thresholds_in_force(rule_inputs.site.thresholds), evaluation.thresholds),
        of_csh=rule_inputs.own.of_csh,
    )
    others = deduplicated.others
    reports = tuple(_report(s, deduplicated.problems.get(i, ()), others.get(i)) for i, s in enumerate(sources))
    headlines = headlines_of_evidence(reports, (part for _, part in here.parts), metrics, account)
    basis = DecisionBasis(
        rules=evaluation.rules,
        metrics=metrics,
        of_groups=own,
        thresholds=evaluation.thresholds,
        significance=SIGNIFICANCE,
        account=account,
        investigations=investigations,
        headlines=headlines,
    )
    contents = _CaseContents(sources, reports, deduplicated.evidence, deduplicated.shown, job, here.uses, here.grouped)
    findings = decide_findings(evaluation.findings, basis)
    return Diagnosis(
        rule_inputs=rule_inputs,
        facts=facts,
        site=here.used,
        findings=findings,
        basis=basis,
        evaluation=evaluation,
        metrics_used=metrics_used,
        contents=contents,
    )


def _rule_inputs(
    here: _JobOnSite, metrics: Mapping[str, Metric], facts: JobFacts, texts: Sequence[TextEvidence]
) -> RuleInputs:
    job, profile, groups = here.job, here.profile, here.groups
    kinds = {kind_of_file(g.largest, profile, here.known_mounts) for g in groups}
    settings = settings_of_job(
        job, profile, library=_library(metrics), on_lustre=not kinds or bool(kinds & MAYBE_LUSTRE)
    )
    return RuleInputs(
        metrics=metrics,
        of_groups={g.id: group_metrics(g.selection, metrics) for g in groups},
        groups=groups,
        gaps=gaps_of(job),
        site=profile,
        mounts=here.known_mounts,
        own=settings,
        several_programs=runs_several_programs(job),
        launch=launch_line(facts, texts, profile, proof_lines(settings)),
    )


@frozen_identity
class _JobOnSite:
    """The job in terms of the file systems that its site's profile knows. `parts` is the evidence that counts, `uses`
    are its files, and `groups` those of `grouped` with what the site's documents measured for them."""

    used: SiteUsed
    profile: Site
    known_mounts: tuple[Mount, ...]
    parts: Sequence[tuple[int, Part]]
    job: Selection
    uses: Sequence[FileUse]
    grouped: Grouped
    groups: tuple[Group, ...]


def _on_its_site(deduplicated: Deduplicated, site: str | None, default_site: str | None) -> _JobOnSite:
    parts = deduplicated.parts
    darshan = [part for _, part in parts if isinstance(part, DarshanLog | DarshanSummary)]
    mounts = tuple(dict.fromkeys(m for part in darshan for m in part.job.mounts))
    first = select_job(parts)
    uses = file_uses(first)
    used = site_used(site, default_site, mounts, uses, first)
    profile = all_sites()[used.id]
    known_mounts = (*mounts, *displayed_mounts(first))
    striped = without_stripes(parts, lambda path: kind_of_path(path, profile, known_mounts))
    if striped is not parts:
        parts, first = striped, select_job(striped)
        uses = file_uses(first)
    first = replace(
        first,
        losses=_losses(deduplicated.evidence),
        site_osts=_osts(profile, uses),
        site=used.id,
        site_cores=None if profile.node_cores is None else profile.node_cores.cores,
        not_for_jobs=profile.not_for_jobs,
    )
    grouped = group_files(first, uses, MOST_GROUPS, MOST_FILES)
    job = replace(first, pattern=leading_pattern(grouped.groups), files=number_of(uses))
    groups = with_documented(grouped.groups, job, profile)
    return _JobOnSite(
        used=used,
        profile=profile,
        known_mounts=known_mounts,
        parts=parts,
        job=job,
        uses=uses,
        grouped=grouped,
        groups=groups,
    )


def _losses(evidence: Sequence[tuple[int, Evidence]]) -> tuple[LostData, ...]:
    """By source, the data that a source which could only be read in part has lost."""
    return tuple(
        LostData(frozenset(p.code for p in e.problems if p.loses_data), printed=e.reader in PRINTED_OF_LOGS)
        for _, e in evidence
        if e.status == "partial"
    )


def _document(diagnosis: Diagnosis) -> CaseDocument:
    rule_inputs, contents, evaluation = diagnosis.rule_inputs, diagnosis.contents, diagnosis.evaluation
    profile, groups, of_groups, settings = rule_inputs.site, rule_inputs.groups, rule_inputs.of_groups, rule_inputs.own
    job, uses, findings, basis = contents.job, contents.uses, diagnosis.findings, diagnosis.basis
    interner = MetricInterner(settings.irrelevant() | settings.has())
    by_rules = SIGNIFICANCE_IS_BY.union(*diagnosis.metrics_used.values())
    of_job = pack_metrics(rule_inputs.metrics, interner, by_rules)
    of_own = {id: pack_metrics(of_group, interner, by_rules) for id, of_group in basis.of_groups.items()}
    pattern_of = {g.id: g.pattern for g in groups}
    expected = expectations(profile, groups, of_groups, job)
    texts = _texts(contents.shown)
    absences, launch = interner.absences, rule_inputs.launch
    return CaseDocument(
        version=DOCUMENT_VERSION,
        made_by=MadeBy(__version__, profile.version),
        job=diagnosis.facts,
        site=diagnosis.site,
        headline=diagnosis.headline,
        sources=contents.reports,
        metrics=of_job,
        absences=absences,
        places=interner.places,
        titles=interner.titles,
        groups=tuple(FileGroup(g.id, g.name, g.label, g.number, g.largest.path, of_own[g.id]) for g in groups),
        files=_file_rows(contents, pattern_of),
        longest=longest_files(contents.grouped.alike, pattern_of, MOST_LONGEST),
        files_total=len(uses),
        findings=findings,
        rules=evaluation.rules,
        significance=SIGNIFICANCE,
        thresholds=evaluation.thresholds,
        missing_evidence=_missing_evidence(absences, _machine_words(contents, rule_inputs.mounts, settings)),
        documents=cited_documents(evaluation, expected, profile),
        charts=replace(build_charts(job, uses), activity=activity_of(contents.evidence, groups)),
        agreement=agreements(job),
        texts=tuple(texts[:MOST_TEXTS]),
        texts_total=len(texts),
        expectation=expected,
        next_run=next_run_of(findings, launch, basis),
        launch=launch,
        investigations=basis.investigations,
        headlines=basis.headlines,
        mpi=mpi_times(job),
        jobs=_jobs(contents.sources),
        account=basis.account,
        unexplained=diagnosis.unexplained,
        cannot_show=tuple(sorted(settings.cannot_show())),
        what_if=what_if(profile, groups, of_groups, launch),
    )


def _file_rows(contents: _CaseContents, pattern_of: Mapping[str, Pattern | None]) -> tuple[FileRow, ...]:
    """The largest files, each with its group and the group's pattern."""
    group_of = contents.grouped.group_of
    return tuple(file_row(u, group_of[u.path], pattern_of.get(group_of[u.path])) for u in contents.uses[:MOST_FILES])


def _texts(shown: Sequence[tuple[int, Part]]) -> Sequence[TextEvidence]:
    return [TextEvidence(i, part) for i, part in shown if isinstance(part, TextPart)]


def _library(metrics: Mapping[str, Metric]) -> str | None:
    found = metrics["mpi.library"].value
    return found if isinstance(found, str) else None


def _metrics_used(evaluation: Evaluation) -> dict[str, frozenset[str]]:
    """By scope, the metrics that the rules of findings there look at, and what is drawn of a group."""
    found: dict[str, frozenset[str]] = {}
    for finding in evaluation.findings:
        if isinstance(finding, Finding):
            scope = finding.scope.id
            found[scope] = found.get(scope, GROUPS_ARE_DRAWN_BY) | metrics_used_by(finding.rule)
    return found


def _jobs(sources: Sequence[UnpackedSource]) -> tuple[JobGiven, ...]:
    """The jobs that the sources are of, where they are several. What names no job, and lies in an archive with others,
    cannot be given alone."""
    in_folders = any(INSIDE in s.name or "/" in s.name for s in sources)
    alone = len(sources) == 1
    if alone and _is_one_log(sources[0]):
        return ()
    jobs = group_by_job([source_identity_of(s, alone=alone) for s in sources], many=in_folders and not alone).jobs
    given = [tuple(dict.fromkeys(sources[i].given for i in job.sources)) for job in jobs]
    shared = {i for i, times in Counter(i for files in given for i in files).items() if times > 1}
    found = [
        JobGiven(job.id, files, job.among_others)
        for job, files in zip(jobs, given, strict=True)
        if job.id is not None or not shared.intersection(files)
    ]
    return tuple(found) if len(found) > 1 else ()


def _is_one_log(source: UnpackedSource) -> bool:
    """Whether it is a Darshan log, which is always of one job."""
    read = source.outcome
    return isinstance(read, Evidence) and len(read.parts) == 1 and isinstance(read.parts[0], DarshanLog)


def _differing(
    metrics: Mapping[str, Metric], job: Mapping[str, Metric], metrics_used: frozenset[str]
) -> dict[str, Metric]:
    """Those metrics of the group that findings look at and that differ from the job's."""
    found = ((name, metrics[name], job.get(name)) for name in sorted(metrics_used) if name in metrics)
    return {name: of_group for name, of_group, of_job in found if of_group is not of_job and of_group != of_job}


def _machine_words(contents: _CaseContents, mounts: Sequence[Mount], own: JobSettings) -> MachineWords:
    """With the file, where all files are used as one, and the mount point of the largest."""
    darshan, remarks = own.lines_of_darshan(), evidence_in_csh() if own.of_csh else {}
    if not contents.uses:
        return MachineWords(own.scheduler, darshan, remarks=remarks)
    groups, mount = contents.grouped.groups, mount_above(contents.uses[0].path, mounts)
    file = _name_of(groups[0].largest) if len(groups) == 1 else None
    return MachineWords(
        own.scheduler,
        darshan,
        None if file is None else shell_word(file),
        None if mount is None else shell_word(mount.path),
        remarks,
    )


def _name_of(file: FileUse) -> str | None:
    """The file's name; None where its log has none, or has a number in its place."""
    unnamed = file.record is not None and file.path == nameless(file.record)
    return None if unnamed or stands_for_name(file.path) else file.path


def _missing_evidence(absences: Iterable[Absence], there: MachineWords) -> dict[str, MissingEvidence]:
    keys = dict.fromkeys(
        [DARSHAN, STATS, ENVIRONMENT, HINTS, TIMERS, *(key for absence in absences for key in absence.settled_by)]
    )
    return {key: evidence_of(key, there) for key in keys}


def _osts(site: Site, uses: Sequence[FileUse]) -> int | None:
    """The number of OSTs of the file system with the largest file, by the site's profile."""
    found = site.file_system_of(uses[0].path) if uses else None
    return found.osts if found is not None else None


def _report(source: UnpackedSource, not_counted: tuple[Problem, ...], others: OtherJobs | None) -> SourceReport:
    outcome = source.outcome
    read = outcome if isinstance(outcome, Evidence) else None
    failure = outcome if isinstance(outcome, Failure) else None
    problems = () if read is None else read.problems if others is None else others.without_ends(read.problems)
    return SourceReport(
        name=source.name,
        sha256=source.sha256,
        size_bytes=source.size_bytes,
        kind=read.reader if read else None,
        status=read.status if read else "failed",
        title=title_of(read.reader) if read else None,
        holds=describe(read) if read else (),
        warnings=(*problems, *not_counted) if read else (),
        failure=failure.message if failure else None,
        next_step=failure.next_step if failure else None,
        given=source.given,
        member=source.member,
    )
