"""On which side of the advice a run is of which nobody said it: by when its job began.

What comes after an answer need not have run after it: a user sends the log of last week too. Until the start of the
job tells, and where no source knows it, the run is only presumed to be the one after.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import UTC, datetime

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from iotriage.store.queue_entries import ANSWERED
from iotriage.store.tables import CaseRow
from iotriage.store.ticket_tables import CaseFactsRow, CaseRole, EventRow, TicketCaseRow, TicketRow
from iotriage_parsers.frozen import frozen


@frozen
class AssignedRole:
    """Of a run; `presumed` where nobody said it, and the start of its job has still to tell."""

    role: CaseRole
    presumed: bool = False


@frozen
class DecidedRole:
    """A run whose side its start has told; `moved` where it is not the one that was presumed."""

    case_id: str
    role: CaseRole
    moved: bool


def role_on_arrival(session: Session, ticket_id: int) -> AssignedRole:
    """What a case is that comes without a word: presumed to be the run after the advice, where somebody has answered
    the ticket about one from before that could be read. What a user sends before that, nobody's advice can have
    changed."""
    known = _cases_before(ticket_id).where(CaseRow.status != "failed")
    if first_answer(session, ticket_id) is None or session.scalar(known.limit(1)) is None:
        return AssignedRole("before")
    return AssignedRole("after", presumed=True)


def first_answer(session: Session, ticket_id: int) -> datetime | None:
    """When somebody first answered the ticket, or set it to wait for its user, about a run of it; None where that never
    was. Who is asked for a log, having sent none that could be read, is advised nothing."""
    unread = set(session.scalars(_cases_before(ticket_id).where(CaseRow.status == "failed")))
    events = session.scalars(select(EventRow).where(EventRow.ticket_id == ticket_id).order_by(EventRow.id)).all()
    opened_as = session.get_one(TicketRow, ticket_id).status
    histories = dict.fromkeys(event.joined_from for event in events)
    answers = (_answer(events, history, unread, opened_as if history is None else "new") for history in histories)
    return min((at for at in answers if at is not None), default=None)


def _answer(events: Sequence[EventRow], history: int | None, unread: Collection[str], status: str) -> datetime | None:
    """When somebody first answered the ticket of that history, which was opened with this status where nobody changed
    it. What another one was asked before the two were joined is no answer about a run of this one."""
    changes = (event.before for event in events if event.joined_from == history and event.kind == "status")
    status_then, about_a_run, others_run = next(changes, None) or status, False, False
    for event in events:
        is_run = event.kind == "case added" and event.before == "before" and event.after not in unread
        if event.joined_from != history:
            others_run = others_run or (is_run and event.joined_from is not None)
            continue
        if event.kind == "status" and event.after is not None:
            status_then = event.after
        about_a_run = about_a_run or is_run or (event.kind == "joined" and others_run)
        if about_a_run and status_then in ANSWERED:
            return event.at
    return None


def _cases_before(ticket_id: int) -> Select[str]:
    """The ticket's cases from before the advice."""
    of_ticket = select(CaseRow.id).join(TicketCaseRow, TicketCaseRow.case_id == CaseRow.id)
    return of_ticket.where(TicketCaseRow.ticket_id == ticket_id, TicketCaseRow.role == "before")


def role_by_start(started_s: float, answered: datetime) -> CaseRole:
    """Pure: a job that began before the answer cannot have followed it."""
    return "before" if datetime.fromtimestamp(started_s, UTC) < answered else "after"


def decide_roles_by_start(session: Session, ticket_id: int) -> tuple[DecidedRole, ...]:
    """Settles the side of each run of the ticket that is presumed, is read, and says when it began; call it with the
    ticket held. Those that were settled."""
    answered = first_answer(session, ticket_id)
    if answered is None:
        return ()
    placed = []
    for row, started_s in session.execute(_dated(ticket_id)).all():
        assert started_s is not None
        role = role_by_start(started_s, answered)
        placed.append(DecidedRole(row.case_id, role, row.role != role))
        row.role, row.presumed = role, False
    return tuple(placed)


def has_undecided_roles(session: Session, ticket_id: int) -> bool:
    return session.execute(_dated(ticket_id).limit(1)).first() is not None


def _dated(ticket_id: int) -> Select[TicketCaseRow, float | None]:
    """The runs whose side is presumed and whose start is known. One that is still to be split tells of several jobs."""
    return (
        select(TicketCaseRow, CaseFactsRow.started_s)
        .join(CaseRow, CaseRow.id == TicketCaseRow.case_id)
        .join(CaseFactsRow, CaseFactsRow.case_id == CaseRow.id)
        .where(
            TicketCaseRow.ticket_id == ticket_id,
            TicketCaseRow.presumed,
            CaseRow.status == "ready",
            CaseRow.splits_by_job.is_(False),
            CaseFactsRow.started_s.is_not(None),
        )
    )
