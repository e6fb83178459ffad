"""Which ticket a name means, and that one reference has one."""

from __future__ import annotations

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from iotriage.store.column_text import column_text
from iotriage.store.ticket_tables import LARGEST_TICKET, TicketRow


def ticket_referenced(session: Session, reference: str, system: str | None = None) -> int | None:
    """By what the centre's own ticket system calls it; of several the newest. A site may have a ticket system of its
    own: where `system` is given, it is one of that."""
    wanted = select(TicketRow.id).where(TicketRow.reference == column_text(reference))
    if system:
        wanted = wanted.where(TicketRow.system == column_text(system))
    return session.scalar(wanted.order_by(TicketRow.id.desc()).limit(1))


def hold_reference(session: Session, reference: str) -> None:
    """Before this session's transaction ends, nobody else opens a ticket for it: of two mails of one that come at once
    the second is added to the ticket of the first. Whoever holds a reference takes it before cases and tickets."""
    if session.get_bind().dialect.name == "postgresql":
        session.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(column_text(reference), 0))))


def ticket_named(session: Session, name: str) -> int | None:
    """By its reference, else by its number here. A centre's own numbers are references, and who sends a log knows
    those."""
    found = ticket_referenced(session, name)
    if found is None and name.isascii() and name.isdecimal() and int(name) <= LARGEST_TICKET:
        found = session.scalar(select(TicketRow.id).where(TicketRow.id == int(name)))
    return found
