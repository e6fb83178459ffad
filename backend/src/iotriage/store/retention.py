"""Removes what was kept long enough: cases with all that belongs to them, share links that have ended, entries of the
audit log. Uploads that no case uses are removed by `iotriage.store.sources`."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Select, delete, exists, or_, select

from iotriage.store.access_tables import ShareLinkRow
from iotriage.store.audit import RETENTION, AuditContext, drop_old_entries, record
from iotriage.store.cases import delete_case, lock_case
from iotriage.store.database import Database
from iotriage.store.sources import SourceFolder, remove_bytes
from iotriage.store.tables import CaseRow, CaseSourceRow, SourceRow
from iotriage.store.ticket_tables import TicketCaseRow, TicketRow
from iotriage_parsers.frozen import frozen

MOST_AT_ONCE: Final = 100
"""Number of each kind removed in one round, so that nobody has to wait for it; the next round goes on."""


@frozen
class Retention:
    """How long each kind is kept: cases since they were made, sources since the last case of them was made, share links
    since they ended. None is for ever. A case whose sources went keeps its document, and is read no more."""

    cases: timedelta | None = None
    sources: timedelta | None = None
    shares: timedelta | None = timedelta(days=30)
    audit: timedelta | None = timedelta(days=365)


def drop_expired(database: Database, folder: SourceFolder, retention: Retention) -> Iterator[str]:
    """One round; the ids of the cases that went. Each goes in a transaction of its own."""
    now = folder.clock()
    if retention.cases is not None:
        with database.reading() as session:
            old = session.scalars(_old_cases(now - retention.cases).limit(MOST_AT_ONCE)).all()
        for case_id in old:
            if _drop_case(database, folder, case_id, now - retention.cases):
                yield case_id
    if retention.sources is not None:
        _drop_sources(database, folder, now - retention.sources)
    with database.writing() as session, session.begin():
        if retention.shares is not None:
            before = now - retention.shares
            session.execute(
                delete(ShareLinkRow).where(or_(ShareLinkRow.ends_at < before, ShareLinkRow.revoked_at < before))
            )
        if retention.audit is not None:
            drop_old_entries(session, now, retention.audit, 10 * MOST_AT_ONCE)


def _old_cases(before: datetime) -> Select[str]:
    """The oldest first; no samples, none that is being read, none of a ticket on which somebody still works. What was
    joined into another goes with that."""
    open_ticket = exists().where(
        TicketCaseRow.case_id == CaseRow.id, TicketRow.id == TicketCaseRow.ticket_id, TicketRow.status != "closed"
    )
    old = select(CaseRow.id).where(CaseRow.created_at < before, CaseRow.sample_key.is_(None))
    old = old.where(CaseRow.joined_into.is_(None))
    return old.where(CaseRow.status != "reading", ~open_ticket).order_by(CaseRow.created_at)


def _drop_sources(database: Database, folder: SourceFolder, before: datetime) -> None:
    with database.reading() as session:
        old = session.scalars(_old_sources(before).limit(MOST_AT_ONCE)).all()
    for sha256 in old:
        with database.writing() as session, session.begin():
            row = session.get(SourceRow, sha256, with_for_update=True)
            if row is not None and session.scalar(_old_sources(before).where(SourceRow.sha256 == sha256)) is not None:
                remove_bytes(session, folder, row)
                record(
                    session,
                    AuditContext(RETENTION, "nothing", "source removed", about=f"sha256 {sha256}"),
                    folder.clock(),
                )


def _old_sources(before: datetime) -> Select[str]:
    """Those of which every case is old: of a source that no case uses it is decided elsewhere."""
    # Asked of one source by itself, while it is held, too: not of all cases each time.
    is_old = _old_cases(before).order_by(None).where(CaseRow.id == CaseSourceRow.case_id).correlate(CaseSourceRow)
    of_it = CaseSourceRow.sha256 == SourceRow.sha256
    used, used_by_newer = (exists().where(of_it, *more).correlate(SourceRow) for more in ((), (~is_old.exists(),)))
    return select(SourceRow.sha256).where(SourceRow.gone_at.is_(None), used, ~used_by_newer)


def _drop_case(database: Database, folder: SourceFolder, case_id: str, before: datetime) -> bool:
    """Deletes the case where it is still old once it is locked; whether it did."""
    with database.writing() as session, session.begin():
        case = lock_case(session, case_id)
        if case is None or session.scalar(_old_cases(before).where(CaseRow.id == case_id)) is None:
            return False
        delete_case(session, folder, case, RETENTION)
        record(session, AuditContext(RETENTION, "nothing", "case removed", case_id), folder.clock())
        return True
