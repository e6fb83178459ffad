"""What was kept long enough goes with all that is its own; deleting leaves nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import Connection, event, func, select, update

from iotriage.access.person import Person
from iotriage.access.share_links import new_link
from iotriage.helpdesk.ticket_contents import TicketFields
from iotriage.helpdesk.tickets import add_note, open_ticket, set_status_and_owner
from iotriage.store.access_tables import ShareLinkRow
from iotriage.store.audit import RETENTION, AuditRow
from iotriage.store.cases import (
    NamedSource,
    SourcesGoneError,
    UnknownSourceError,
    delete_case,
    lock_case,
    new_case,
    set_site,
)
from iotriage.store.database import Database
from iotriage.store.retention import Retention, drop_expired
from iotriage.store.search_text import purge_deleted_words
from iotriage.store.sources import SourceFolder, find_source, stored_bytes
from iotriage.store.tables import Base, CaseRow

from .test_leftovers import SHA, keep, later

ADA = Person("ada", "Ada", "helpdesk")
DAYS = timedelta(days=1)


def a_case(database: Database, folder: SourceFolder, status: str = "ready") -> str:
    """With a source, words and a share link of its own."""
    keep(database, folder)
    with database.writing() as session, session.begin():
        case = new_case(session, [NamedSource(SHA, "plantedname.darshan")], owner=ADA.id)
        case.status, case.title = status, "plantedtitle"
        new_link(session, case.id, ADA, datetime.now(UTC), DAYS)
        return case.id


def rows_of(database: Database, case_id: str) -> dict[str, int]:
    """In which tables the case still is."""
    tables = [t for t in Base.metadata.sorted_tables if "case_id" in t.columns and t.name != "audit"]
    with database.reading() as session:
        counted = {t.name: session.scalar(select(func.count()).where(t.columns.case_id == case_id)) for t in tables}
        counted["case"] = session.scalar(select(func.count()).where(CaseRow.id == case_id))
    return {name: count for name, count in counted.items() if count}


@pytest.mark.every_database
def test_a_deleted_case_is_in_no_table_and_its_bytes_are_gone(database: Database, folder: SourceFolder) -> None:
    case_id = a_case(database, folder)
    assert {"case", "case_source", "share_link"} <= set(rows_of(database, case_id))
    with database.writing() as session, session.begin():
        case = lock_case(session, case_id)
        assert case is not None
        delete_case(session, folder, case, "ada")
    assert rows_of(database, case_id) == {}
    assert not folder.path(SHA).exists()


def test_what_was_deleted_is_gone_from_the_file(tmp_path: Path, folder: SourceFolder) -> None:
    file = tmp_path / "cases.sqlite3"
    database = Database(f"sqlite:///{file}")
    database.migrate()
    case_id = a_case(database, folder)
    with database.writing() as session, session.begin():
        case = lock_case(session, case_id)
        assert case is not None
        delete_case(session, folder, case, "ada")
    purge_deleted_words(database)
    database.close()
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    left = b"".join(path.read_bytes() for path in tmp_path.iterdir() if path.name.startswith(file.name))
    assert b"plantedtitle" not in left
    assert b"plantedname" not in left


@pytest.mark.every_database
def test_cases_go_when_they_were_kept_long_enough(database: Database, folder: SourceFolder) -> None:
    case_id = a_case(database, folder)
    kept = Retention(cases=90 * DAYS)
    assert list(drop_expired(database, later(folder, 89 * DAYS), kept)) == []
    assert list(drop_expired(database, later(folder, 91 * DAYS), Retention())) == []
    assert list(drop_expired(database, later(folder, 91 * DAYS), kept)) == [case_id]
    assert rows_of(database, case_id) == {}
    assert not folder.path(SHA).exists()
    with database.reading() as session:
        assert session.execute(select(AuditRow.person, AuditRow.case_id)).all() == [(RETENTION, case_id)]


@pytest.mark.every_database
def test_sources_alone_go_before_their_case_and_come_back_when_they_are_given_again(
    database: Database, folder: SourceFolder
) -> None:
    case_id = a_case(database, folder)
    kept = Retention(sources=7 * DAYS)
    list(drop_expired(database, later(folder, 6 * DAYS), kept))
    assert folder.path(SHA).exists()
    # Another case of the same bytes is newer.
    with database.writing() as session, session.begin():
        newer = new_case(session, [NamedSource(SHA, "again")])
        newer.status, newer.created_at = "ready", datetime.now(UTC) + 3 * DAYS
    list(drop_expired(database, later(folder, 8 * DAYS), kept))
    assert folder.path(SHA).exists()
    list(drop_expired(database, later(folder, 11 * DAYS), kept))
    assert not folder.path(SHA).exists()
    with database.writing() as session, session.begin():
        case = lock_case(session, case_id)
        assert case is not None
        assert case.sources[0].source.gone_at is not None
        assert (find_source(session, folder, SHA), stored_bytes(session)) == (None, 0)
        with pytest.raises(UnknownSourceError):
            new_case(session, [NamedSource(SHA, "x")])
        with pytest.raises(SourcesGoneError):
            set_site(case, "archer2")
        session.rollback()
    keep(database, folder)
    with database.reading() as session:
        assert find_source(session, folder, SHA) is not None
        assert session.scalar(select(AuditRow.action)) == "source removed"


def test_nobody_waits_while_all_cases_are_looked_at(tmp_path: Path, folder: SourceFolder) -> None:
    """What is done to one case, source or ticket, while SQLite is locked, is found by an index."""
    database = Database(f"sqlite:///{tmp_path / 'file'}")
    database.migrate()
    case_id = a_case(database, folder)
    steps: list[str] = []

    @event.listens_for(database.engine, "before_cursor_execute")
    def note(connection: Connection, _: object, asked: str, parameters: Sequence[str | int], *__: object) -> None:
        if connection.get_execution_options().get("iotriage_writes") and not asked.startswith(("BEGIN", "SAVEPOINT")):
            cursor = connection.connection.cursor()
            given = parameters[0] if parameters and isinstance(parameters[0], tuple) else parameters
            steps.extend(f"{row[3]}: {asked}" for row in cursor.execute(f"EXPLAIN QUERY PLAN {asked}", given))

    with database.writing() as session, session.begin():
        ticket_id = open_ticket(session, ADA.id, TicketFields(subject="slow"), [case_id])
        add_note(session, ADA.id, ticket_id, "Again.")
        set_status_and_owner(session, ADA.id, ticket_id, None, "closed", ADA.id)
    list(drop_expired(database, later(folder, 8 * DAYS), Retention(sources=7 * DAYS)))
    assert not folder.path(SHA).exists()
    assert list(drop_expired(database, later(folder, 91 * DAYS), Retention(cases=90 * DAYS))) == [case_id]
    assert len(steps) > 50
    # Of a unique column SQLite takes IS NULL for one row: it would look at all cases that nobody has taken.
    looking = [s for s in steps if s.startswith("SCAN ") or ("(ticket_id=?)" in s and "ticket_id IS NULL" in s)]
    # Links are few, and looked at once a round.
    assert [step for step in looking if not step.startswith("SCAN share_link")] == []


def test_samples_and_what_is_being_read_stay(database: Database, folder: SourceFolder) -> None:
    a_case(database, folder, status="reading")
    sample = a_case(database, folder)
    with database.writing() as session, session.begin():
        session.execute(update(CaseRow).where(CaseRow.id == sample).values(sample_key="key"))
    assert list(drop_expired(database, later(folder, 91 * DAYS), Retention(cases=90 * DAYS))) == []


@pytest.mark.every_database
def test_share_links_go_some_time_after_they_ended(database: Database, folder: SourceFolder) -> None:
    case_id = a_case(database, folder)
    for after, left in ((30 * DAYS, 1), (32 * DAYS, 0)):
        list(drop_expired(database, later(folder, after), Retention(shares=30 * DAYS)))
        with database.reading() as session:
            assert session.scalar(select(func.count()).where(ShareLinkRow.case_id == case_id)) == left
