"""A ticket with all that belongs to it: its fields, cases, notes, history and outcome."""

from __future__ import annotations

from datetime import datetime

from pydantic import ConfigDict
from sqlalchemy import select
from sqlalchemy.orm import Session, lazyload

from iotriage.analysis.document import HeadlineSeverity
from iotriage.helpdesk.ticket_address import address_of, address_of_site
from iotriage.helpdesk.unread import why_unread
from iotriage.store.tables import CaseRow, CaseStatus
from iotriage.store.ticket_tables import (
    LARGEST_TICKET,
    CaseRole,
    EventKind,
    EventRow,
    NoteRow,
    OutcomeRow,
    OutcomeRuleRow,
    OutcomeVerdict,
    QueueEntryRow,
    TicketCaseRow,
    TicketRow,
    TicketStatus,
)
from iotriage_parsers.frozen import frozen


@frozen
class TicketFields:
    """What people say about a ticket. `reference` is what the centre's own ticket system calls it. `system` to
    `application` are None where the evidence is to say it."""

    subject: str = ""
    status: TicketStatus = "new"
    owner: str | None = None
    reference: str | None = None
    system: str | None = None
    user: str | None = None
    project: str | None = None
    application: str | None = None


@frozen
class Note:
    """Markdown as it was written: who shows it makes it safe. `changed_at` is None where it is as it was written."""

    id: int
    author: str
    written_at: datetime
    changed_at: datetime | None
    text: str
    version: int


@frozen
class Event:
    """Who did what. `before` and `after` are the values of what `kind` says, or the id of a case or a note."""

    at: datetime
    by: str
    kind: EventKind
    before: str | None
    after: str | None


@frozen
class CaseOfTicket:
    """`role` is whether the case ran before or after what was advised, `presumed` where nobody said so and no start of
    its job has told yet. What follows `title` may be None. `unread` says of one that failed which file could not be
    read, and why."""

    id: str
    role: CaseRole
    presumed: bool
    added_at: datetime
    status: CaseStatus
    title: str
    job_id: str | None
    severity: HeadlineSeverity | None
    headline: str | None
    io_time_s: float | None
    io_time_bound: str
    unread: str | None


@frozen
class Outcome:
    """What became of the advice of `rules`. `factor` is how many times faster the I/O is (below 1: slower), None where
    that is not known; `sentence` says it. `decided_by` is None where the comparison of the two cases decided, else the
    person who did, for `reason`."""

    verdict: OutcomeVerdict
    factor: float | None
    sentence: str
    rules: tuple[str, ...]
    advised: str | None
    before_case: str | None
    after_case: str | None
    decided_at: datetime
    decided_by: str | None
    reason: str | None


@frozen
class Ticket:
    """`url` is its address in the centre's own ticket system, None without a reference or a template. `cases` in the
    order in which they were added, `notes` and `history` oldest first. `leading` is the case whose sentence the queue
    has for it, None while it has none from before the advice."""

    # Of the validators that FastAPI asks for, one for each answer of each route, those are made that are used.
    __pydantic_config__ = ConfigDict(defer_build=True)

    id: int
    version: int
    fields: TicketFields
    url: str | None
    created_at: datetime
    created_by: str
    changed_at: datetime
    cases: tuple[CaseOfTicket, ...]
    leading: str | None
    notes: tuple[Note, ...]
    history: tuple[Event, ...]
    outcome: Outcome | None


def find_ticket(session: Session, ticket_id: int, address: str | None) -> Ticket | None:
    """The ticket and all of it; `address` is where a ticket system shows one, with {reference} in it: that of a ticket
    whose site names none of its own."""
    row = session.get(TicketRow, ticket_id) if 0 < ticket_id <= LARGEST_TICKET else None
    if row is None:
        return None
    events = select(EventRow).where(EventRow.ticket_id == ticket_id).order_by(EventRow.id)
    notes = select(NoteRow).where(NoteRow.ticket_id == ticket_id).order_by(NoteRow.id)
    return Ticket(
        id=row.id,
        version=row.version,
        fields=fields_of(row),
        url=address_of(row.reference, address_of_site(session, row) or address),
        created_at=row.created_at,
        created_by=row.created_by,
        changed_at=row.changed_at,
        cases=tuple(_cases(session, ticket_id)),
        leading=session.scalar(select(QueueEntryRow.case_id).where(QueueEntryRow.ticket_id == ticket_id)),
        notes=tuple(
            Note(n.id, n.author, n.written_at, n.changed_at, n.text, n.version) for n in session.scalars(notes)
        ),
        history=tuple(Event(e.at, e.by, e.kind, e.before, e.after) for e in session.scalars(events)),
        outcome=outcome_of(session, ticket_id),
    )


def fields_of(ticket: TicketRow) -> TicketFields:
    return TicketFields(
        subject=ticket.subject,
        status=ticket.status,
        owner=ticket.owner,
        reference=ticket.reference,
        system=ticket.system,
        user=ticket.user,
        project=ticket.project,
        application=ticket.application,
    )


def outcome_of(session: Session, ticket_id: int) -> Outcome | None:
    row = session.get(OutcomeRow, ticket_id)
    if row is None:
        return None
    rules = select(OutcomeRuleRow.rule).where(OutcomeRuleRow.ticket_id == ticket_id).order_by(OutcomeRuleRow.rule)
    return Outcome(
        verdict=row.verdict,
        factor=row.factor,
        sentence=row.sentence,
        rules=tuple(session.scalars(rules)),
        advised=row.advised,
        before_case=row.before_case,
        after_case=row.after_case,
        decided_at=row.decided_at,
        decided_by=row.decided_by,
        reason=row.reason,
    )


def _cases(session: Session, ticket_id: int) -> list[CaseOfTicket]:
    rows = session.execute(
        select(TicketCaseRow, CaseRow)
        .join(CaseRow, CaseRow.id == TicketCaseRow.case_id)
        .options(lazyload(CaseRow.sources))
        .where(TicketCaseRow.ticket_id == ticket_id)
        .order_by(TicketCaseRow.added_at, CaseRow.id)
    ).all()
    unread = why_unread(session, [case.id for _, case in rows])
    return [
        CaseOfTicket(
            id=case.id,
            role=row.role,
            presumed=row.presumed,
            added_at=row.added_at,
            status=case.status,
            title=case.title,
            job_id=case.job_id,
            severity=case.severity,
            headline=case.headline,
            io_time_s=case.io_time_s,
            io_time_bound=case.io_time_bound,
            unread=unread.get(case.id),
        )
        for row, case in rows
    ]
