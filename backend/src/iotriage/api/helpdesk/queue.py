"""The queue: listed, searched, acted on; and the filters that somebody keeps."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from fastapi import Path, Query
from sqlalchemy.orm import Session

from iotriage.access.people import colleagues
from iotriage.analysis.document import HeadlineSeverity
from iotriage.api.guard.current_person import CurrentPerson
from iotriage.api.guard.policies import HELPDESK_READS, HELPS
from iotriage.api.helpdesk.requests import EntryNamed, QueueAction, SavedViewRequest
from iotriage.api.problems import ProblemError, not_found
from iotriage.api.routers import api_router
from iotriage.api.services import Here, ReadSession
from iotriage.helpdesk.queue import BadCursorError, QueueFilter, QueuePage, Sort, queue_page
from iotriage.helpdesk.saved_views import SavedView, ViewOf, delete_view, save_view, saved_views
from iotriage.helpdesk.ticket_names import current_ticket
from iotriage.helpdesk.tickets import (
    CaseHasTicketError,
    ConflictError,
    UnknownTicketError,
    has_ticket,
    set_status_and_owner,
    take_case,
)
from iotriage.store.audit import add_audit_detail
from iotriage.store.queue_entries import ticket_of_case
from iotriage.store.ticket_tables import TicketStatus
from iotriage_parsers.frozen import frozen

router = api_router("/queue", tag="helpdesk")

Name = Annotated[str | None, Query(max_length=500, pattern=r"^[^\x00]*$")]


@frozen
class Acted:
    """What became of one entry: its ticket, or why nothing was done."""

    ticket: int | None
    case: str | None
    refused: str | None


@frozen
class Colleague:
    id: str
    name: str


@router.get("", dependencies=[HELPDESK_READS])
def list_queue(
    session: ReadSession,
    status: Annotated[tuple[TicketStatus, ...], Query(description="Any of these.")] = (),
    severity: Annotated[tuple[HeadlineSeverity, ...], Query(description="Any of these.")] = (),
    owner: Name = None,
    unowned: Annotated[bool, Query(description="Those that nobody has.")] = False,
    system: Name = None,
    user: Name = None,
    project: Name = None,
    application: Name = None,
    rule: Annotated[str | None, Query(description="The rule on top.", max_length=64)] = None,
    job: Name = None,
    older_than_h: Annotated[float | None, Query(ge=0, le=1e6)] = None,
    words: Annotated[str, Query(description="Words that begin so, all of them.", max_length=500)] = "",
    sort: Sort = "urgency",
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    cursor: Annotated[str | None, Query(description="`next` of the page before.", max_length=2000)] = None,
) -> QueuePage:
    """Tickets, and cases that nobody has taken, a page at a time. Words are looked for in findings, rules, names of
    files given and used, paths, nodes, notes and fields."""
    filter = QueueFilter(
        status=status,
        severity=severity,
        owner=owner,
        unowned=unowned,
        system=system,
        user=user,
        project=project,
        application=application,
        rule=rule,
        job=job,
        older_than_h=older_than_h,
        words=words,
    )
    try:
        return queue_page(session, filter, sort, limit, cursor, datetime.now(UTC))
    except BadCursorError:
        detail = "Take `next` of the page before, with the same sort."
        raise ProblemError(409, "bad-cursor", "There is no such place in the queue", detail) from None


@router.post("/actions", dependencies=[HELPS])
def act_on_entries(action: QueueAction, services: Here, person: CurrentPerson) -> list[Acted]:
    """Assigns all the entries, or sets their status. Each is changed separately: an entry that is gone, or that
    somebody else has changed since the `version` that was seen, is refused, and the others are changed."""
    return [_acted(services, person.id, entry, action) for entry in action.entries]


@router.get("/people", dependencies=[HELPDESK_READS])
def list_colleagues(session: ReadSession, person: CurrentPerson) -> list[Colleague]:
    """Who can own a ticket: people of the helpdesk who have logged in, by name."""
    return [Colleague(one.id, one.name) for one in colleagues(session, person)]


@router.get("/views", dependencies=[HELPDESK_READS])
def list_views(session: ReadSession, person: CurrentPerson) -> tuple[SavedView, ...]:
    """The person's own saved views, and those that others share."""
    return saved_views(session, person.id)


@router.post("/views", status_code=201, dependencies=[HELPS])
def keep_view(request: SavedViewRequest, services: Here, person: CurrentPerson) -> SavedView:
    """Saves a filter under a name."""
    with services.database.writing() as session, session.begin():
        return save_view(session, person.id, request.name, ViewOf(request.filter, request.sort), shared=request.shared)


@router.delete("/views/{view_id}", status_code=204, dependencies=[HELPS])
def remove_view(view_id: Annotated[int, Path(ge=1, le=2**31 - 1)], services: Here, person: CurrentPerson) -> None:
    """Deletes one of the person's own saved views."""
    with services.database.writing() as session, session.begin():
        if not delete_view(session, person.id, view_id):
            raise not_found("view", str(view_id), "saved view")


def _acted(services: Here, by: str, entry: EntryNamed, action: QueueAction) -> Acted:
    try:
        with services.database.writing() as session, session.begin():
            ticket_id = _ticket_of(session, by, entry)
            seen = None if entry.ticket is None else entry.version
            set_status_and_owner(session, by, ticket_id, seen, action.status, action.owner)
            add_audit_detail(session, _in_words(ticket_id, action))
        return Acted(ticket_id, entry.case, None)
    except ConflictError as conflict:
        refused = f"Somebody changed it meanwhile: it is version {conflict.version} now."
    except CaseHasTicketError as taken:
        refused = f"Somebody took it meanwhile: it is of ticket {taken.named} now."
    except UnknownTicketError as unknown:
        refused = f"There is no {unknown}."
    return Acted(entry.ticket, entry.case, refused)


def _in_words(ticket_id: int, action: QueueAction) -> str:
    status = None if action.status is None else f"status {action.status}"
    owner = None if action.owner is None else f"owner {action.owner or 'nobody'}"
    return ", ".join(filter(None, (f"ticket {ticket_id}", status, owner)))


def _ticket_of(session: Session, by: str, entry: EntryNamed) -> int:
    """The entry's ticket; a case that nobody has taken gets one. Raises `CaseHasTicketError` of one that was seen, in a
    version, while nobody had, and that has one by now."""
    if entry.ticket is not None:
        return current_ticket(session, entry.ticket)
    if entry.case is None:
        raise UnknownTicketError("ticket", "and no case named")
    known = ticket_of_case(session, entry.case)
    if known is not None and entry.version is not None:
        raise has_ticket(session, entry.case, known)
    return take_case(session, by, entry.case)
