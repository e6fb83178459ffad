"""The case document: everything IOtriage says about one job. Terminal, JSON, API and page are views of it.

Plain frozen dataclasses, so that the command line needs no web stack to make one; the API gives the same types to
Pydantic. Every field is JSON: no NaN, no infinity, absent is null.
"""

from __future__ import annotations

from typing import Literal

from iotriage.analysis.document.account import Account, Investigations, Unexplained
from iotriage.analysis.document.agreement import Agreement
from iotriage.analysis.document.charts import Charts
from iotriage.analysis.document.expectation import Expectation
from iotriage.analysis.document.files import FileGroup, FileRow, LongestFiles
from iotriage.analysis.document.finding import (
    DocumentRule,
    EvidenceHeadlines,
    Finding,
    Headline,
    RuledOut,
    ThresholdInForce,
)
from iotriage.analysis.document.metrics import Absence, DocumentMetric, Place
from iotriage.analysis.document.mpi_times import MpiTimes
from iotriage.analysis.document.next_run import LaunchLine, NextRun
from iotriage.analysis.document.sources import SourceReport, TextEvidence
from iotriage.analysis.document.what_if import WhatIf
from iotriage.metrics.core.missing_evidence import MissingEvidence
from iotriage.rules.core.condition import Condition
from iotriage_parsers.frozen import frozen

DOCUMENT_VERSION = 24


@frozen
class JobFacts:
    job_id: str | None
    uid: int | None
    executable: str | None
    command_line: str | None
    nprocs: int | None
    nnodes: int | None
    start_time: float | None
    end_time: float | None
    runtime_s: float | None


@frozen
class SiteUsed:
    id: str
    title: str
    chosen_by: Literal["detected", "person", "default"]
    because: str
    checked: str


@frozen
class DocumentRef:
    """A cited document: title, publisher, which systems it speaks about, and the day on which what is cited was read
    there; None where a site's own profile does not say."""

    key: str
    title: str
    publisher: str
    systems: str
    url: str | None
    read_on: str | None


@frozen
class MadeBy:
    """The release and the version of the site's profile; and digests of the program's content, of what reads, what
    decides and what words (`iotriage.digests`), which a document that was made to be printed at once does not have."""

    iotriage: str
    site: str
    readers: str | None = None
    decides: str | None = None
    words: str | None = None


@frozen
class JobGiven:
    """One of several jobs that the sources are of: `given` are the indexes of its files among those given, of which
    some may hold parts of other jobs too. `id` is None where no source names it; `among_others` is whether a case of
    this job alone has to leave out what those files say about others."""

    id: str | None
    given: tuple[int, ...]
    among_others: bool


@frozen
class CaseDocument:
    """`metrics` are the job's, by id; a group has those that `rules` or a chart look at and that are not the job's.
    `rules` has every rule of which a finding can change with a threshold, `thresholds` those that `rules` and
    `significance` compare with, by id. `longest` are the files that took longest, those of a group together.
    `significance` is the condition that the job's I/O is enough to matter. `account` is where the I/O seconds go, and
    `unexplained` what no finding takes of them, of which `investigations` would tell where it goes. `absences` are the
    reasons for metrics without a value, `missing_evidence` what they name, `places` where metrics stand, and `titles`
    those of the metrics that `rules` or `significance` look at. `cannot_show` names evidence, by its key, that the same
    run again would not leave behind. `jobs` are those that the sources are of, where they are several, of which the
    figures are no job's. `what_if` are the settings along measured curves."""

    version: int
    made_by: MadeBy
    job: JobFacts
    site: SiteUsed
    headline: Headline
    sources: tuple[SourceReport, ...]
    metrics: dict[str, DocumentMetric]
    absences: tuple[Absence, ...]
    places: tuple[Place, ...]
    titles: dict[str, str]
    groups: tuple[FileGroup, ...]
    files: tuple[FileRow, ...]
    files_total: int
    longest: tuple[LongestFiles, ...]
    findings: tuple[Finding | RuledOut, ...]
    rules: dict[str, DocumentRule]
    significance: Condition
    thresholds: dict[str, ThresholdInForce]
    missing_evidence: dict[str, MissingEvidence]
    documents: tuple[DocumentRef, ...]
    charts: Charts
    agreement: tuple[Agreement, ...]
    texts: tuple[TextEvidence, ...]
    texts_total: int
    expectation: tuple[Expectation, ...]
    launch: LaunchLine
    investigations: Investigations
    headlines: EvidenceHeadlines
    next_run: NextRun | None = None
    mpi: MpiTimes | None = None
    jobs: tuple[JobGiven, ...] = ()
    account: Account | None = None
    unexplained: Unexplained | None = None
    cannot_show: tuple[str, ...] = ()
    what_if: tuple[WhatIf, ...] = ()
