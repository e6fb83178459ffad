from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import pytest
from alembic import command
from sqlalchemy import inspect

from iotriage.store.database import Database, alembic_config
from iotriage.store.tables import Base

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
