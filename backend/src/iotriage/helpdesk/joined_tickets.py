"""Two tickets about one thing become one: runs, notes and history of both, and what people said of either."""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from iotriage.helpdesk.case_roles import role_on_arrival
from iotriage.helpdesk.ticket_contents import TicketFields, fields_of
from iotriage.helpdesk.ticket_names import hold_reference, name_of, systems_of, ticket_named
from iotriage.helpdesk.tickets import (
    UnknownTicketError,
    add_event,
    change_fields,
    check_version,
    described,
    lock_ticket,
    ticket_changed,
)
from iotriage.store.cases import lock_case
from iotriage.store.queue_entries import ANSWERED, refresh_ticket, reopen_ticket
from iotriage.store.ticket_tables import (
    EventRow,
    JoinedTicketRow,
    NoteRow,
    OutcomeRow,
    OutcomeRuleRow,
    TicketCaseRow,
)


class SameTicketError(Exception):
    """A ticket cannot be joined into itself."""


def join_ticket(session: Session, by: str, ticket_id: int, version: int, named: str) -> int:
    """Makes one ticket of two: this one has the cases, notes and history of the other, what was said of the other where
    nobody said it of this, and is as old as the older. The number and the reference of the other, which is answered,
    lead here from then on. Raises `UnknownTicketError`, `ConflictError` and `SameTicketError`."""
    hold_reference(session, named)
    other_id = ticket_named(session, named)
    if other_id is None:
        raise UnknownTicketError("ticket", named)
    if other_id == ticket_id:
        raise SameTicketError
    both = (ticket_id, other_id)
    cases = session.scalars(select(TicketCaseRow.case_id).where(TicketCaseRow.ticket_id.in_(both))).all()
    for case_id in sorted(cases):
        lock_case(session, case_id)
    # In one order, whoever joins which into which.
    held = {id: lock_ticket(session, id) for id in sorted(both)}
    ticket, other = held[ticket_id], held[other_id]
    check_version(ticket, version)
    if other.status not in ANSWERED:
        reopen_ticket(session, ticket, by)
    _place_anew(session, ticket_id, other_id)
    ticket.created_at = min(ticket.created_at, other.created_at)
    # Whoever saw a version of either ticket has not seen the joined one, and the other's number leads here too.
    ticket.version = max(ticket.version, other.version)
    system = _only_one(systems_of(session, other))
    of_its_own = (EventRow.ticket_id == other_id, EventRow.joined_from.is_(None))
    session.execute(update(EventRow).where(*of_its_own).values(joined_from=other_id))
    for row in (TicketCaseRow, NoteRow, EventRow, JoinedTicketRow):
        session.execute(update(row).where(row.ticket_id == other_id).values(ticket_id=ticket_id))
    _move_outcome(session, other_id, ticket_id)
    session.add(JoinedTicketRow(number=other_id, reference=other.reference, system=system, ticket_id=ticket_id))
    about = described(fields_of(other)) or None
    add_event(session, ticket, by, "joined", before=name_of(other_id, other.reference), after=about)
    change_fields(session, by, ticket, _with_what_is_missing(fields_of(ticket), fields_of(other)))
    # An entry has a case that no other has. The words of cases go with the entry unless they stand with this one's.
    refresh_ticket(session, other_id)
    ticket_changed(session, ticket)
    session.delete(other)
    session.flush()
    return other_id


def _only_one(systems: frozenset[str]) -> str | None:
    return next(iter(systems)) if len(systems) == 1 else None


def _place_anew(session: Session, one: int, another: int) -> None:
    """Where one of the two was answered and the other was not, as a rerun that opened a ticket of its own, runs of the
    latter are of the side that the start of their job tells, as runs that come after the answer."""
    sides = {id: role_on_arrival(session, id) for id in (one, another)}
    for answered, other in ((one, another), (another, one)):
        if sides[answered].presumed and not sides[other].presumed:
            placed = {"role": sides[answered].role, "presumed": True}
            session.execute(update(TicketCaseRow).where(TicketCaseRow.ticket_id == other).values(placed))


def _with_what_is_missing(fields: TicketFields, other: TicketFields) -> TicketFields:
    return replace(
        fields,
        subject=fields.subject or other.subject,
        owner=fields.owner or other.owner,
        reference=fields.reference or other.reference,
        system=fields.system or other.system,
        user=fields.user or other.user,
        project=fields.project or other.project,
        application=fields.application or other.application,
    )


def _move_outcome(session: Session, other_id: int, ticket_id: int) -> None:
    """What became of the advice of the other one, where this has nothing of its own, or a comparison's word alone and a
    person decided the other."""
    outcome, kept = session.get(OutcomeRow, other_id), session.get(OutcomeRow, ticket_id)
    if outcome is None or (kept is not None and (kept.decided_by is not None or outcome.decided_by is None)):
        return
    if kept is not None:
        session.delete(kept)
        session.flush()
    session.expunge(outcome)
    rules = session.scalars(select(OutcomeRuleRow.rule).where(OutcomeRuleRow.ticket_id == other_id)).all()
    session.execute(delete(OutcomeRuleRow).where(OutcomeRuleRow.ticket_id == other_id))
    session.execute(update(OutcomeRow).where(OutcomeRow.ticket_id == other_id).values(ticket_id=ticket_id))
    session.add_all(OutcomeRuleRow(ticket_id=ticket_id, rule=rule) for rule in rules)
    session.flush()
