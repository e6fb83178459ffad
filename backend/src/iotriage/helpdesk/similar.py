"""Similar jobs: of the same user or the same program, or with the same leading finding; with what was advised then and
what the next run showed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import cast

from sqlalchemy import ColumnElement, Row, and_, case, false, or_, select
from sqlalchemy.orm import Session, lazyload

from iotriage.access.person import Person
from iotriage.access.visibility import seen_by
from iotriage.analysis.document import HeadlineSeverity
from iotriage.helpdesk.outcomes import visible_to
from iotriage.store.tables import CaseRow
from iotriage.store.ticket_tables import (
    CaseFactsRow,
    CaseFindingRow,
    OutcomeRow,
    OutcomeVerdict,
    TicketCaseRow,
    TicketRow,
    TicketStatus,
)
from iotriage_parsers.frozen import frozen


@frozen
class SimilarJob:
    """`same_user` to `same_cause` say in what it is like the other, `rules` which findings both have. `advised` is what
    was advised then; `ticket` to `sentence` are None where nobody took it, or where nothing is known of a run after it:
    `after_case`."""

    case: str
    title: str
    job_id: str | None
    created_at: datetime
    same_user: bool
    same_application: bool
    same_cause: bool
    rules: tuple[str, ...]
    severity: HeadlineSeverity | None
    headline: str | None
    advised: str | None
    ticket: int | None
    reference: str | None
    status: TicketStatus | None
    verdict: OutcomeVerdict | None
    factor: float | None
    factor_most: float | None
    sentence: str | None
    after_case: str | None


def similar_jobs(session: Session, case_id: str, person: Person, limit: int) -> tuple[SimilarJob, ...] | None:
    """Those most alike first, of those the newest; of the cases that the person may look at, and None where that is not
    one of them. None are like one that is not read yet. What became of the advice is told where they may look at both
    runs that showed it."""
    visible = seen_by(person)
    if not case_id.isalnum() or session.scalar(select(CaseRow.id).where(CaseRow.id == case_id, visible)) is None:
        return None
    own = session.get(CaseFactsRow, case_id)
    if own is None:
        return ()
    rows = _most_alike(session, own, person, limit)
    shared = _shared_rules(session, case_id, [row.id for row, *_ in rows])
    return tuple(
        SimilarJob(
            case=row.id,
            title=row.title,
            job_id=row.job_id,
            created_at=row.created_at,
            same_user=own.user is not None and facts.user == own.user,
            same_application=own.application is not None and facts.application == own.application,
            same_cause=own.rule is not None and facts.rule == own.rule,
            rules=shared.get(row.id, ()),
            severity=row.severity,
            headline=row.headline,
            advised=facts.advised,
            ticket=ticket.id if ticket else None,
            reference=ticket.reference if ticket else None,
            status=ticket.status if ticket else None,
            verdict=outcome.verdict if outcome else None,
            factor=outcome.factor if outcome else None,
            factor_most=outcome.factor_most if outcome else None,
            sentence=outcome.sentence if outcome else None,
            after_case=outcome.after_case if outcome else None,
        )
        for row, facts, ticket, outcome in rows
    )


def _most_alike(
    session: Session, own: CaseFactsRow, person: Person, limit: int
) -> Sequence[Row[CaseRow, CaseFactsRow, TicketRow, OutcomeRow]]:
    """Other cases that share user, application or cause with it, each with its ticket and the ticket's outcome."""
    user, application, cause = (
        _equal(column, value)
        for column, value in (
            (CaseFactsRow.user, own.user),
            (CaseFactsRow.application, own.application),
            (CaseFactsRow.rule, own.rule),
        )
    )
    alike = case((user, 1), else_=0) + case((application, 1), else_=0) + case((cause, 1), else_=0)
    return session.execute(
        select(CaseRow, CaseFactsRow, TicketRow, OutcomeRow)
        .join(CaseFactsRow, CaseFactsRow.case_id == CaseRow.id)
        .outerjoin(TicketCaseRow, TicketCaseRow.case_id == CaseRow.id)
        .outerjoin(TicketRow, TicketRow.id == TicketCaseRow.ticket_id)
        .outerjoin(OutcomeRow, and_(OutcomeRow.ticket_id == TicketRow.id, visible_to(person)))
        .options(lazyload(CaseRow.sources))
        .where(CaseRow.id != own.case_id, or_(user, application, cause), seen_by(person))
        .order_by(alike.desc(), CaseRow.created_at.desc(), CaseRow.id)
        .limit(limit)
    ).all()


def _equal(column: object, value: str | None) -> ColumnElement[bool]:
    return false() if value is None else cast(ColumnElement[str], column) == value


def _shared_rules(session: Session, case_id: str, others: list[str]) -> dict[str, tuple[str, ...]]:
    own = select(CaseFindingRow.rule).where(CaseFindingRow.case_id == case_id)
    rows = session.execute(
        select(CaseFindingRow.case_id, CaseFindingRow.rule)
        .where(CaseFindingRow.case_id.in_(others), CaseFindingRow.rule.in_(own))
        .order_by(CaseFindingRow.case_id, CaseFindingRow.position)
    )
    found: dict[str, tuple[str, ...]] = {}
    for other, rule in rows:
        found[other] = (*found.get(other, ()), rule)
    return found
