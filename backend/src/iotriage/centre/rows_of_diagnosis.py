"""Turns a diagnosis of a log into the rows that the warehouse stores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from iotriage.analysis.document import Findings
from iotriage.analysis.document.document_json import document_as_json
from iotriage.analysis.engine import GROUPS_ARE_DRAWN_BY, Diagnosis
from iotriage.analysis.evaluation import THE_JOB, UsedMetrics, metrics_used_in_groups
from iotriage.centre.log_rows import FindingOfLog, GroupOfFiles, LogRead, MetricCells, ModuleOfLog, Saving
from iotriage.centre.program_name import program_name
from iotriage.metrics.core.metric import Metric
from iotriage.rules.core.rule import Impact
from iotriage_parsers.evidence import DarshanLog, Evidence

ABOVE_INFO = frozenset({"low", "medium", "high"})


def log_read(content: str, evidence: Evidence, diagnosis: Diagnosis) -> LogRead:
    """The rows of one log. The document is made, and kept whole, where a finding is above info."""
    job, account = diagnosis.facts, diagnosis.basis.account
    is_kept = any(f.severity in ABOVE_INFO for f in diagnosis.findings if f.verdict == "triggered")
    return LogRead(
        content=content,
        job_id=job.job_id,
        uid=job.uid,
        executable=job.executable,
        program=program_name(job.executable, job.command_line),
        nprocs=job.nprocs,
        nnodes=job.nnodes,
        start_time=job.start_time,
        end_time=job.end_time,
        runtime_s=job.runtime_s,
        site=diagnosis.site.id,
        losses=tuple(dict.fromkeys(p.code for p in evidence.problems if p.loses_data)),
        modules=tuple(ModuleOfLog(m.name, m.partial) for log in evidence.of(DarshanLog) for m in log.modules),
        headline=diagnosis.headline.said,
        headline_severity=diagnosis.headline.severity,
        headline_rule=diagnosis.headline.rule,
        cells=None if account is None else account.cells,
        account_basis=None if account is None else account.basis,
        account_partial=None if account is None else account.partial,
        savings=tuple(_savings_of_job(diagnosis.findings)),
        unexplained_s=None if diagnosis.unexplained is None else diagnosis.unexplained.seconds,
        metrics=_cells(diagnosis.rule_inputs.metrics.values()),
        groups=tuple(_groups(evidence, diagnosis)),
        findings=tuple(_findings(diagnosis.findings)),
        document=document_as_json(diagnosis.document).decode() if is_kept else None,
    )


def _groups(evidence: Evidence, diagnosis: Diagnosis) -> Iterator[GroupOfFiles]:
    rule_inputs, account = diagnosis.rule_inputs, diagnosis.basis.account
    metrics_used = metrics_used_in_groups(diagnosis.evaluation)
    mounts = sorted({m.path for log in evidence.of(DarshanLog) for m in log.job.mounts}, key=len, reverse=True)
    for position, group in enumerate(rule_inputs.groups):
        used = metrics_used[group.id]
        yield GroupOfFiles(
            id=group.id,
            position=position,
            label=group.label,
            files=group.number,
            largest_file=group.largest.path,
            pattern=group.pattern,
            mount=_mount_of(group.largest.path, mounts),
            metrics=_cells(_of_group(rule_inputs.of_groups[group.id], used)),
            cells=None if account is None else account.groups.get(group.id),
            savings=tuple(_saving(rule, impact) for rule, impact in used.impacts.items()),
        )


def _findings(findings: Findings) -> Iterator[FindingOfLog]:
    """Those of rules that apply, each with its place in the order of the document."""
    for position, finding in enumerate(findings):
        if finding.verdict != "not_applicable":
            yield FindingOfLog(
                rule=finding.rule,
                scope=finding.scope.id,
                scope_label=finding.scope.label,
                verdict=finding.verdict,
                severity=finding.severity,
                explained_by=finding.explained_by,
                takes_s=finding.takes_s,
                could_save_at_least_s=finding.could_save_at_least_s,
                could_save_s=finding.could_save_s,
                position=position,
                headline=finding.headline,
            )


def _of_group(metrics: Mapping[str, Metric], metrics_used: UsedMetrics) -> Iterator[Metric]:
    """The metrics of the group that rules looked at, and those that reports draw."""
    wanted = GROUPS_ARE_DRAWN_BY.union(metrics_used.metrics)
    return (metrics[id] for id in sorted(wanted) if id in metrics)


def _cells(metrics: Iterable[Metric]) -> MetricCells:
    numbers: dict[str, float] = {}
    words: dict[str, str] = {}
    lower: list[str] = []
    absent: dict[str, list[str]] = {}
    for metric in metrics:
        value = metric.value
        if value is None:
            absent.setdefault(metric.reason or "", []).append(metric.id)
        elif isinstance(value, str):
            words[metric.id] = value
        else:
            numbers[metric.id] = float(value)
            if metric.bound == "lower":
                lower.append(metric.id)
    return MetricCells(numbers, words, tuple(lower), {reason: tuple(ids) for reason, ids in absent.items()})


def _savings_of_job(findings: Findings) -> Iterator[Saving]:
    """The savings of the rules about the job that some threshold would have triggered."""
    for finding in findings:
        if finding.scope == THE_JOB and finding.says is not None and finding.says.impact is not None:
            yield _saving(finding.rule, finding.says.impact)


def _saving(rule: str, impact: Impact) -> Saving:
    return Saving(rule, impact.most_share, impact.least_share, impact.stays_s)


def _mount_of(path: str, mounts: list[str]) -> str | None:
    """The longest of the log's mount points that the path lies below; `mounts` are longest first."""
    return next((m for m in mounts if path == m or path.startswith(m.rstrip("/") + "/")), None)
