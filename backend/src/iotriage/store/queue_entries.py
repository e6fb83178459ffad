"""Entries of the queue. They are worked out of tickets and cases whenever one of these changes, so that a page of the
queue is one query on one table. Whoever changes both a case and a ticket locks the case first, so that two such
transactions do not deadlock."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Literal

from sqlalchemy import ColumnElement, bindparam, delete, func, select, update
from sqlalchemy.orm import Session, lazyload

from iotriage.analysis.document import CaseDocument
from iotriage.store.case_facts import write_facts
from iotriage.store.rows import carried_out, table_of, write_row
from iotriage.store.search_text import (
    forget_words,
    write_first_words_of_case,
    write_words_of_case,
    write_words_of_ticket,
)
from iotriage.store.tables import CaseRow
from iotriage.store.ticket_tables import (
    CaseFactsRow,
    EventRow,
    JoinedTicketRow,
    NoteRow,
    QueueEntryRow,
    SearchTextRow,
    TicketCaseRow,
    TicketRow,
    TicketStatus,
)
from iotriage_parsers.frozen import frozen

SEVERITY_ORDER: Mapping[str | None, int] = {
    severity: place for place, severity in enumerate(("high", "medium", "low", "unknown", "info", "clear"))
}
"""Unknown severities stand among those that may matter."""

ANSWERED: tuple[TicketStatus, ...] = ("waiting", "answered", "closed")

_ENTRIES, _OF_TICKETS = table_of(QueueEntryRow), table_of(TicketCaseRow)
_OWN_ENTRY_CHANGED = (
    update(_ENTRIES)
    .where(_ENTRIES.c.case_id == bindparam("of_case"), _ENTRIES.c.ticket_id.is_(None))
    .returning(_ENTRIES.c.id)
)
_TICKET_OF = select(_OF_TICKETS.c.ticket_id).where(_OF_TICKETS.c.case_id == bindparam("of_case"))

_NO_SECONDS = 1.0
"""Sorts entries without known seconds behind all others, which are sorted by minus their seconds."""


@frozen
class _Facts:
    """A case and what was copied of its document."""

    case: CaseRow
    facts: CaseFactsRow | None


def enter_new_case(session: Session, case: CaseRow) -> None:
    """Makes the entry of a case that was just created and so has none yet."""
    if case.sample_key is not None:
        return
    session.flush()
    entry_id = write_row(session, QueueEntryRow, _own_values(_Facts(case, None)))
    write_first_words_of_case(session, case, entry_id)


def enter_case(session: Session, case: CaseRow, document: CaseDocument | None = None) -> None:
    """Updates the case's entry, its own or its ticket's; with its document where it now has one."""
    if case.sample_key is not None:
        return
    facts = None if document is None else write_facts(session, case, document)
    ticket_id = ticket_of_case(session, case.id)
    entry_id = _own_entry_written(session, case, facts) if ticket_id is None else refresh_ticket(session, ticket_id)
    write_words_of_case(session, case, document, entry_id)
    if document is not None and ticket_id is not None:
        _write_words(session, session.get_one(TicketRow, ticket_id), entry_id)


def withdraw_case(
    session: Session, case: CaseRow, by: str, event_kind: Literal["case removed", "case deleted"]
) -> None:
    """Removes the case from its ticket and from the queue, since it is deleted or became a part of another case. The
    ticket's history records who did it."""
    ticket_id = ticket_of_case(session, case.id)
    if ticket_id is not None:
        # First: who settles another case of the ticket holds it, and then writes the words of all its cases.
        session.get_one(TicketRow, ticket_id, with_for_update=True)
    forget_words(session, case.id)
    session.execute(delete(TicketCaseRow).where(TicketCaseRow.case_id == case.id))
    session.execute(delete(QueueEntryRow).where(_own_entry(case.id)))
    if ticket_id is not None:
        session.add(
            EventRow(ticket_id=ticket_id, at=datetime.now(UTC), by=by, kind=event_kind, before=case.id, after=None)
        )
        refresh_ticket(session, ticket_id)


def reopen_ticket(session: Session, ticket: TicketRow, by: str) -> None:
    """Opens a ticket again that waited, was answered or was closed, since something has arrived for it. Its entry is
    not updated here."""
    if ticket.status not in ANSWERED:
        return
    was, ticket.status = ticket.status, "new" if ticket.owner is None else "in work"
    ticket.version, ticket.changed_at = ticket.version + 1, datetime.now(UTC)
    event = EventRow(ticket_id=ticket.id, at=ticket.changed_at, by=by, kind="status", before=was, after=ticket.status)
    session.add(event)


def refresh_case(session: Session, case: CaseRow) -> int:
    """Updates the entry that shows the case: its ticket's, or its own."""
    ticket_id = ticket_of_case(session, case.id)
    if ticket_id is not None:
        return refresh_ticket(session, ticket_id)
    entry_id = _own_entry_written(session, case)
    session.execute(update(SearchTextRow).where(SearchTextRow.case_id == case.id).values(entry_id=entry_id))
    return entry_id


def refresh_ticket(session: Session, ticket_id: int) -> int:
    """Updates the ticket's entry, or makes it; the ticket's cases then have no entries of their own."""
    session.flush()
    ticket = session.get_one(TicketRow, ticket_id, with_for_update=True)
    cases = _cases_of(session, ticket_id)
    leading = min(cases, key=_gravest_first) if cases else None
    values = {
        **_of_case(leading),
        "ticket_id": ticket.id,
        "reference": ticket.reference,
        "title": ticket.subject or (leading.case.title if leading is not None else f"Ticket {ticket.id}"),
        "status": ticket.status,
        "owner": ticket.owner,
        "answered": ticket.status in ANSWERED,
        "cases": session.scalar(select(func.count()).where(TicketCaseRow.ticket_id == ticket_id)) or 0,
        "looked_up": False,
        "version": ticket.version,
        "created_at": ticket.created_at,
        "changed_at": ticket.changed_at,
        **{name: value for name, value in _ticket_columns(ticket).items() if value is not None},
    }
    entry_id = session.scalar(select(QueueEntryRow.id).where(QueueEntryRow.ticket_id == ticket_id))
    if entry_id is None:
        entry_id = write_row(session, QueueEntryRow, {**values, "case_id": None})
    of_ticket = select(TicketCaseRow.case_id).where(TicketCaseRow.ticket_id == ticket_id)
    session.execute(update(SearchTextRow).where(SearchTextRow.case_id.in_(of_ticket)).values(entry_id=entry_id))
    # Not IS NULL: SQLite takes that for one entry, the column being unique, and looks at all that nobody has taken.
    nobodys = func.coalesce(QueueEntryRow.ticket_id, 0) == 0
    session.execute(delete(QueueEntryRow).where(nobodys, QueueEntryRow.case_id.in_(of_ticket)))
    _write_words(session, ticket, entry_id)
    session.execute(update(QueueEntryRow).where(QueueEntryRow.id == entry_id).values(values))
    return entry_id


def tickets_led_otherwise(session: Session) -> tuple[int, ...]:
    """Tickets whose entry is not of the case that leads now: an earlier version chose it by other rules."""
    before = TicketCaseRow.role == "before"
    several = select(TicketCaseRow.ticket_id).where(before).group_by(TicketCaseRow.ticket_id).having(func.count() > 1)
    rows = session.execute(
        select(TicketCaseRow.ticket_id, QueueEntryRow.case_id, CaseRow, CaseFactsRow)
        .join(CaseRow, CaseRow.id == TicketCaseRow.case_id)
        .join(QueueEntryRow, QueueEntryRow.ticket_id == TicketCaseRow.ticket_id)
        .outerjoin(CaseFactsRow, CaseFactsRow.case_id == CaseRow.id)
        .where(before, TicketCaseRow.ticket_id.in_(several))
        .options(lazyload(CaseRow.sources))
    )
    cases: dict[int, list[_Facts]] = {}
    led_by: dict[int, str | None] = {}
    for ticket_id, leading, case, facts in rows:
        cases.setdefault(ticket_id, []).append(_Facts(case, facts))
        led_by[ticket_id] = leading
    return tuple(of for of, known in cases.items() if min(known, key=_gravest_first).case.id != led_by[of])


def _own_entry_written(session: Session, case: CaseRow, facts: CaseFactsRow | None = None) -> int:
    """`facts` are read where they are not given."""
    if facts is None:
        facts = session.get(CaseFactsRow, case.id, populate_existing=True)
    values = _own_values(_Facts(case, facts))
    changed = carried_out(session, _OWN_ENTRY_CHANGED, {"of_case": case.id, **values})
    entry_id: int | None = changed.scalar_one_or_none()
    return write_row(session, QueueEntryRow, values) if entry_id is None else entry_id


def _own_values(known: _Facts) -> dict[str, object]:
    case = known.case
    return {
        **_of_case(known),
        "reference": None,
        "title": case.title,
        "status": "new",
        "owner": None,
        "answered": False,
        "cases": 1,
        "looked_up": case.looked_up,
        "version": 0,
        "created_at": case.created_at,
        "changed_at": case.created_at,
    }


def ticket_of_case(session: Session, case_id: str) -> int | None:
    ticket_id: int | None = carried_out(session, _TICKET_OF, {"of_case": case_id}).scalar_one_or_none()
    return ticket_id


def _write_words(session: Session, ticket: TicketRow, entry_id: int) -> None:
    notes = session.scalars(select(NoteRow.text).where(NoteRow.ticket_id == ticket.id))
    joined = session.scalars(select(JoinedTicketRow.reference).where(JoinedTicketRow.ticket_id == ticket.id))
    values = (ticket.subject, ticket.reference, ticket.owner, *_ticket_columns(ticket).values())
    write_words_of_ticket(session, ticket.id, entry_id, (*values, *joined, *notes))


def _own_entry(case_id: str) -> ColumnElement[bool]:
    return (QueueEntryRow.case_id == case_id) & QueueEntryRow.ticket_id.is_(None)


def _cases_of(session: Session, ticket_id: int) -> list[_Facts]:
    rows = session.execute(
        select(CaseRow, CaseFactsRow)
        .join(TicketCaseRow, TicketCaseRow.case_id == CaseRow.id)
        .outerjoin(CaseFactsRow, CaseFactsRow.case_id == CaseRow.id)
        .where(TicketCaseRow.ticket_id == ticket_id, TicketCaseRow.role == "before")
        .execution_options(populate_existing=True)
    )
    return [_Facts(case, facts) for case, facts in rows]


def _gravest_first(known: _Facts) -> tuple[bool, int, float, datetime, str]:
    """The same order as the queue's. Cases that could not be read stand behind those that could."""
    return (
        known.case.status == "failed",
        _severity_order(known.case),
        _saves_order(known.facts),
        known.case.created_at,
        known.case.id,
    )


def _saves_order(facts: CaseFactsRow | None) -> float:
    saves = None if facts is None else facts.lost_s if facts.could_save_s is None else facts.could_save_s
    return _NO_SECONDS if saves is None else -saves


def _severity_order(case: CaseRow) -> int:
    return SEVERITY_ORDER.get(case.severity, SEVERITY_ORDER["unknown"])


def _ticket_columns(ticket: TicketRow) -> dict[str, str | None]:
    return {
        "system": ticket.system,
        "user": ticket.user,
        "project": ticket.project,
        "application": ticket.application,
    }


def _of_case(known: _Facts | None) -> dict[str, object]:
    """The columns that an entry has of its leading case."""
    case, facts = (known.case, known.facts) if known is not None else (None, None)
    return {
        "case_id": case.id if case else None,
        "severity": case.severity if case else None,
        "severity_order": _severity_order(case) if case else SEVERITY_ORDER["unknown"],
        "headline": case.headline if case else None,
        "job_id": case.job_id if case else None,
        "io_time_s": case.io_time_s if case else None,
        "io_time_fraction": case.io_time_fraction if case else None,
        "io_time_bound": case.io_time_bound if case else "",
        "rule": facts.rule if facts else None,
        "system": facts.system if facts else None,
        "user": facts.user if facts else None,
        "project": facts.project if facts else None,
        "application": facts.application if facts else None,
        "lost_s": facts.lost_s if facts else None,
        "node_hours": facts.node_hours if facts else None,
        "could_save_s": facts.could_save_s if facts else None,
        "saves_order": _saves_order(facts),
    }
