"""From a log's case document to what is kept of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from iotriage.analysis.asking import looked_at_by
from iotriage.analysis.document import CaseDocument, DocumentMetric
from iotriage.analysis.document.adapter import DOCUMENT
from iotriage.analysis.document.files import FileGroup
from iotriage.analysis.document.metrics import KnownMetric
from iotriage.analysis.engine import GROUPS_ARE_DRAWN_BY
from iotriage.centre.log_rows import FindingOfLog, GroupOfFiles, LogRead, MetricCell, ModuleOfLog
from iotriage_parsers.evidence import DarshanLog, Evidence

ABOVE_INFO = frozenset({"low", "medium", "high"})


def log_read(content: str, evidence: Evidence, document: CaseDocument) -> LogRead:
    """The rows of one log. The document is kept whole where a finding is above info."""
    job, account = document.job, document.account
    patterns = {row.group: row.pattern for row in reversed(document.files)}
    mounts = sorted({m.path for log in evidence.of(DarshanLog) for m in log.job.mounts}, key=len, reverse=True)
    triggered = [f for f in document.findings if f.verdict == "triggered"]
    return LogRead(
        content=content,
        job_id=job.job_id,
        uid=job.uid,
        executable=job.executable,
        nprocs=job.nprocs,
        nnodes=job.nnodes,
        start_time=job.start_time,
        end_time=job.end_time,
        runtime_s=job.runtime_s,
        site=document.site.id,
        losses=tuple(dict.fromkeys(p.code for p in evidence.problems if p.loses_data)),
        modules=tuple(ModuleOfLog(m.name, m.partial) for log in evidence.of(DarshanLog) for m in log.modules),
        headline=document.headline.said,
        headline_severity=document.headline.severity,
        headline_rule=document.headline.rule,
        cells=None if account is None else account.cells,
        unexplained_s=None if document.unexplained is None else document.unexplained.seconds,
        metrics=tuple(_cells(document, document.metrics)),
        groups=tuple(
            GroupOfFiles(
                group.id,
                group.label,
                group.files,
                group.largest_file,
                patterns.get(group.id),
                _mount_of(group.largest_file, mounts),
                tuple(_cells(document, _of_group(document, group))),
                None if account is None else account.groups.get(group.id),
            )
            for group in document.groups
        ),
        findings=tuple(
            FindingOfLog(
                finding.rule,
                finding.scope.id,
                finding.scope.label,
                finding.verdict,
                finding.severity,
                finding.explained_by,
                finding.takes_s,
                finding.could_save_at_least_s,
                finding.could_save_s,
                position,
                finding.headline,
            )
            for position, finding in enumerate(document.findings)
            if finding.verdict != "not_applicable"
        ),
        document=DOCUMENT.dump_json(document).decode() if any(f.severity in ABOVE_INFO for f in triggered) else None,
    )


def _of_group(document: CaseDocument, group: FileGroup) -> Mapping[str, DocumentMetric]:
    """The metrics that rules looked at there: the document has those that are not the job's, too."""
    asked = [f.rule for f in document.findings if f.scope.id == group.id and f.reason is None]
    looked_at = GROUPS_ARE_DRAWN_BY.union(*(looked_at_by(rule) for rule in asked))
    of_job = {id: document.metrics[id] for id in looked_at if id in document.metrics}
    return of_job | group.metrics


def _cells(document: CaseDocument, metrics: Mapping[str, DocumentMetric]) -> Iterator[MetricCell]:
    for id, metric in metrics.items():
        if not isinstance(metric, KnownMetric):
            yield MetricCell(id, absent=document.absences[metric.absent].reason)
        elif isinstance(metric.value, str):
            yield MetricCell(id, word=metric.value)
        else:
            yield MetricCell(id, number=float(metric.value), lower=metric.bound == "lower")


def _mount_of(path: str, mounts: list[str]) -> str | None:
    """The longest of the log's mount points that the path lies below; `mounts` are longest first."""
    return next((m for m in mounts if path == m or path.startswith(m.rstrip("/") + "/")), None)
