"""Names of tickets: what a ticket is called, which ticket a name means, and that a reference belongs to one ticket
only."""

from __future__ import annotations

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from iotriage.store.column_text import column_text
from iotriage.store.ticket_tables import LARGEST_TICKET, CaseFactsRow, JoinedTicketRow, TicketCaseRow, TicketRow


def name_of(number: int, reference: str | None) -> str:
    """The name that people use: the ticket's reference, else its number here."""
    return reference or str(number)


def ticket_referenced(session: Session, reference: str, system: str | None = None) -> int | None:
    """By what the centre's own ticket system calls it, or calls one that was joined into it; of several the newest. A
    site may have a ticket system of its own: where `system` is given, what it calls so is of that, else of nobody knows
    which system."""
    called = column_text(reference)
    tickets = session.scalars(select(TicketRow).where(TicketRow.reference == called)).all()
    joined = session.scalars(select(JoinedTicketRow).where(JoinedTicketRow.reference == called)).all()
    if not system:
        return max((*(one.id for one in tickets), *(one.ticket_id for one in joined)), default=None)
    known = [(one.id, systems_of(session, one)) for one in tickets]
    known += [(one.ticket_id, frozenset((one.system.casefold(),) if one.system else ())) for one in joined]
    of_it = (id for id, systems in known if system.casefold() in systems)
    of_nobody_knows_which = (id for id, systems in known if not systems)
    return max(of_it, default=None) or max(of_nobody_knows_which, default=None)


def systems_of(session: Session, ticket: TicketRow) -> frozenset[str]:
    """The systems whose jobs the ticket is about, in lower case: the one that people gave it, else those of its cases;
    empty where nobody knows."""
    if ticket.system:
        return frozenset((ticket.system.casefold(),))
    cases = select(CaseFactsRow.system).join(TicketCaseRow, TicketCaseRow.case_id == CaseFactsRow.case_id)
    of_cases = session.scalars(cases.where(TicketCaseRow.ticket_id == ticket.id))
    return frozenset(system.casefold() for system in of_cases if system is not None)


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
        found = ticket_numbered(session, int(name))
    return found


def ticket_numbered(session: Session, number: int) -> int | None:
    """The ticket with this number, or the one that it was joined into."""
    found = session.scalar(select(TicketRow.id).where(TicketRow.id == number))
    if found is None:
        found = session.scalar(select(JoinedTicketRow.ticket_id).where(JoinedTicketRow.number == number))
    return found


def current_ticket(session: Session, number: int) -> int:
    """The number of the ticket that this number leads to, as after a join; the number itself where it leads to none."""
    return ticket_numbered(session, number) or number
