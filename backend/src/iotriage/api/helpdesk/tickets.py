"""Tickets: opened, read, changed, given notes and cases."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query
from sqlalchemy.orm import Session

from iotriage.api.guard.asking import Asking
from iotriage.api.guard.policies import HELPDESK_READS, HELPDESK_SUBMITS, HELPS
from iotriage.api.helpdesk.conflicts import CHANGED_MEANWHILE, conflicting
from iotriage.api.helpdesk.requests import (
    CaseAttachment,
    NoteChange,
    NoteRequest,
    TicketChange,
    TicketId,
    TicketRequest,
)
from iotriage.api.problems import not_found
from iotriage.api.requests import CaseId
from iotriage.api.services import Here, ReadSession, Services
from iotriage.helpdesk.outcomes import settle_outcome
from iotriage.helpdesk.tickets import (
    Ticket,
    add_case,
    add_note,
    change_note,
    change_ticket,
    delete_ticket,
    find_ticket,
    open_ticket,
    remove_case,
    ticket_named,
)

router = APIRouter(prefix="/tickets", tags=["helpdesk"])
naming_router = APIRouter(tags=["helpdesk"])

NoteId = Annotated[int, Path(description="The note's number.", ge=1, le=2**31 - 1)]


@router.post("", dependencies=[HELPDESK_SUBMITS], status_code=201)
def create_ticket(request: TicketRequest, services: Here, person: Asking) -> Ticket:
    """Opens a ticket, for these cases or for none yet."""
    with conflicting(), services.database.writing() as session, session.begin():
        ticket_id = open_ticket(session, person.id, request.fields(), request.cases)
        return shown(session, services, ticket_id)


@naming_router.get("/ticket-named", dependencies=[HELPDESK_READS])
def find_ticket_by_name(
    name: Annotated[str, Query(min_length=1, max_length=500, pattern=r"^[^\x00]*$")],
    services: Here,
    session: ReadSession,
) -> Ticket:
    """The ticket by its number, or by its reference in the centre's own ticket system; of several the newest."""
    ticket_id = ticket_named(session, name)
    if ticket_id is None:
        raise not_found("ticket", "ticket", name)
    return shown(session, services, ticket_id)


@router.get("/{ticket_id}", dependencies=[HELPDESK_READS])
def get_ticket(ticket_id: TicketId, services: Here, session: ReadSession) -> Ticket:
    """The ticket: its cases before and after, notes, history and outcome."""
    return shown(session, services, ticket_id)


@router.patch("/{ticket_id}", dependencies=[HELPS], responses=CHANGED_MEANWHILE)
def edit_ticket(ticket_id: TicketId, change: TicketChange, services: Here, person: Asking) -> Ticket:
    """Changes what people say of the ticket; the request has all fields as they are to be. 409 where somebody else
    changed it since `version`: the answer has `theirs` and `yours`."""
    with conflicting(change.fields()), services.database.writing() as session, session.begin():
        change_ticket(session, person.id, ticket_id, change.version, change.fields())
        return shown(session, services, ticket_id)


@router.delete("/{ticket_id}", dependencies=[HELPS], status_code=204)
def remove_ticket(ticket_id: TicketId, services: Here) -> None:
    """Deletes the ticket with its notes and history; its cases stay, and nobody has them."""
    with conflicting(), services.database.writing() as session, session.begin():
        delete_ticket(session, ticket_id)


@router.post("/{ticket_id}/notes", dependencies=[HELPS], status_code=201)
def write_note(ticket_id: TicketId, note: NoteRequest, services: Here, person: Asking) -> Ticket:
    """Adds a note in Markdown."""
    with conflicting(), services.database.writing() as session, session.begin():
        add_note(session, person.id, ticket_id, note.text)
        return shown(session, services, ticket_id)


@router.patch("/{ticket_id}/notes/{note_id}", dependencies=[HELPS], responses=CHANGED_MEANWHILE)
def edit_note(ticket_id: TicketId, note_id: NoteId, note: NoteChange, services: Here, person: Asking) -> Ticket:
    """Changes a note. 409 where somebody else changed it since `version`: the answer has `theirs` and `yours`."""
    with conflicting(note.text), services.database.writing() as session, session.begin():
        change_note(session, person.id, ticket_id, note_id, note.version, note.text)
        return shown(session, services, ticket_id)


@router.post("/{ticket_id}/cases", dependencies=[HELPS], status_code=201)
def attach_case(ticket_id: TicketId, attached: CaseAttachment, services: Here, person: Asking) -> Ticket:
    """Gives the ticket a case that ran before or after what was advised. Where both are read, or as soon as they are,
    what became of the advice is the ticket's `outcome`."""
    with conflicting(), services.database.writing() as session, session.begin():
        add_case(session, person.id, ticket_id, attached.case, attached.role)
    settle_outcome(services.database, attached.case)
    with services.database.reading() as session:
        return shown(session, services, ticket_id)


@router.delete("/{ticket_id}/cases/{case_id}", dependencies=[HELPS])
def detach_case(ticket_id: TicketId, case_id: CaseId, services: Here, person: Asking) -> Ticket:
    """Takes a case out of the ticket: nobody has it then."""
    with conflicting(), services.database.writing() as session, session.begin():
        remove_case(session, person.id, ticket_id, case_id)
        return shown(session, services, ticket_id)


def shown(session: Session, services: Services, ticket_id: int) -> Ticket:
    """The ticket as it is answered; a problem where there is none."""
    session.flush()
    found = find_ticket(session, ticket_id, services.settings.ticket_url)
    if found is None:
        raise not_found("ticket", "ticket", str(ticket_id))
    return found
