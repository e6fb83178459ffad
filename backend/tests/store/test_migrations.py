from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import pytest
from alembic import command
from sqlalchemy import inspect, select, text

from iotriage.store.database import Database, alembic_config
from iotriage.store.search_text import found_by
from iotriage.store.tables import Base
from iotriage.store.ticket_tables import QueueEntryRow

pytestmark = pytest.mark.empty_database


@pytest.mark.every_database
def test_the_migrations_from_nothing_make_the_tables_of_the_models(database: Database) -> None:
    with database.engine.begin() as connection:
        command.check(alembic_config(connection))
        assert set(Base.metadata.tables) < set(inspect(connection).get_table_names())


@pytest.mark.every_database
def test_a_database_that_is_up_to_date_is_left_alone(database: Database) -> None:
    database.migrate()
    with database.engine.begin() as connection:
        command.check(alembic_config(connection))


@pytest.mark.every_database
def test_a_migration_goes_back_too(database: Database) -> None:
    with database.engine.begin() as connection:
        command.downgrade(alembic_config(connection), "base")
        assert set(inspect(connection).get_table_names()) == {"alembic_version"}


@pytest.mark.every_database
def test_words_that_were_kept_with_accents_are_found_without(database: Database) -> None:
    entry = (
        "INSERT INTO queue_entry (id, title, status, answered, severity_order, saves_order, io_time_bound, cases, "
        "looked_up, version, created_at, changed_at) VALUES (1, 'x', 'new', {no}, 3, 1.0, '', 1, {no}, 1, "
        "'2026-11-20 10:00:00', '2026-11-20 10:00:00')"
    )
    with database.engine.begin() as connection:
        command.downgrade(alembic_config(connection), "0019")
        no = "0" if connection.dialect.name == "sqlite" else "false"
        connection.execute(text(entry.format(no=no)))
        for id, words in ((1, "läuft müller"), (2, "plain words")):
            row = f"INSERT INTO search_text (id, entry_id, words) VALUES ({id}, 1, '{words}')"
            connection.execute(text(row))
        command.upgrade(alembic_config(connection), "head")
        kept = connection.execute(text("SELECT words FROM search_text ORDER BY id")).scalars().all()
    assert kept == ["lauft muller", "plain words"]
    with database.reading() as session:
        found = [session.scalars(select(QueueEntryRow.id).where(found_by(session, w).condition)).all() for w in WORDS]
    assert found == [[1], [1], [1], []]


WORDS = ("müller", "lauft", "plain", "missing")


@pytest.mark.every_database
def test_servers_that_start_at_once_migrate_once(database_url: str) -> None:
    errors: list[Exception] = []

    def migrate() -> None:
        try:
            database = Database(database_url)
            database.migrate()
            database.close()
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=migrate) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


def test_the_file_is_in_wal_mode_and_checks_foreign_keys(database: Database) -> None:
    with database.engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1


def test_a_writing_session_takes_the_lock_at_its_start(database: Database, tmp_path: Path) -> None:
    other = sqlite3.connect(tmp_path / "test.sqlite3", timeout=0)
    with database.reading() as session, session.begin():
        session.connection()
        other.execute("BEGIN IMMEDIATE")
        other.rollback()
    with database.writing() as session, session.begin():
        session.connection()
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            other.execute("BEGIN IMMEDIATE")


def test_nothing_is_made_before_the_start_and_then_for_the_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    database = Database(f"sqlite:///{folder / 'x.sqlite3'}")
    assert not folder.exists()
    database.migrate()
    database.close()
    assert folder.stat().st_mode & 0o777 == 0o700
