"""Documents that this program would make otherwise: which they are, and how they are made again.

A case's `renewals` counts the times that the program `renewed_by` has begun to make its document again. It is written
before the attempt, so that a case over which the process dies is given up too.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from sqlalchemy import ColumnElement, case, exists, select
from sqlalchemy.orm import Session

from iotriage.analysis.document import DOCUMENT_VERSION
from iotriage.digests import program_digests
from iotriage.sites import all_sites
from iotriage.store.cases import MOST_ATTEMPTS, Snapshot, snapshot_of
from iotriage.store.profile_version import profile_versions
from iotriage.store.tables import IN_HAND, CaseDocumentRow, CaseRow, CaseSourceRow, SourceRow

MOST_RENEWALS = 3

Staleness = Literal["pending", "given-up"]
"""The document will be made again, or that failed too often, or the profile of the case's site is gone, or a source of
the case."""


def staleness(session: Session, case_id: str, default_site: str | None) -> Staleness | None:
    """Whether the case's document is stale where this is the default site; None where it is what this program would
    make, or there is none."""
    made = CaseDocumentRow.case_id == CaseRow.id
    stale = select(_hopeless()).join(CaseDocumentRow, made).where(CaseRow.id == case_id, _made_otherwise(default_site))
    hopeless = session.scalar(stale)
    return None if hopeless is None else "given-up" if hopeless else "pending"


def next_stale(session: Session, default_site: str | None, besides: Collection[str]) -> str | None:
    """The case to be made again next, none of those `besides`: those tried least first, then the newest."""
    order = (_renewals(), CaseRow.created_at.desc(), CaseRow.id)
    return session.scalar(
        select(CaseRow.id).where(_due(default_site), CaseRow.id.not_in(besides)).order_by(*order).limit(1)
    )


def begin_renewal(session: Session, case_id: str, default_site: str | None) -> Snapshot | None:
    """Counts one more attempt; what the document is to be made from, or None where it need not or cannot be made."""
    row = session.get(CaseRow, case_id, with_for_update=IN_HAND)
    if row is None or session.scalar(select(CaseRow.id).where(CaseRow.id == case_id, _due(default_site))) is None:
        return None
    row.renewals = 1 + (row.renewals if row.renewed_by == _program() else 0)
    row.renewed_by = _program()
    return snapshot_of(row)


def take_back_renewal(session: Session, case_id: str) -> None:
    """Forgets an attempt that was cut off by the end of the server and not by the case."""
    row = session.get(CaseRow, case_id, with_for_update=IN_HAND)
    if row is not None and row.renewals > 0:
        row.renewals -= 1


def _due(default_site: str | None) -> ColumnElement[bool]:
    """A case that could not be diagnosed is due too: that was the fault of a program, perhaps of an earlier one. One
    that waits to be read is not: its document will be this program's."""
    # Not for each case by itself: as a list it comes from the index alone.
    made_otherwise = select(CaseDocumentRow.case_id).where(_made_otherwise(default_site))
    stale = (CaseRow.status == "ready") & CaseRow.id.in_(made_otherwise)
    undiagnosed = (CaseRow.status == "failed") & CaseRow.message.is_not(None) & (CaseRow.attempts < MOST_ATTEMPTS)
    return (stale | undiagnosed) & ~_hopeless()


def _made_otherwise(default_site: str | None) -> ColumnElement[bool]:
    """A document of another form, or made by another program, with a profile that says something else now, or under
    another default site where the evidence names none. No document is read for it."""
    today = program_digests()
    row = CaseDocumentRow
    return (
        (row.version != DOCUMENT_VERSION)
        | (row.readers != today.readers)
        | (row.decides != today.decides)
        | (row.words != today.words)
        | row.site_version.not_in(profile_versions(default_site))
    )


def _hopeless() -> ColumnElement[bool]:
    gone = CaseRow.site.is_not(None) & CaseRow.site.not_in(all_sites())
    source_gone = (SourceRow.sha256 == CaseSourceRow.sha256) & SourceRow.gone_at.is_not(None)
    lost = exists().where(CaseSourceRow.case_id == CaseRow.id, source_gone)
    return (_renewals() >= MOST_RENEWALS) | gone | lost


def _renewals() -> ColumnElement[int]:
    return case((CaseRow.renewed_by == _program(), CaseRow.renewals), else_=0)


def _program() -> str:
    today = program_digests()
    return f"{DOCUMENT_VERSION} {today.readers} {today.decides} {today.words}"
