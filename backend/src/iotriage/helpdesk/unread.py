"""Of cases that could not be read: why, in a sentence, and what is written to who sent their files."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from sqlalchemy import select
from sqlalchemy.orm import Session

from iotriage.helpdesk.templates import Template, filled_with_source
from iotriage.reports.blocks import Block, Paragraph, Points
from iotriage.rules.core.words import printable
from iotriage.store.tables import CaseRow, CaseSourceRow

MOST_NAMED = 3
"""Files of one case that the sentence names."""


def why_unread(session: Session, case_ids: Collection[str]) -> Mapping[str, str]:
    """Of those of the cases that failed: "thesis.pdf: a PDF document, not a log that we know"."""
    failed = select(CaseRow.id, CaseRow.message).where(CaseRow.id.in_(case_ids), CaseRow.status == "failed")
    cases = {row.id: row.message for row in session.execute(failed)}
    if not cases:
        return {}
    sources = select(CaseSourceRow).where(CaseSourceRow.case_id.in_(cases), CaseSourceRow.status == "failed")
    of_case: dict[str, list[str]] = {}
    for source in session.scalars(sources.order_by(CaseSourceRow.case_id, CaseSourceRow.position)):
        of_case.setdefault(source.case_id, []).append(_said(source))
    return {case_id: message or _together(of_case.get(case_id, [])) for case_id, message in cases.items()}


def unread_blocks(case: CaseRow, template: Template) -> tuple[Block, ...]:
    """To who sent what could not be read: each file with its reason, and what to send instead."""
    failed = [source for source in case.sources if source.status == "failed"]
    said = tuple(_said(source) for source in failed) or ((case.message,) if case.message else ())
    steps = dict.fromkeys(source.next_step for source in failed if source.next_step)
    name = printable(case.sources[0].name) if case.sources else case.title
    opening, sending = (filled_with_source(text, name) for text in (template.unread, template.sending))
    return (
        *([Paragraph(opening)] if opening else []),
        *([Points(said)] if said else []),
        *(Paragraph(step) for step in steps),
        *([Paragraph(sending)] if sending else []),
    )


def _said(source: CaseSourceRow) -> str:
    return f"{printable(source.name)}: {(source.message or 'it could not be read').rstrip('.')}"


def _together(said: list[str]) -> str:
    more = len(said) - MOST_NAMED
    return "; ".join([*said[:MOST_NAMED], *([f"and {more} more"] if more > 0 else [])])
