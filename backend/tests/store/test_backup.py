"""The tables of an earlier version are changed after the database was copied, wholly or not at all."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import structlog
from alembic import command
from sqlalchemy import inspect

from iotriage.store import database as database_module
from iotriage.store.database import MIGRATIONS, Database, UnusableDatabaseError, alembic_config, backup_file

FAILS_HALF_WAY = """
import sqlalchemy as sa
from alembic import op

revision = "9999"
down_revision = "{head}"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("source", sa.Column("half", sa.Text(), nullable=True))
    op.execute("UPDATE source SET half = size_bytes")
    op.execute("UPDATE nothing_of_this_name SET half = 1")
"""


def _contents(file: Path) -> list[str]:
    """In one order: a copy has its triggers behind all indexes."""
    with closing(sqlite3.connect(file)) as connection:
        return sorted(connection.iterdump())


def _with_another_migration(tmp_path: Path, head: str) -> Path:
    folder = tmp_path / "migrations"
    (folder / "versions").mkdir(parents=True)
    for file in (*MIGRATIONS.glob("*.py"), *MIGRATIONS.glob("versions/*.py")):
        (folder / file.relative_to(MIGRATIONS)).write_text(file.read_text())
    (folder / "versions" / "9999_fails.py").write_text(FAILS_HALF_WAY.format(head=head))
    return folder


def _revision(database: Database) -> str:
    with database.engine.connect() as connection:
        return str(connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar_one())


def test_a_new_database_and_one_that_is_up_to_date_need_no_backup(database: Database, tmp_path: Path) -> None:
    database.migrate()
    assert [file.name for file in tmp_path.glob("*backup*")] == []


def test_an_earlier_one_is_copied_first_as_it_was(released: Path) -> None:
    before = _contents(released)
    database = Database(f"sqlite:///{released}")
    revision = _revision(database)
    database.migrate()
    database.close()
    copy = backup_file(released, revision)
    assert _contents(copy) == before
    assert _contents(released) != before
    assert copy.stat().st_mode == released.stat().st_mode
    assert [f.name for f in released.parent.glob("*.unfinished")] == []


def test_a_migration_that_fails_leaves_the_database_as_it_was(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = Path(str(database.engine.url.database))
    before, head = _contents(file), _revision(database)
    monkeypatch.setattr(database_module, "MIGRATIONS", _with_another_migration(tmp_path, head))
    for _ in range(2):
        with pytest.raises(UnusableDatabaseError, match="nothing_of_this_name"):
            database.migrate()
        assert _contents(file) == before
        assert _contents(backup_file(file, head)) == before


@pytest.mark.every_database
def test_a_database_of_a_later_version_is_refused_and_left_alone(database: Database) -> None:
    with database.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9876'")
    with pytest.raises(UnusableDatabaseError, match=r"later version.*9876"):
        database.migrate()
    assert _revision(database) == "9876"


@pytest.mark.every_database
def test_what_makes_no_backup_says_so(database: Database) -> None:
    with database.engine.begin() as connection:
        command.downgrade(alembic_config(connection), "0001")
    with structlog.testing.capture_logs() as events:
        database.migrate()
    assert "renewals" in {c["name"] for c in inspect(database.engine).get_columns("case")}
    said = {event["event"].split("; ")[1] for event in events}
    sqlite = database.engine.dialect.name == "sqlite"
    assert said == {"the database as it was is kept" if sqlite else "no backup was made: that is for pg_dump"}
