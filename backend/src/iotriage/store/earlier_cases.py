"""Enters cases that were made before there was a queue, with what their documents say; and chooses the leading case of
tickets anew, by today's rules."""

from __future__ import annotations

from sqlalchemy import select

from iotriage.store.cases import lock_case, stored_document
from iotriage.store.database import Database
from iotriage.store.queue_entries import enter_case, refresh_ticket, tickets_led_otherwise
from iotriage.store.tables import CaseRow
from iotriage.store.ticket_tables import QueueEntryRow, TicketCaseRow, TicketRow

_AT_ONCE = 100


def enter_earlier_cases(database: Database) -> int:
    """How many those were. One transaction each: others write meanwhile."""
    entered = 0
    while found := _not_entered(database):
        for case_id in found:
            with database.writing() as session, session.begin():
                case = lock_case(session, case_id)
                if case is not None:
                    enter_case(session, case, stored_document(case))
        entered += len(found)
    return entered


def lead_earlier_tickets(database: Database) -> int:
    """How many tickets had another leading case than they have now."""
    with database.reading() as session:
        found = tickets_led_otherwise(session)
    for ticket_id in found:
        with database.writing() as session, session.begin():
            if session.get(TicketRow, ticket_id) is not None:
                refresh_ticket(session, ticket_id)
    return len(found)


def _not_entered(database: Database) -> list[str]:
    """The oldest first: of entries that are alike the queue shows first what was entered first."""
    alone = select(QueueEntryRow.case_id).where(QueueEntryRow.case_id.is_not(None))
    missing = select(CaseRow.id).where(
        CaseRow.sample_key.is_(None),
        CaseRow.joined_into.is_(None),
        CaseRow.id.not_in(alone),
        CaseRow.id.not_in(select(TicketCaseRow.case_id)),
    )
    with database.reading() as session:
        return list(session.scalars(missing.order_by(CaseRow.created_at, CaseRow.id).limit(_AT_ONCE)))
