"""The words by which entries of the queue are found, on SQLite (FTS5) and PostgreSQL (GIN) alike.

Words are made here: runs of letters and digits in lower case, each once. Both databases index what they are given, and
an asked word finds those that begin with it. So `nid001234`, `out.0001` and `/work/e417/run` are found as they stand.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from itertools import chain, islice

from sqlalchemy import (
    ColumnElement,
    cast,
    column,
    delete,
    insert,
    literal,
    literal_column,
    select,
    table,
)
from sqlalchemy.dialects.postgresql import TSQUERY
from sqlalchemy.orm import Session

from iotriage.analysis.document import CaseDocument
from iotriage.store.tables import CaseRow
from iotriage.store.ticket_tables import QueueEntryRow, SearchTextRow, TicketCaseRow

FULL_TEXT = "search_index"
"""What a migration makes by hand and begins with this name: SQLite's full-text table over `search_text`, which triggers
keep, and PostgreSQL's generated column with its index."""

MOST_WORDS = 20_000
"""Of one case: 20,000 file names have about as many."""
LONGEST_WORD = 64
MOST_ASKED = 12
MOST_LISTED = 5_000
"""Entries that are listed one by one in the questions that follow on a search."""

_WORD = re.compile(r"[^\W_]+")


def words_of(text: str) -> Iterator[str]:
    return (word[:LONGEST_WORD] for word in _WORD.findall(text.casefold()))


def write_words_of_case(session: Session, case: CaseRow, document: CaseDocument, entry_id: int) -> None:
    """Those of its findings, its job, its files, nodes and texts, and the names of what was given."""
    session.execute(delete(SearchTextRow).where(SearchTextRow.case_id == case.id))
    names = (source.name for source in case.sources)
    words = _joined([case.title, case.id, *names, *_texts_of(document)])
    session.execute(insert(SearchTextRow).values(case_id=case.id, entry_id=entry_id, words=words))


def write_words_of_ticket(session: Session, ticket_id: int, entry_id: int, texts: Iterable[str | None]) -> None:
    """Those of the ticket itself, its reference, its subject, its people and its notes, and those of its cases: what is
    asked for stands in one row."""
    session.execute(delete(SearchTextRow).where(SearchTextRow.ticket_id == ticket_id))
    of_ticket = select(TicketCaseRow.case_id).where(TicketCaseRow.ticket_id == ticket_id)
    of_cases = session.scalars(select(SearchTextRow.words).where(SearchTextRow.case_id.in_(of_ticket)))
    words = _joined(chain((text for text in texts if text), of_cases))
    session.execute(insert(SearchTextRow).values(ticket_id=ticket_id, entry_id=entry_id, words=words))


def found_by(session: Session, asked: str) -> ColumnElement[bool]:
    """Whether an entry has a word that begins with each of those asked, in its cases or in itself. What is looked for
    is looked for once, unless too many have it."""
    words = list(dict.fromkeys(words_of(asked)))[:MOST_ASKED]
    if not words:
        return literal(not asked.strip())
    entries = select(SearchTextRow.entry_id).where(_have(words, sqlite=session.get_bind().dialect.name == "sqlite"))
    found = session.scalars(entries.limit(MOST_LISTED + 1)).all()
    return QueueEntryRow.id.in_(found if len(found) <= MOST_LISTED else entries)


def _have(words: Sequence[str], *, sqlite: bool) -> ColumnElement[bool]:
    if sqlite:
        index = table(FULL_TEXT, column("rowid"))
        asked = " AND ".join(f'"{word}"*' for word in words)
        return SearchTextRow.id.in_(select(index.c.rowid).where(literal_column(FULL_TEXT).op("MATCH")(asked)))
    vector: ColumnElement[str] = literal_column(FULL_TEXT)
    return vector.op("@@")(cast(" & ".join(f"'{word}':*" for word in words), TSQUERY))


def _joined(texts: Iterable[str]) -> str:
    found = dict.fromkeys(islice((word for text in texts for word in words_of(text)), 50 * MOST_WORDS))
    return " ".join(islice(found, MOST_WORDS))


def _texts_of(document: CaseDocument) -> Iterator[str]:
    """Not the rules that were asked, nor the documents cited: they are those of every case."""
    for finding in document.findings:
        if finding.verdict == "triggered":
            yield finding.rule
            yield finding.title
            yield finding.headline or ""
            yield finding.scope.label
    yield document.headline.said
    yield document.site.title
    charts = document.charts
    parts = (document.job, document.sources, document.groups, document.files, document.texts)
    yield from _texts_in((*parts, charts.ranks, charts.timers, charts.aggregating))


def _texts_in(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for one in value:
            yield from _texts_in(one)
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from _texts_in(getattr(value, field.name))
