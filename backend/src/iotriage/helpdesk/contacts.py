"""When the helpdesk last wrote to a user: a ticket of theirs became answered, or waits for them."""

from __future__ import annotations

from datetime import UTC

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from iotriage.centre.report.section import Contact
from iotriage.store.ticket_tables import EventRow, QueueEntryRow, TicketRow

_WRITTEN: tuple[str, ...] = ("answered", "waiting")


def contacts(session: Session) -> tuple[Contact, ...]:
    """Of each ticket whose user is known, the last time."""
    rows = session.execute(
        select(QueueEntryRow.user, func.max(EventRow.at), TicketRow.id, TicketRow.reference, TicketRow.status)
        .join(TicketRow, TicketRow.id == EventRow.ticket_id)
        .join(QueueEntryRow, QueueEntryRow.ticket_id == TicketRow.id)
        .where(EventRow.kind == "status", EventRow.after.in_(_WRITTEN), QueueEntryRow.user.is_not(None))
        .group_by(QueueEntryRow.user, TicketRow.id, TicketRow.reference, TicketRow.status)
    )
    return tuple(
        Contact(user or "", at.astimezone(UTC).date(), reference or str(id), status)
        for user, at, id, reference, status in rows
    )
