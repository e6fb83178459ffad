"""The words by which entries of the queue are found, on SQLite (FTS5) and PostgreSQL (GIN) alike.

Words are made here: runs of letters and digits in lower case and without accents, each once. Both databases index what
they are given, and an asked word finds those that begin with it. So `nid001234`, `out.0001` and `/work/e417/run` are
found as they stand, and `Müller` however it is typed: the same letter is one character or two, as macOS names files.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from functools import cache
from itertools import chain, islice
from typing import Literal
from unicodedata import category, normalize

from sqlalchemy import (
    ColumnElement,
    Integer,
    Select,
    any_,
    bindparam,
    cast,
    column,
    delete,
    func,
    literal,
    literal_column,
    select,
    table,
    text,
    update,
)
from sqlalchemy.dialects.postgresql import ARRAY, TSQUERY, aggregate_order_by
from sqlalchemy.orm import Session
from sqlalchemy.types import NullType

from iotriage.analysis.document import CaseDocument
from iotriage.store.database import Database
from iotriage.store.rows import carried_out, table_of, write_rows
from iotriage.store.tables import CaseRow
from iotriage.store.ticket_tables import QueueEntryRow, SearchTextRow, TicketCaseRow
from iotriage_parsers.frozen import frozen

FULL_TEXT = "search_index"
"""What a migration makes by hand and begins with this name: SQLite's full-text table over `search_text`, which triggers
keep, and PostgreSQL's generated column with its index."""

_DELETED_WORDS_LEFT = threading.Event()
_DELETED_WORDS_LEFT.set()

MOST_WORDS = 20_000
"""Of one case: 20,000 file names have about as many."""
LONGEST_WORD = 64
MOST_ASKED = 12
MOST_FOUND = 10_000
"""Entries that a search answers with: of a word that more have, those that came last."""

_INDEX = table(FULL_TEXT, column("rowid"))
_TEXTS = table_of(SearchTextRow)
_WORDS_CHANGED = {
    owner: update(_TEXTS).where(_TEXTS.c[owner] == bindparam("of")).returning(_TEXTS.c.id)
    for owner in ("case_id", "ticket_id")
}
_WORD = re.compile(r"[^\W_]+")


def words_of(text: str) -> Iterator[str]:
    return (found[0][:LONGEST_WORD] for found in _WORD.finditer(without_accents(text)))


def without_accents(text: str) -> str:
    """In lower case, each letter without the marks above and below it."""
    if text.isascii():
        return text.lower()
    letters = (one for one in normalize("NFKD", text).casefold() if category(one) != "Mn")
    return normalize("NFC", "".join(letters))


def write_first_words_of_case(session: Session, case: CaseRow, entry_id: int) -> None:
    """Those by which a case that was made just now is found until it is read."""
    words = _joined(_names_of(case))
    write_rows(session, SearchTextRow, [{"case_id": case.id, "entry_id": entry_id, "words": words}])


def write_words_of_case(session: Session, case: CaseRow, document: CaseDocument | None, entry_id: int) -> None:
    """Those of its findings, its job, its files, nodes and texts, and the names of what was given, by which alone it is
    found while it is not read. Without a document those that are written stay, in the case's entry."""
    if document is None:
        in_entry = update(SearchTextRow).where(SearchTextRow.case_id == case.id).values(entry_id=entry_id)
        if session.execute(in_entry.returning(SearchTextRow.id)).first() is None:
            write_first_words_of_case(session, case, entry_id)
        return
    _write(session, "case_id", case.id, entry_id, _joined(chain(_names_of(case), _texts_of(document))))


def write_words_of_ticket(session: Session, ticket_id: int, entry_id: int, texts: Iterable[str | None]) -> None:
    """Those of the ticket itself, its reference, its subject, its people and its notes, and those of its cases: what is
    asked for stands in one row."""
    of_ticket = select(TicketCaseRow.case_id).where(TicketCaseRow.ticket_id == ticket_id)
    of_cases = session.scalars(select(SearchTextRow.words).where(SearchTextRow.case_id.in_(of_ticket)))
    words = _joined(chain((text for text in texts if text), of_cases))
    _write(session, "ticket_id", ticket_id, entry_id, words)


def _write(session: Session, owner: Literal["case_id", "ticket_id"], its: str | int, entry_id: int, words: str) -> None:
    """In the row of before, where there is one: the rows stand in the order in which cases and tickets came."""
    values = {"entry_id": entry_id, "words": words}
    if carried_out(session, _WORDS_CHANGED[owner], {"of": its, **values}).scalar_one_or_none() is None:
        write_rows(session, SearchTextRow, [{owner: its, **values}])


@frozen
class FoundWords:
    """`condition` holds for the entries (`QueueEntryRow`) that were found; `newest` is set where more have the words:
    these are so many of them, those that came last."""

    condition: ColumnElement[bool]
    newest: int | None = None


def forget_words(session: Session, case_id: str) -> None:
    """Deletes the words of a case that is deleted."""
    session.execute(delete(SearchTextRow).where(SearchTextRow.case_id == case_id))
    _DELETED_WORDS_LEFT.set()


def purge_deleted_words(database: Database) -> None:
    """SQLite's index only notes that words were deleted, and has them in its file until all of it is written anew:
    done where a case was deleted since the last time, and once a start."""
    if database.engine.dialect.name == "sqlite" and _DELETED_WORDS_LEFT.is_set():
        _DELETED_WORDS_LEFT.clear()
        with database.writing() as session, session.begin():
            session.execute(text(f"INSERT INTO {FULL_TEXT} ({FULL_TEXT}) VALUES ('optimize')"))


def found_by(session: Session, asked: str, among: Sequence[ColumnElement[bool]] = ()) -> FoundWords:
    """The entries that have a word that begins with each of those asked, in their cases or in themselves, of those
    `among` which these conditions hold. However many have a common word, the work is that of `MOST_FOUND`."""
    entries = _entries_with(session, asked)
    if entries is None:
        return FoundWords(literal(not asked.strip()))
    sqlite = _is_sqlite(session)
    if among:
        entries = entries.join(QueueEntryRow, QueueEntryRow.id == SearchTextRow.entry_id).where(*among)
    found = _last_of_sqlite(session, entries) if sqlite else _last_of_postgresql(session, entries)
    newest = found[:MOST_FOUND]
    return FoundWords(_is_one_of(newest, sqlite=sqlite), MOST_FOUND if len(found) > MOST_FOUND else None)


def cases_with(session: Session, asked: str) -> ColumnElement[bool]:
    """Holds for the cases (`CaseRow`) that have a word that begins with each of those asked."""
    rows = _entries_with(session, asked)
    if rows is None:
        return literal(not asked.strip())
    return CaseRow.id.in_(rows.with_only_columns(SearchTextRow.case_id).where(SearchTextRow.case_id.is_not(None)))


def _entries_with(session: Session, asked: str) -> Select[int] | None:
    """Those of the rows of words that have one which begins with each asked; None where no word is asked."""
    words = list(dict.fromkeys(words_of(asked)))[:MOST_ASKED]
    if not words:
        return None
    return _with_words(words) if _is_sqlite(session) else _with_vector(words)


def _is_sqlite(session: Session) -> bool:
    return session.get_bind().dialect.name == "sqlite"


def _last_of_sqlite(session: Session, entries: Select[int]) -> list[int]:
    """One more than `MOST_FOUND` at least, where there are so many: the rows of the index from its end, as one value.
    A ticket's words stand in a row of its own, and those of its cases in theirs, so that an entry may come again."""
    rows = entries.order_by(_INDEX.c.rowid.desc()).limit(2 * MOST_FOUND + 1).subquery()
    listed: list[int] = json.loads(session.scalar(select(func.json_group_array(rows.c.entry_id))) or "[]")
    return list(dict.fromkeys(listed))


def _last_of_postgresql(session: Session, entries: Select[int]) -> list[int]:
    """The last of the entries, on PostgreSQL: all are sorted, since the index gives its rows in the order in which they
    came, and sorting all is cheaper than selecting the last."""
    entry = SearchTextRow.entry_id
    last = func.array_agg(aggregate_order_by(entry.distinct(), entry.desc()), type_=ARRAY(Integer))
    with _by_the_index(session):
        return session.scalar(entries.with_only_columns(last[1 : MOST_FOUND + 1])) or []


def _with_words(words: Sequence[str]) -> Select[int]:
    """Of SQLite: the rows of the index, and of those alone what else is asked."""
    asked = " AND ".join(f'"{word}"*' for word in words)
    entries = select(SearchTextRow.entry_id).select_from(_INDEX)
    # CROSS JOIN is how SQLite is told the order of the loops.
    entries = entries.join(SearchTextRow, SearchTextRow.id == _INDEX.c.rowid)
    return entries.where(literal_column(FULL_TEXT).op("MATCH")(asked))


def _with_vector(words: Sequence[str]) -> Select[int]:
    vector: ColumnElement[str] = literal_column(FULL_TEXT)
    asked = cast(" & ".join(f"'{word}':*" for word in words), TSQUERY)
    return select(SearchTextRow.entry_id).where(vector.op("@@")(asked))


@contextmanager
def _by_the_index(session: Session) -> Iterator[None]:
    """PostgreSQL takes looking at the vectors of all rows for cheap, and it is not: they lie out of line. Its index
    finds 50,000 rows in a tenth of that time."""
    others = ("enable_seqscan", "enable_indexscan")
    session.execute(select(*(func.set_config(name, "off", True) for name in others)))
    yield
    session.execute(select(*(func.set_config(name, "on", True) for name in others)))


def _is_one_of(entries: Sequence[int], *, sqlite: bool) -> ColumnElement[bool]:
    """One text, however many they are: a list of 10,000 takes longer to write out than to be answered. Its type is left
    to PostgreSQL: a text that is cast would be read again for each entry."""
    if sqlite:
        rows = func.json_each(json.dumps(entries)).table_valued("value")
        return QueueEntryRow.id.in_(select(rows.c.value))
    listed = "{" + ",".join(map(str, entries)) + "}"
    return QueueEntryRow.id == any_(cast(literal(listed, NullType()), ARRAY(Integer)))


def _joined(texts: Iterable[str]) -> str:
    found = dict.fromkeys(islice(words_of("\n".join(texts)), 50 * MOST_WORDS))
    return " ".join(islice(found, MOST_WORDS))


def _names_of(case: CaseRow) -> Iterator[str]:
    yield case.title
    yield case.id
    for source in case.sources:
        yield source.name


def _texts_of(document: CaseDocument) -> Iterator[str]:
    """Not the rules that were asked, nor the documents cited: they are those of every case."""
    for finding in document.findings:
        if finding.verdict == "triggered":
            yield finding.rule
            yield finding.title
            yield finding.headline or ""
            yield finding.scope.label
    yield document.headline.said
    yield document.site.id
    yield document.site.title
    if document.job.uid is not None:
        yield str(document.job.uid)
    charts = document.charts
    parts = (document.job, document.sources, document.groups, document.files, document.texts)
    yield from _texts_in((*parts, charts.ranks, charts.timers, charts.aggregating))


def _texts_in(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for one in value:
            yield from _texts_in(one)
    else:
        kind: type = type(value)  # mypy takes a type[object] for unhashable
        for name in _fields_of(kind):
            yield from _texts_in(getattr(value, name))


@cache
def _fields_of(kind: type) -> tuple[str, ...]:
    """None of what is no dataclass: a number, for instance."""
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else ()
