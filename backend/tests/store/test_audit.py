"""Who did what: in the same transaction, never changed, removed in time."""

from __future__ import annotations

from contextvars import copy_context
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select, text, update
from sqlalchemy.exc import DBAPIError

from iotriage.store.audit import (
    AuditContext,
    AuditFilter,
    AuditRow,
    drop_old_entries,
    entries,
    record,
    set_audit_context,
)
from iotriage.store.cases import NamedSource, new_case
from iotriage.store.database import Database
from iotriage.store.sources import SourceFolder
from iotriage.store.tables import CaseRow

from .test_leftovers import SHA, keep

ACT = AuditContext("ada", "session", "POST /api/v1/cases")


def recorded(database: Database) -> list[tuple[str, str | None]]:
    with database.reading() as session:
        return [(entry.person, entry.case_id) for entry in entries(session, AuditFilter(), None, 100)]


def old_and_new(database: Database) -> None:
    with database.writing() as session, session.begin():
        record(session, ACT, datetime.now(UTC) - timedelta(days=400))
        record(session, AuditContext("bob", "token", "DELETE /x", "case"), datetime.now(UTC))


@pytest.mark.every_database
def test_what_is_committed_for_somebody_is_recorded_with_it(database: Database, folder: SourceFolder) -> None:
    def somebody_makes_a_case() -> str:
        set_audit_context(ACT)
        with database.writing() as session, session.begin():
            made = new_case(session, [NamedSource(SHA, "a")]).id
        with database.writing() as session:
            new_case(session, [NamedSource(SHA, "a")])
            session.rollback()
        return made

    keep(database, folder)
    assert recorded(database) == []
    made = copy_context().run(somebody_makes_a_case)
    assert recorded(database) == [("ada", made)]
    with database.writing() as session, session.begin():
        session.execute(update(CaseRow).values(title="by nobody"))
    assert recorded(database) == [("ada", made)]


@pytest.mark.every_database
@pytest.mark.parametrize("statement", ["UPDATE audit SET person = 'eve'", "DELETE FROM audit"])
def test_the_database_itself_refuses_to_change_or_remove_an_entry(database: Database, statement: str) -> None:
    old_and_new(database)
    with database.writing() as session, pytest.raises(DBAPIError, match="audit log"):
        session.execute(text(statement))
    assert recorded(database) == [("bob", "case"), ("ada", None)]


@pytest.mark.every_database
def test_old_entries_go_and_none_before_its_time(database: Database) -> None:
    old_and_new(database)
    with database.writing() as session, session.begin():
        assert drop_old_entries(session, datetime.now(UTC), timedelta(days=500), 100) == 0
        # However short it is to be kept: thirty days it stays.
        assert drop_old_entries(session, datetime.now(UTC) + timedelta(days=29), timedelta(0), 100) == 1
    assert recorded(database) == [("bob", "case")]


def test_entries_are_paged_and_chosen(database: Database) -> None:
    old_and_new(database)
    with database.reading() as session:
        ids = session.scalars(select(AuditRow.id).order_by(AuditRow.id.desc())).all()
        assert [entry.id for entry in entries(session, AuditFilter(), ids[0], 100)] == list(ids[1:])
        assert [entry.person for entry in entries(session, AuditFilter(case_id="case"), None, 100)] == ["bob"]
        assert [entry.person for entry in entries(session, AuditFilter(person="ada"), None, 100)] == ["ada"]
