"""For cases of which nothing could be read: the reason in a sentence, and the reply to the person who sent the
files."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from sqlalchemy import select
from sqlalchemy.orm import Session

from iotriage.helpdesk.templates import Template, filled_with_source
from iotriage.metrics.core.listing import first_of
from iotriage.reports.blocks import Block, Paragraph, Points
from iotriage.rules.core.words import printable
from iotriage.store.tables import CaseRow, CaseSourceRow
from iotriage_parsers.frozen import frozen

MOST_NAMED = 3
"""Number of files of a case that the sentence names."""
MOST_LISTED = 20
"""Number of files of a case that the reply names."""


def why_unread(session: Session, case_ids: Collection[str]) -> Mapping[str, str]:
    """Of those of the cases that failed: "thesis.pdf: a PDF document, not a log that we know"."""
    failed = select(CaseRow.id, CaseRow.message).where(CaseRow.id.in_(case_ids), CaseRow.status == "failed")
    cases = {row.id: row.message for row in session.execute(failed)}
    if not cases:
        return {}
    sources = select(CaseSourceRow).where(CaseSourceRow.case_id.in_(cases), CaseSourceRow.status == "failed")
    of_case: dict[str, list[str]] = {}
    for source in session.scalars(sources.order_by(CaseSourceRow.case_id, CaseSourceRow.position)):
        of_case.setdefault(source.case_id, []).append(_failure_sentence(source.name, source.message))
    return {
        case_id: message or "; ".join(first_of(of_case.get(case_id, []), MOST_NAMED))
        for case_id, message in cases.items()
    }


@frozen
class UnreadFile:
    name: str
    failure: str | None
    next_step: str | None


@frozen
class Unread:
    """What was given under this `name`, and each file of it that could not be read."""

    name: str
    files: tuple[UnreadFile, ...]
    message: str | None = None


def unread_case(case: CaseRow) -> Unread:
    """What could not be read of a case that failed."""
    files = (UnreadFile(s.name, s.message, s.next_step) for s in case.sources if s.status == "failed")
    return Unread(case.sources[0].name if case.sources else case.title, tuple(files), case.message)


def unread_blocks(unread: Unread, template: Template) -> tuple[Block, ...]:
    """To who sent what could not be read: each file with its reason, and what to send instead."""
    named = [_failure_sentence(file.name, file.failure) for file in unread.files]
    said = tuple(first_of(named, MOST_LISTED)) or ((unread.message,) if unread.message else ())
    steps = dict.fromkeys(file.next_step for file in unread.files if file.next_step)
    opening, sending = (
        filled_with_source(text, printable(unread.name)) for text in (template.unread, template.sending)
    )
    return (
        *([Paragraph(opening)] if opening else []),
        *([Points(said)] if said else []),
        *(Paragraph(step) for step in steps),
        *([Paragraph(sending)] if sending else []),
    )


def _failure_sentence(name: str, failure: str | None) -> str:
    return f"{printable(name)}: {(failure or 'it could not be read').rstrip('.')}"
