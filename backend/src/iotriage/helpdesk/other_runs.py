"""What came with a run in one ticket: who sent three logs is answered about all three, of one of them at length."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from sqlalchemy import select
from sqlalchemy.orm import Session, lazyload

from iotriage.access.person import Person
from iotriage.access.visibility import seen_by
from iotriage.helpdesk.templates import Template
from iotriage.reports.blocks import Block, Paragraph, Points
from iotriage.rules.core.words import plural, printable
from iotriage.store.tables import CaseRow
from iotriage.store.ticket_tables import TicketCaseRow
from iotriage_parsers.frozen import frozen

MOST_SHOWN: Final = 5


@frozen
class OtherRun:
    """`headline` is what its page says first, with its number."""

    name: str
    headline: str


def other_runs(session: Session, person: Person, case_id: str) -> Sequence[OtherRun]:
    """The runs of before the advice that are in the ticket of the case, were read, and may be seen, in the order in
    which they came; one that was given twice is there once, and that of the case in no copy."""
    of_case = select(TicketCaseRow.ticket_id).where(TicketCaseRow.case_id == case_id, TicketCaseRow.role == "before")
    rows = session.scalars(
        select(CaseRow)
        .join(TicketCaseRow, TicketCaseRow.case_id == CaseRow.id)
        .options(lazyload(CaseRow.sources))
        .where(TicketCaseRow.ticket_id.in_(of_case), TicketCaseRow.role == "before", CaseRow.status == "ready")
        .where(seen_by(person))
        .order_by(TicketCaseRow.added_at, CaseRow.id)
    ).all()
    runs = {case.id: _run(case) for case in rows if case.headline}
    answered = runs.pop(case_id, None)
    return [run for run in dict.fromkeys(runs.values()) if run != answered]


def other_runs_blocks(runs: Sequence[OtherRun], template: Template) -> Iterable[Block]:
    """A line each; of many, how many more there are."""
    if not runs or not template.others:
        return ()
    lines = tuple(f"{run.name}: {run.headline}" for run in runs[:MOST_SHOWN])
    more = len(runs) - MOST_SHOWN
    return Paragraph(template.others), Points((*lines, plural(more, "more run")) if more > 0 else lines)


def _run(case: CaseRow) -> OtherRun:
    name = f"Job {case.job_id}" if case.job_id else case.title
    return OtherRun(printable(name), case.headline or "")
