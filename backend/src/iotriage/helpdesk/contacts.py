"""When the helpdesk last wrote to a user: a ticket of theirs became answered, or waits for them."""

from __future__ import annotations

from datetime import UTC

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from iotriage.centre.report.section import Contact
from iotriage.helpdesk.ticket_names import name_of
from iotriage.sites import all_sites
from iotriage.store.ticket_tables import EventRow, QueueEntryRow, TicketRow

_WRITTEN: tuple[str, ...] = ("answered", "waiting")


def contacts(session: Session) -> tuple[Contact, ...]:
    """When the user of each ticket was last answered, where the user is known."""
    by = (QueueEntryRow.user, QueueEntryRow.system, TicketRow.id, TicketRow.reference, TicketRow.status)
    rows = session.execute(
        select(*by, func.max(EventRow.at))
        .join(TicketRow, TicketRow.id == EventRow.ticket_id)
        .join(QueueEntryRow, QueueEntryRow.ticket_id == TicketRow.id)
        .where(EventRow.kind == "status", EventRow.after.in_(_WRITTEN), QueueEntryRow.user.is_not(None))
        .group_by(*by)
    )
    return tuple(
        Contact(user or "", at.astimezone(UTC).date(), name_of(id, reference), status, _known(system))
        for user, system, id, reference, status, at in rows
    )


def _known(system: str | None) -> str | None:
    """The site that a ticket is said to be of, where there is such a one."""
    site = None if system is None else all_sites().get(system.casefold())
    return None if site is None or site.status == "generic" else site.id
