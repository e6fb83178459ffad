"""What comes to a ticket that has it already: a mail system sends again what it has had no answer to, and people
forward what was sent."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from iotriage.helpdesk.case_roles import role_on_arrival
from iotriage.store.cases import find_case
from iotriage.store.column_text import without_nul
from iotriage.store.tables import CaseSourceRow
from iotriage.store.ticket_tables import NoteRow, TicketCaseRow


def has_sources(session: Session, ticket_id: int, sources: Collection[str]) -> bool:
    """Whether there are sources, by their hashes, and all are of cases of the ticket on the side that they would come
    to. A log of before the advice that comes after it is not: the ticket says of it that it is no rerun."""
    of_cases = select(CaseSourceRow.sha256).join(TicketCaseRow, TicketCaseRow.case_id == CaseSourceRow.case_id)
    role = role_on_arrival(session, ticket_id).role
    own = of_cases.where(TicketCaseRow.ticket_id == ticket_id, TicketCaseRow.role == role)
    known = set(session.scalars(own.where(CaseSourceRow.sha256.in_(sources))))
    return bool(sources) and known.issuperset(sources)


def same_logs_of(session: Session, ticket_id: int, case_id: str) -> str | None:
    """The case of the ticket that has all sources of this one, on the side that this one would come to; None where none
    has, or where this one is of a ticket already."""
    case = find_case(session, case_id)
    if case is None or session.get(TicketCaseRow, case.id) is not None:
        return None
    sources = {source.sha256 for source in case.sources}
    of_side = (TicketCaseRow.ticket_id == ticket_id, TicketCaseRow.role == role_on_arrival(session, ticket_id).role)
    having = (
        select(CaseSourceRow.case_id)
        .join(TicketCaseRow, TicketCaseRow.case_id == CaseSourceRow.case_id)
        .where(*of_side, CaseSourceRow.sha256.in_(sources))
        .group_by(CaseSourceRow.case_id, TicketCaseRow.added_at)
        .having(func.count(CaseSourceRow.sha256.distinct()) == len(sources))
        .order_by(TicketCaseRow.added_at, CaseSourceRow.case_id)
    )
    return session.scalar(having.limit(1))


def has_note(session: Session, ticket_id: int, text: str) -> bool:
    own = select(NoteRow.id).where(NoteRow.ticket_id == ticket_id, NoteRow.text == without_nul(text))
    return session.scalar(own.limit(1)) is not None
