"""Opens and changes tickets, and adds notes and cases to them.

Whoever changes a ticket or a note states the version that they saw. Of two people who change it at once the second gets
`ConflictError`, so that nothing is lost. Every change adds an event to the history. Whoever locks both a case and a
ticket locks the case first (`iotriage.store.queue_entries`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Literal

from sqlalchemy import ColumnElement, delete, select
from sqlalchemy.orm import Session

from iotriage.helpdesk.case_roles import AssignedRole
from iotriage.helpdesk.ticket_contents import TicketFields, fields_of
from iotriage.helpdesk.ticket_names import name_of, systems_of
from iotriage.store.cases import find_case, lock_case
from iotriage.store.column_text import column_text, without_nul
from iotriage.store.queue_entries import refresh_case, refresh_ticket, reopen_ticket, ticket_of_case
from iotriage.store.tables import CaseRow
from iotriage.store.ticket_tables import (
    LARGEST_TICKET,
    EventKind,
    EventRow,
    NoteRow,
    SearchTextRow,
    TicketCaseRow,
    TicketRow,
    TicketStatus,
)


class UnknownTicketError(Exception):
    """There is no such ticket, note, or case of the ticket: `what` it would be, and how it was `named`."""

    def __init__(self, what: Literal["ticket", "note", "case"], named: str) -> None:
        super().__init__(f"{what} {named}")
        self.what = what
        self.named = named


class ConflictError(Exception):
    """Somebody else changed it meanwhile: `theirs` is what it is now, in its `version`."""

    def __init__(self, theirs: TicketFields | str, version: int) -> None:
        super().__init__(f"changed meanwhile: version {version}")
        self.theirs = theirs
        self.version = version


class CaseHasTicketError(Exception):
    """The case belongs to another ticket, whose name is `named`."""

    def __init__(self, case_id: str, named: str) -> None:
        super().__init__(f"case {case_id} is of ticket {named}")
        self.named = named


def has_ticket(session: Session, case_id: str, ticket_id: int) -> CaseHasTicketError:
    ticket = session.get_one(TicketRow, ticket_id)
    return CaseHasTicketError(case_id, name_of(ticket.id, ticket.reference))


def open_ticket(session: Session, by: str, fields: TicketFields, cases: Sequence[str] = ()) -> int:
    """A new ticket with these cases, which ran before anything was advised, in the order in which they are given.
    Raises `UnknownTicketError` and `CaseHasTicketError`."""
    # In one order all are locked, whoever asks.
    rows = {case_id: _case(session, case_id) for case_id in sorted(set(cases))}
    return _opened(session, by, fields, [rows[case_id] for case_id in dict.fromkeys(cases)], datetime.now(UTC))


def take_case(session: Session, by: str, case_id: str) -> int:
    """The ticket of a case, which gets one where nobody has taken it, as old as the case: so long has somebody waited.
    Raises `UnknownTicketError`."""
    known = ticket_of_case(session, case_id)
    if known is not None:
        return known
    case = _case(session, case_id)
    return _opened(session, by, TicketFields(), [case], case.created_at)


def _opened(session: Session, by: str, fields: TicketFields, cases: Sequence[CaseRow], since: datetime) -> int:
    ticket = TicketRow(created_at=since, changed_at=datetime.now(UTC), created_by=by, version=1)
    _write(ticket, fields)
    session.add(ticket)
    session.flush()
    add_event(session, ticket, by, "opened", after=ticket.reference)
    for case in cases:
        _add_case(session, ticket, by, case, AssignedRole("before"))
    ticket_changed(session, ticket)
    return ticket.id


def has_case(session: Session, ticket_id: int, whose: ColumnElement[bool]) -> bool:
    """Whether the ticket has a case that fulfils `whose`."""
    cases = select(TicketCaseRow.case_id).join(CaseRow, CaseRow.id == TicketCaseRow.case_id)
    return session.scalar(cases.where(TicketCaseRow.ticket_id == ticket_id, whose).limit(1)) is not None


def role_in(session: Session, ticket_id: int, case_id: str) -> AssignedRole | None:
    """What the case is of the ticket already, or the one that it was joined into; None where it is of no such."""
    case = find_case(session, case_id)
    row = session.get(TicketCaseRow, case.id) if case is not None else None
    return AssignedRole(row.role, row.presumed) if row is not None and row.ticket_id == ticket_id else None


def ticket_fields(session: Session, ticket_id: int) -> TicketFields:
    """What people say about it now. Raises `UnknownTicketError`."""
    ticket = session.get(TicketRow, ticket_id)
    if ticket is None:
        raise UnknownTicketError("ticket", f"{ticket_id}")
    return fields_of(ticket)


def change_ticket(session: Session, by: str, ticket_id: int, version: int, fields: TicketFields) -> None:
    """Raises `UnknownTicketError` and `ConflictError`."""
    ticket = lock_ticket(session, ticket_id)
    check_version(ticket, version)
    if change_fields(session, by, ticket, fields):
        ticket_changed(session, ticket)


def change_fields(session: Session, by: str, ticket: TicketRow, fields: TicketFields) -> bool:
    """Whether anything of a ticket that is held is otherwise by that, which its history tells; its entry of the queue
    is not worked out anew."""
    before = fields_of(ticket)
    _write(ticket, fields)
    after = fields_of(ticket)
    if before == after:
        return False
    _tell_changes(session, ticket, by, before, after)
    return True


def learn_system(session: Session, by: str, ticket_id: int, system: str) -> None:
    """Of which system the ticket is, where nobody has said so and no case of it does: what comes of its reference later
    is told apart by that. Raises `UnknownTicketError`."""
    ticket = lock_ticket(session, ticket_id)
    if systems_of(session, ticket):
        return
    before = fields_of(ticket)
    ticket.system = column_text(system)
    _tell_changes(session, ticket, by, before, fields_of(ticket))
    ticket_changed(session, ticket)


def add_note(session: Session, by: str, ticket_id: int, text: str, *, came: bool = False) -> int:
    """One that `came`, as a user's mail does, has the ticket worked on again. Raises `UnknownTicketError`."""
    ticket = lock_ticket(session, ticket_id)
    if came:
        reopen_ticket(session, ticket, by)
    note = NoteRow(ticket_id=ticket_id, author=by, written_at=datetime.now(UTC), text=without_nul(text))
    session.add(note)
    session.flush()
    add_event(session, ticket, by, "note", after=str(note.id))
    ticket_changed(session, ticket)
    return note.id


def change_note(session: Session, by: str, ticket_id: int, note_id: int, version: int, text: str) -> None:
    """Raises `UnknownTicketError` and `ConflictError`."""
    ticket = lock_ticket(session, ticket_id)
    note = session.get(NoteRow, note_id, with_for_update=True) if note_id <= LARGEST_TICKET else None
    if note is None or note.ticket_id != ticket_id:
        raise UnknownTicketError("note", f"{note_id} of ticket {ticket_id}")
    if note.version != version:
        raise ConflictError(note.text, note.version)
    was, note.text = note.text, without_nul(text)
    note.version, note.changed_at = note.version + 1, datetime.now(UTC)
    add_event(session, ticket, by, "note changed", was, note.text)
    ticket_changed(session, ticket)


def add_case(session: Session, by: str, ticket_id: int, case_id: str, side: AssignedRole) -> None:
    """Gives the ticket a case, for which it is reopened, or the case another side. Raises `UnknownTicketError` and
    `CaseHasTicketError`."""
    add_cases(session, by, ticket_id, {case_id: side})


def add_cases(session: Session, by: str, ticket_id: int, sides: Mapping[str, AssignedRole]) -> None:
    """Gives the ticket several cases at once, all of which are locked before the ticket is. It is reopened first: what
    an answer was about is told by the events before it (`iotriage.helpdesk.case_roles`)."""
    cases = {case_id: _case(session, case_id) for case_id in sorted(sides)}
    ticket = lock_ticket(session, ticket_id)
    if any(session.get(TicketCaseRow, case.id) is None for case in cases.values()):
        reopen_ticket(session, ticket, by)
    for case_id, side in sides.items():
        _add_case(session, ticket, by, cases[case_id], side)
    ticket_changed(session, ticket)


def leave_out_of_queue(session: Session, case_id: str) -> None:
    """Removes the case from the queue: nobody waits for an answer about it, since a ticket already has its contents."""
    case = _case(session, case_id)
    case.looked_up = True
    refresh_case(session, case)


def follow_case(session: Session, by: str, case_id: str, leading: str) -> None:
    """Gives the case, until now a part of the leading one, to the ticket that that one is of, on its side; nothing
    where it is of none."""
    row = session.get(TicketCaseRow, leading)
    if row is not None:
        case, ticket = _case(session, case_id), lock_ticket(session, row.ticket_id)
        _add_case(session, ticket, by, case, AssignedRole(row.role, row.presumed))
        ticket_changed(session, ticket)


def remove_case(session: Session, by: str, ticket_id: int, case_id: str) -> None:
    """Takes the case out of the ticket; it then belongs to none. Raises `UnknownTicketError`."""
    case = _case(session, case_id)
    ticket = lock_ticket(session, ticket_id)
    row = session.get(TicketCaseRow, case_id)
    if row is None or row.ticket_id != ticket_id:
        raise UnknownTicketError("case", f"{case_id} of ticket {ticket_id}")
    session.delete(row)
    add_event(session, ticket, by, "case removed", before=case_id)
    ticket_changed(session, ticket)
    refresh_case(session, case)


def delete_ticket(session: Session, ticket_id: int) -> None:
    """Deletes the ticket with its notes, history and outcome; its cases then belong to none. Raises
    `UnknownTicketError`."""
    ids = session.scalars(select(TicketCaseRow.case_id).where(TicketCaseRow.ticket_id == ticket_id)).all()
    cases = [case for case_id in sorted(ids) if (case := lock_case(session, case_id)) is not None]
    ticket = lock_ticket(session, ticket_id)
    session.execute(delete(TicketCaseRow).where(TicketCaseRow.ticket_id == ticket_id))
    refresh_ticket(session, ticket_id)
    for case in cases:
        refresh_case(session, case)
    session.execute(delete(SearchTextRow).where(SearchTextRow.ticket_id == ticket_id))
    session.delete(ticket)
    session.flush()


def set_status_and_owner(
    session: Session, by: str, ticket_id: int, version: int | None, status: TicketStatus | None, owner: str | None
) -> None:
    """Sets status and owner, as far as they are given; "" is nobody. Raises `UnknownTicketError` and, where a version
    is given, `ConflictError`."""
    ticket = lock_ticket(session, ticket_id)
    if version is not None:
        check_version(ticket, version)
    before = fields_of(ticket)
    ticket.status = before.status if status is None else status
    ticket.owner = before.owner if owner is None else column_text(owner) or None
    if before == fields_of(ticket):
        return
    _tell_changes(session, ticket, by, before, fields_of(ticket))
    ticket_changed(session, ticket)


def lock_ticket(session: Session, ticket_id: int) -> TicketRow:
    """The ticket, which nobody else changes before this session's transaction ends. Raises `UnknownTicketError`."""
    found = session.get(TicketRow, ticket_id, with_for_update=True) if 0 < ticket_id <= LARGEST_TICKET else None
    if found is None:
        raise UnknownTicketError("ticket", str(ticket_id))
    return found


def check_version(ticket: TicketRow, seen: int) -> None:
    """Raises `ConflictError` where the ticket, which is held, is no longer in the version that somebody saw."""
    if ticket.version != seen:
        raise ConflictError(fields_of(ticket), ticket.version)


def _case(session: Session, case_id: str) -> CaseRow:
    found = lock_case(session, case_id)
    if found is None or found.sample_key is not None:
        raise UnknownTicketError("case", case_id)
    return found


def _write(ticket: TicketRow, fields: TicketFields) -> None:
    ticket.subject = column_text(fields.subject)
    ticket.status = fields.status
    for name in ("owner", "reference", "system", "user", "project", "application"):
        value: str | None = getattr(fields, name)
        setattr(ticket, name, column_text(value) or None)


def _add_case(session: Session, ticket: TicketRow, by: str, case: CaseRow, side: AssignedRole) -> None:
    row = session.get(TicketCaseRow, case.id)
    if row is not None and row.ticket_id != ticket.id:
        raise has_ticket(session, case.id, row.ticket_id)
    if row is not None and (row.role, row.presumed) == (side.role, side.presumed):
        return
    if row is None:
        case.looked_up = False
        row = TicketCaseRow(case_id=case.id, ticket_id=ticket.id, added_at=datetime.now(UTC))
        session.add(row)
    row.role, row.presumed = side.role, side.presumed
    add_event(session, ticket, by, "case added", before=side.role, after=case.id)


def ticket_changed(session: Session, ticket: TicketRow) -> None:
    """Makes a new version of it, and works its entry of the queue out again."""
    ticket.version += 1
    ticket.changed_at = datetime.now(UTC)
    refresh_ticket(session, ticket.id)


def _tell_changes(session: Session, ticket: TicketRow, by: str, before: TicketFields, after: TicketFields) -> None:
    kinds: tuple[tuple[EventKind, str | None, str | None], ...] = (
        ("status", before.status, after.status),
        ("owner", before.owner, after.owner),
        ("reference", before.reference, after.reference),
        ("described", described(before), described(after)),
    )
    for kind, was, is_now in kinds:
        if was != is_now:
            add_event(session, ticket, by, kind, was, is_now)


def described(fields: TicketFields) -> str:
    """What people say the ticket is about, as its history has it; "" where they say nothing."""
    values = (fields.subject, fields.system, fields.user, fields.project, fields.application)
    return ", ".join(one for one in values if one)


def add_event(
    session: Session, ticket: TicketRow, by: str, kind: EventKind, before: str | None = None, after: str | None = None
) -> None:
    """Adds an event to the ticket's history."""
    session.add(EventRow(ticket_id=ticket.id, at=datetime.now(UTC), by=by, kind=kind, before=before, after=after))
