"""Tickets: opened, read, changed, given notes and cases."""

from __future__ import annotations

from typing import Annotated, get_args

from fastapi import Path, Query, Request
from sqlalchemy.orm import Session
from starlette.concurrency import run_in_threadpool

from iotriage.access.person import Person
from iotriage.access.visibility import owned_by
from iotriage.api.cases import check_waiting
from iotriage.api.guard.current_person import Client, CurrentPerson
from iotriage.api.guard.policies import ADDS_TO_CASE, HELPDESK_READS, HELPDESK_SUBMITS, HELPS, SUBMITS
from iotriage.api.helpdesk.attachments import FILES, TicketSubmission, read_submission
from iotriage.api.helpdesk.conflicts import CHANGED_MEANWHILE, conflicting
from iotriage.api.helpdesk.requests import (
    LONGEST_LINE,
    LONGEST_NOTE,
    CaseAttachment,
    NoteChange,
    NoteRequest,
    TicketChange,
    TicketForm,
    TicketId,
    TicketOfCase,
    TicketText,
    TicketToJoin,
)
from iotriage.api.problems import ProblemError, present
from iotriage.api.requests import CaseId
from iotriage.api.routers import api_router
from iotriage.api.services import Here, ReadSession, Services
from iotriage.api.sources import Uploader
from iotriage.helpdesk.case_roles import AssignedRole, role_on_arrival
from iotriage.helpdesk.joined_tickets import join_ticket
from iotriage.helpdesk.outcomes import assess_case, assess_ticket
from iotriage.helpdesk.redelivery import has_note, has_sources, same_logs_of
from iotriage.helpdesk.ticket_contents import Ticket, TicketFields, find_ticket
from iotriage.helpdesk.ticket_names import current_ticket, hold_reference, ticket_named, ticket_referenced
from iotriage.helpdesk.tickets import (
    UnknownTicketError,
    add_case,
    add_cases,
    add_note,
    change_note,
    change_ticket,
    delete_ticket,
    has_case,
    learn_system,
    leave_out_of_queue,
    open_ticket,
    remove_case,
    role_in,
    ticket_fields,
)
from iotriage.store.audit import add_audit_detail
from iotriage.store.cases import new_case, shown_id
from iotriage.store.queue_entries import ticket_of_case
from iotriage.store.ticket_tables import CaseRole, TicketRow, TicketStatus
from iotriage_parsers.frozen import frozen


@frozen
class CaseTicket:
    """The ticket that the case is of now, as what, whether that is `presumed` until the start of its job tells, and
    whether the ticket was opened for it."""

    ticket: int
    role: CaseRole
    presumed: bool
    opened: bool


@frozen
class TicketToGiveTo:
    """The ticket that a case may be given to; null where it would be opened."""

    ticket: int | None


@frozen
class HeldBy:
    """The ticket that a case is of."""

    ticket: int
    reference: str | None
    status: TicketStatus
    owner: str | None


router = api_router("/tickets", tag="helpdesk")
naming_router = api_router(tag="helpdesk")

_LINE = {"type": "string", "maxLength": LONGEST_LINE}
_FIELDS: dict[str, object] = {
    **dict.fromkeys(TicketText.model_fields, _LINE),
    "status": {"type": "string", "enum": list(get_args(TicketStatus))},
    "note": {"type": "string", "minLength": 1, "maxLength": LONGEST_NOTE},
    "ticket": {**_LINE, "minLength": 1},
    FILES: {"type": "array", "items": {"type": "string", "format": "binary"}},
}
_FORM = {"type": "object", "additionalProperties": False, "properties": _FIELDS}
_WITHOUT_FILES = {**_FORM, "properties": {name: field for name, field in _FIELDS.items() if name != FILES}}
_BODY: dict[str, object] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {"schema": TicketForm.model_json_schema()},
            "multipart/form-data": {"schema": _FORM},
            "application/x-www-form-urlencoded": {"schema": _WITHOUT_FILES},
        },
    }
}

TicketName = Annotated[str, Query(min_length=1, max_length=500, pattern=r"^[^\x00]*$")]
NoteId = Annotated[int, Path(description="The note's number.", ge=1, le=2**31 - 1)]


@router.post("", dependencies=[HELPDESK_SUBMITS], status_code=201, response_model=Ticket, openapi_extra=_BODY)
async def create_ticket(request: Request, services: Here, client: Client, person: CurrentPerson) -> Ticket:
    """Opens a ticket, as JSON for cases that are here, or as a form with the logs as its files, `attachment` each: they
    are one case of it, and once they are read one for each job. A mail or ticket system gives so what it got. Where a
    ticket has the `reference`, or with `ticket`, it is added to that one, which is worked on again if it waited for
    that, was answered or closed. What comes twice is there once."""
    submission = await read_submission(request, services, Uploader(person, client))
    ticket, case_id = await run_in_threadpool(_opened, services, client, person, submission)
    if case_id is not None:
        services.worker.submit(case_id)
    return ticket


@naming_router.get("/cases/{case_id}/ticket", dependencies=[HELPDESK_READS])
def find_ticket_of_case(case_id: CaseId, session: ReadSession) -> HeldBy | None:
    """The ticket that the case is of; null where nobody has taken it."""
    ticket_id = ticket_of_case(session, present(shown_id(session, case_id), "case", case_id))
    found = None if ticket_id is None else session.get_one(TicketRow, ticket_id)
    return None if found is None else HeldBy(found.id, found.reference, found.status, found.owner)


@naming_router.post("/cases/{case_id}/ticket", dependencies=[ADDS_TO_CASE])
def give_case_to_ticket(case_id: CaseId, request: TicketOfCase, services: Here, person: CurrentPerson) -> CaseTicket:
    """Gives one of the person's cases to a ticket. The helpdesk may give it to any ticket, which is opened where none
    has that reference; others only to a ticket that already has a case of theirs."""
    with conflicting(), services.database.writing() as session, session.begin():
        hold_reference(session, request.ticket)
        found = _ticket_to_give_to(session, request.ticket, person)
        ticket_id = open_ticket(session, person.id, TicketFields(reference=request.ticket)) if found is None else found
        side = _role(session, ticket_id, case_id, request.role)
        # Where somebody says what it is, it is looked at on purpose.
        known = None if request.role is not None else same_logs_of(session, ticket_id, case_id)
        if known is None:
            add_case(session, person.id, ticket_id, case_id, side)
        else:
            leave_out_of_queue(session, case_id)
        add_audit_detail(session, f"ticket {ticket_id}{' opened' if found is None else ''}")
    assess_case(services.database, case_id)
    with services.database.reading() as session:
        placed = role_in(session, ticket_id, known or case_id) or side
    return CaseTicket(ticket_id, placed.role, placed.presumed, found is None)


@naming_router.get("/ticket-to-give-to", dependencies=[SUBMITS])
def find_ticket_to_give_to(name: TicketName, session: ReadSession, person: CurrentPerson) -> TicketToGiveTo:
    """Whether the person may give a case to the ticket with this reference or number, asked before the case is made:
    404 where not. `ticket` is null where a new one would be opened."""
    return TicketToGiveTo(_ticket_to_give_to(session, name, person))


@naming_router.get("/ticket-named", dependencies=[HELPDESK_READS])
def find_ticket_by_name(
    name: TicketName,
    services: Here,
    session: ReadSession,
) -> Ticket:
    """The ticket by its number, or by its reference in the centre's own ticket system; of several the newest."""
    return shown(session, services, present(ticket_named(session, name), "ticket", name))


@router.get("/{ticket_id}", dependencies=[HELPDESK_READS])
def get_ticket(ticket_id: TicketId, services: Here, session: ReadSession) -> Ticket:
    """The ticket with its cases before and after the advice, notes, history and outcome. For a ticket that was joined
    into another, that one, with its `id`."""
    return shown(session, services, current_ticket(session, ticket_id))


@router.patch("/{ticket_id}", dependencies=[HELPS], responses=CHANGED_MEANWHILE)
def edit_ticket(ticket_id: TicketId, change: TicketChange, services: Here, person: CurrentPerson) -> Ticket:
    """Changes the fields of the ticket; fields that the request lacks stay. 409 where somebody else changed it since
    `version`: the answer has `theirs` and `yours`."""
    with conflicting(), services.database.reading() as session:
        fields = change.onto(ticket_fields(session, current_ticket(session, ticket_id)))
    with conflicting(fields), services.database.writing() as session, session.begin():
        stays = current_ticket(session, ticket_id)
        change_ticket(session, person.id, stays, change.version, fields)
        return shown(session, services, stays)


@router.delete("/{ticket_id}", dependencies=[HELPS], status_code=204)
def remove_ticket(ticket_id: TicketId, services: Here) -> None:
    """Deletes the ticket with its notes and history. Its cases stay, and belong to no ticket. A ticket that was joined
    into another is gone: 404, as its number must not delete that one."""
    with conflicting(), services.database.writing() as session, session.begin():
        delete_ticket(session, ticket_id)


@router.post("/{ticket_id}/join", dependencies=[HELPS], responses=CHANGED_MEANWHILE)
def join_with_ticket(ticket_id: TicketId, other: TicketToJoin, services: Here, person: CurrentPerson) -> Ticket:
    """Joins two tickets: this one gets the cases, notes and history of the other, whose number and reference lead here
    from then on. 409 where somebody else changed this one since `version`, or where both are the same."""
    with conflicting(), services.database.writing() as session, session.begin():
        stays = current_ticket(session, ticket_id)
        joined = join_ticket(session, person.id, stays, other.version, other.ticket)
        add_audit_detail(session, f"ticket {joined} joined into {stays}")
    assess_ticket(services.database, stays)
    with services.database.reading() as session:
        return shown(session, services, stays)


@router.post("/{ticket_id}/notes", dependencies=[HELPS], status_code=201)
def write_note(ticket_id: TicketId, note: NoteRequest, services: Here, person: CurrentPerson) -> Ticket:
    """Adds a note in Markdown."""
    with conflicting(), services.database.writing() as session, session.begin():
        stays = current_ticket(session, ticket_id)
        add_note(session, person.id, stays, note.text)
        return shown(session, services, stays)


@router.patch("/{ticket_id}/notes/{note_id}", dependencies=[HELPS], responses=CHANGED_MEANWHILE)
def edit_note(ticket_id: TicketId, note_id: NoteId, note: NoteChange, services: Here, person: CurrentPerson) -> Ticket:
    """Changes a note. 409 where somebody else changed it since `version`: the answer has `theirs` and `yours`."""
    with conflicting(note.text), services.database.writing() as session, session.begin():
        stays = current_ticket(session, ticket_id)
        change_note(session, person.id, stays, note_id, note.version, note.text)
        return shown(session, services, stays)


@router.post("/{ticket_id}/cases", dependencies=[HELPS], status_code=201)
def attach_case(ticket_id: TicketId, attached: CaseAttachment, services: Here, person: CurrentPerson) -> Ticket:
    """Adds a case that ran before or after the advice to the ticket. As soon as both have been read, the result of the
    advice is the ticket's `outcome`."""
    with conflicting(), services.database.writing() as session, session.begin():
        stays = current_ticket(session, ticket_id)
        shown(session, services, stays)
        add_case(session, person.id, stays, attached.case, _role(session, stays, attached.case, attached.role))
    assess_case(services.database, attached.case)
    with services.database.reading() as session:
        return shown(session, services, stays)


@router.delete("/{ticket_id}/cases/{case_id}", dependencies=[HELPS])
def detach_case(ticket_id: TicketId, case_id: CaseId, services: Here, person: CurrentPerson) -> Ticket:
    """Removes a case from the ticket; it then belongs to none. The outcome is worked out again from the runs that are
    left."""
    with conflicting(), services.database.writing() as session, session.begin():
        stays = current_ticket(session, ticket_id)
        remove_case(session, person.id, stays, case_id)
    assess_ticket(services.database, stays)
    with services.database.reading() as session:
        return shown(session, services, stays)


def _ticket_to_give_to(session: Session, name: str, person: Person) -> int | None:
    """The ticket that the person's case may be given to; None where it is to be opened. A problem where it may not: the
    same whether it is there or not, as whose tickets there are is the helpdesk's."""
    found = ticket_named(session, name)
    if person.sees_every_case or (found is not None and has_case(session, found, owned_by(person))):
        return found
    raise ProblemError(
        404,
        "unknown-ticket",
        "There is no such ticket",
        f"No ticket {name!r} has a case of yours: the helpdesk gives it the first one.",
    )


def _role(session: Session, ticket_id: int, case_id: str, said: CaseRole | None) -> AssignedRole:
    """On which side of the advice a case is: as is said, else as the ticket has it, else as of what arrives."""
    if said is not None:
        return AssignedRole(said)
    return role_in(session, ticket_id, case_id) or role_on_arrival(session, ticket_id)


def _opened(services: Services, client: str, person: Person, submission: TicketSubmission) -> tuple[Ticket, str | None]:
    """The ticket, and the case that is to be read."""
    fields = submission.fields
    with conflicting(), services.database.writing() as session, session.begin():
        known, case_id = _ticket_to_add_to(session, fields), None
        again = known is not None and has_sources(session, known, [s.sha256 for s in submission.sources])
        if submission.sources and not again:
            check_waiting(session, services, client)
            sources = submission.sources
            case_id = new_case(session, sources, given_by=client, owner=person.id, splits_by_job=True).id
        cases = (*fields.cases, *([] if case_id is None else [case_id]))
        if known is None:
            ticket_id = open_ticket(session, person.id, fields.fields(), cases)
        else:
            ticket_id = known
            # Before any is added: they came together, and are all of the same side.
            sides = {one: _role(session, ticket_id, one, None) for one in cases}
            if sides:
                add_cases(session, person.id, ticket_id, sides)
            # After the cases: who holds a ticket waits for none.
            if fields.system:
                learn_system(session, person.id, ticket_id, fields.system)
        if fields.note is not None and not (again and has_note(session, ticket_id, fields.note)):
            add_note(session, person.id, ticket_id, fields.note, came=known is not None)
        add_audit_detail(session, f"ticket {ticket_id}{' opened' if known is None else ''}")
        ticket = shown(session, services, ticket_id)
    if known is not None and fields.cases:
        # Those are read already, or are judged once they are.
        assess_ticket(services.database, ticket_id)
        with services.database.reading() as session:
            ticket = shown(session, services, ticket_id)
    return ticket, case_id


def _ticket_to_add_to(session: Session, fields: TicketForm) -> int | None:
    """None where one is to be opened. Raises `UnknownTicketError`."""
    if fields.ticket is not None:
        hold_reference(session, fields.ticket)
        known = ticket_named(session, fields.ticket)
        if known is None:
            raise UnknownTicketError("ticket", fields.ticket)
        return known
    if not fields.reference:
        return None
    hold_reference(session, fields.reference)
    return ticket_referenced(session, fields.reference, fields.system)


def shown(session: Session, services: Services, ticket_id: int) -> Ticket:
    """The ticket as it is answered; a problem where there is none."""
    session.flush()
    return present(find_ticket(session, ticket_id, services.settings.ticket_url), "ticket", str(ticket_id))
