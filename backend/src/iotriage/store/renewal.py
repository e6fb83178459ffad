"""Stale documents, which this program would now make differently, and the order in which they are made again.

A case's `renewals` counts how often the program `renewed_by` has begun to make its document again. It is written before
each attempt, so that a case which ends the process is given up in time, too.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal

from sqlalchemy import ColumnElement, case, exists, select
from sqlalchemy.orm import Session

from iotriage.analysis.document import DOCUMENT_VERSION
from iotriage.digests import ProgramDigests, program_digests
from iotriage.sites import all_sites
from iotriage.store.cases import MOST_ATTEMPTS, Snapshot, snapshot_of
from iotriage.store.profile_version import profile_versions
from iotriage.store.tables import IN_HAND, CaseDocumentRow, CaseRow, CaseSourceRow, SourceRow
from iotriage_parsers.frozen import frozen

MOST_RENEWALS = 3
STALE_TOGETHER = 100
"""Number of stale cases looked up at a time: each query looks at every case, of which a centre has tens of
thousands."""

Staleness = Literal["pending", "given-up"]
"""What will happen to the stale document: it will be made again; or that failed too often; or the profile of its site,
or a source of the case, is gone."""


def staleness(session: Session, case: CaseRow, default_site: str | None) -> Staleness | None:
    """Whether and how the case's document is stale under this default site; None where it is up to date, or there is
    none."""
    today = _today(default_site)
    if case.document is None or _is_of(today, case.document):
        return None
    hopeless = session.scalar(select(_hopeless(today)).where(CaseRow.id == case.id))
    return None if hopeless is None else "given-up" if hopeless else "pending"


@frozen
class _Today:
    """What decides whether a document is stale: the program, its digests, and the sites' profiles."""

    program: str
    digests: ProgramDigests
    versions: frozenset[str]
    sites: tuple[str, ...]


def _today(default_site: str | None) -> _Today:
    return _Today(_program(), program_digests(), profile_versions(default_site), tuple(all_sites()))


def stale_cases(session: Session, default_site: str | None, besides: Collection[str]) -> Sequence[str]:
    """The cases to be made again next, so many together, none of those `besides`: those tried least first, then the
    newest."""
    today = _today(default_site)
    order = (_renewals(today), CaseRow.created_at.desc(), CaseRow.id)
    due = select(CaseRow.id).where(_due(today), CaseRow.id.not_in(besides)).order_by(*order)
    return session.scalars(due.limit(STALE_TOGETHER)).all()


def begin_renewal(session: Session, case_id: str, default_site: str | None) -> Snapshot | None:
    """Counts one more attempt; what the document is to be made from, or None where it need not or cannot be made."""
    row, today = session.get(CaseRow, case_id, with_for_update=IN_HAND), _today(default_site)
    if row is None or session.scalar(select(CaseRow.id).where(CaseRow.id == case_id, _due(today))) is None:
        return None
    row.renewals = 1 + (row.renewals if row.renewed_by == today.program else 0)
    row.renewed_by = today.program
    return snapshot_of(row)


def undo_renewal(session: Session, case_id: str) -> None:
    """Forgets an attempt that was cut off by the end of the server and not by the case."""
    row = session.get(CaseRow, case_id, with_for_update=IN_HAND)
    if row is not None and row.renewals > 0:
        row.renewals -= 1


def _due(today: _Today) -> ColumnElement[bool]:
    """A case that could not be diagnosed is due too: an earlier program may have been at fault. A case that waits to be
    read is not: this program will make its document anyway."""
    # Not for each case by itself: as a list it comes from the index alone.
    made_otherwise = select(CaseDocumentRow.case_id).where(_made_otherwise(today))
    stale = (CaseRow.status == "ready") & CaseRow.id.in_(made_otherwise)
    undiagnosed = (CaseRow.status == "failed") & CaseRow.message.is_not(None) & (CaseRow.attempts < MOST_ATTEMPTS)
    return (stale | undiagnosed) & ~_hopeless(today)


def _is_of(today: _Today, row: CaseDocumentRow) -> bool:
    """What `_made_otherwise` asks of many, of a document that is at hand."""
    made_by = ProgramDigests(readers=row.readers, decides=row.decides, words=row.words)
    return row.version == DOCUMENT_VERSION and made_by == today.digests and row.site_version in today.versions


def _made_otherwise(today: _Today) -> ColumnElement[bool]:
    """A document of another form, or made by another program, with a profile that says something else now, or under
    another default site where the evidence names none. No document is read for it."""
    row, digests = CaseDocumentRow, today.digests
    return (
        (row.version != DOCUMENT_VERSION)
        | (row.readers != digests.readers)
        | (row.decides != digests.decides)
        | (row.words != digests.words)
        | row.site_version.not_in(today.versions)
    )


def _hopeless(today: _Today) -> ColumnElement[bool]:
    without_site = CaseRow.site.is_not(None) & CaseRow.site.not_in(today.sites)
    source_gone = (SourceRow.sha256 == CaseSourceRow.sha256) & SourceRow.gone_at.is_not(None)
    lost = exists().where(CaseSourceRow.case_id == CaseRow.id, source_gone)
    return (_renewals(today) >= MOST_RENEWALS) | without_site | lost


def _renewals(today: _Today) -> ColumnElement[int]:
    return case((CaseRow.renewed_by == today.program, CaseRow.renewals), else_=0)


def _program() -> str:
    today = program_digests()
    return f"{DOCUMENT_VERSION} {today.readers} {today.decides} {today.words}"
