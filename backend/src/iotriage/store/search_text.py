"""The words by which entries of the queue are found, on SQLite (FTS5) and PostgreSQL (GIN) alike.

Words are made here: runs of letters and digits in lower case, each once. Both databases index what they are given, and
an asked word finds those that begin with it. So `nid001234`, `out.0001` and `/work/e417/run` are found as they stand.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from itertools import islice

from sqlalchemy import ColumnElement, cast, column, delete, func, insert, literal, literal_column, select, table
from sqlalchemy.dialects.postgresql import TSQUERY
from sqlalchemy.orm import Session

from iotriage.analysis.document import CaseDocument
from iotriage.store.tables import CaseRow
from iotriage.store.ticket_tables import QueueEntryRow, SearchTextRow

FULL_TEXT = ("search_index", "ix_search_text_words")
"""What the names begin with that a migration makes by hand: SQLite's full-text table over `search_text`, which triggers
keep, and PostgreSQL's index."""

MOST_WORDS = 20_000
"""Of one case: 20,000 file names have about as many."""
LONGEST_WORD = 64
MOST_ASKED = 12

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
    """Those of the ticket itself: its reference, its subject, its people and its notes."""
    session.execute(delete(SearchTextRow).where(SearchTextRow.ticket_id == ticket_id))
    words = _joined(text for text in texts if text)
    session.execute(insert(SearchTextRow).values(ticket_id=ticket_id, entry_id=entry_id, words=words))


def found_by(session: Session, asked: str) -> ColumnElement[bool]:
    """Whether an entry has a word that begins with each of those asked, in its cases or in itself."""
    words = list(dict.fromkeys(words_of(asked)))[:MOST_ASKED]
    sqlite = session.get_bind().dialect.name == "sqlite"
    conditions = [_holds(word, sqlite=sqlite) for word in words]
    everything: ColumnElement[bool] = literal(True)
    for condition in conditions:
        everything &= condition
    return everything if conditions else literal(not asked.strip())


def _holds(word: str, *, sqlite: bool) -> ColumnElement[bool]:
    if sqlite:
        index = table(FULL_TEXT[0], column("rowid"))
        found = SearchTextRow.id.in_(select(index.c.rowid).where(literal_column(index.name).op("MATCH")(f'"{word}"*')))
    else:
        vector = func.array_to_tsvector(func.string_to_array(SearchTextRow.words, literal_column("' '")))
        found = vector.op("@@")(cast(f"'{word}':*", TSQUERY))
    return QueueEntryRow.id.in_(select(SearchTextRow.entry_id).where(found))


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
