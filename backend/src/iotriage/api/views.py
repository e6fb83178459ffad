"""What the API answers with, where it is not a type of the document, the rules or the sites."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import ConfigDict, TypeAdapter

from iotriage.analysis.document import CaseDocument, DocumentRef, HeadlineSeverity
from iotriage.confinement.report import Layer
from iotriage.metrics.core.metric import Confidence, Scope, Unit
from iotriage.rules.core.advice import Citation
from iotriage.rules.core.condition import Condition
from iotriage.rules.core.quotations import Quotation
from iotriage.rules.core.rule import Severity, Statement
from iotriage.store.renewal import Staleness
from iotriage.store.tables import CaseStatus, SourceStatus
from iotriage_parsers.frozen import frozen


@frozen
class Health:
    """`holds_strangers` is whether Landlock and seccomp keep in the processes that read sources; `confinement` is what
    is in force here, what is missing, and what that means."""

    status: Literal["ok"]
    holds_strangers: bool
    confinement: tuple[Layer, ...]


@frozen
class SiteName:
    id: str
    title: str
    status: Literal["current", "retired", "generic"]


@frozen
class Info:
    """`rules` is how many rules there are; `default_site` holds where evidence and person say nothing else."""

    version: str
    rules: int
    sites: tuple[SiteName, ...]
    default_site: str | None
    upload_limit_bytes: int


@frozen
class SampleView:
    """`id` is that of the sample's case; `evidence` the kinds of sources it has, in words."""

    id: str
    title: str
    status: CaseStatus
    headline: str | None
    severity: HeadlineSeverity | None
    nprocs: int | None
    evidence: tuple[str, ...]


@frozen
class CaseSummary:
    """One line of the list of cases. Everything from `job_id` on is null until the case is ready; `io_time_bound` is
    "at least" or "at most" where the time is not known exactly, else empty. Cases of the same sources have one
    `sources_alike`, whatever they are called there."""

    id: str
    sources_alike: str
    created_at: datetime
    status: CaseStatus
    title: str
    job_id: str | None
    executable: str | None
    headline: str | None
    severity: HeadlineSeverity | None
    nprocs: int | None
    io_time_s: float | None
    io_time_fraction: float | None
    io_time_bound: str
    sample: bool


@frozen
class CaseList:
    total: int
    cases: tuple[CaseSummary, ...]


@frozen
class CaseSource:
    """A file of the case. Where `status` is "failed", `message` says why and `next_step` what to do about it. Since
    `gone_at`, if it is not null, its bytes are not kept: the document is all that is left of it."""

    index: int
    name: str
    sha256: str
    size_bytes: int
    status: SourceStatus
    reader: str | None
    message: str | None
    next_step: str | None
    gone_at: datetime | None


@frozen
class JoinedCase:
    """A case of the same job that was joined into this one: the names of its `sources`, and why. Its address leads to
    this one."""

    id: str
    sources: tuple[str, ...]
    joined_at: datetime
    because: str


@frozen
class CaseView:
    """A case. `status` "failed" means that none of its sources could be read (each says why), or that diagnosing
    them failed (`message` says so); then `document` is null. While it is "reading" again, after a change, the
    document is the one before the change. `site` is the one a person chose, null where the evidence decides.

    `stale` says that this program would make the document otherwise: "pending" until the case has been read again,
    which asking for it sets off; "given-up" where that failed too often, or the profile of its site is gone.

    `joined` are the cases that have become part of it, by themselves or by a person's word. One that is part of another
    is answered as that other, with its `id`."""

    # It holds the whole document: its validators are made when one is used, and most that FastAPI asks for never are.
    __pydantic_config__ = ConfigDict(defer_build=True)

    id: str
    created_at: datetime
    status: CaseStatus
    title: str
    site: str | None
    sample: bool
    message: str | None
    sources: tuple[CaseSource, ...]
    stale: Staleness | None
    joined: tuple[JoinedCase, ...]
    document: CaseDocument | None


CASE_VIEW = TypeAdapter(CaseView)


@frozen
class CaseState:
    id: str
    status: CaseStatus


@frozen
class CaseMade:
    """A case that was made. `already` are other cases, seen by who made it, that have all of its sources: it was given
    before."""

    id: str
    status: CaseStatus
    already: tuple[str, ...]


@frozen
class ThresholdView:
    """A number that a person may move. `minimum` and `maximum` bound the slider; `scale` is how it is drawn."""

    id: str
    title: str
    default: float
    unit: Unit
    stated_by: Statement
    minimum: float
    maximum: float
    scale: Literal["linear", "log"]


@frozen
class RuleView:
    """A rule as data. `page` is its documentation in Markdown; `documents` are those that it cites, and `quotations` a
    few words of the sections."""

    id: str
    title: str
    clear_title: str
    scope: Scope
    severity: Severity
    confidence: Confidence
    priority: int
    requires: Condition
    condition: Condition
    supports: tuple[Condition, ...]
    thresholds: tuple[ThresholdView, ...]
    citations: tuple[Citation, ...]
    documents: tuple[DocumentRef, ...]
    quotations: tuple[Quotation, ...]
    explains: tuple[str, ...]
    explained_by: tuple[str, ...]
    page: str


@frozen
class CitedDocument:
    """A document that rules, advice and sites cite, with a few words of each section that is cited for them."""

    document: DocumentRef
    quotations: tuple[Quotation, ...]


@frozen
class SourceView:
    sha256: str
    size_bytes: int
