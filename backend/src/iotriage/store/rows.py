"""Writes and removes rows without making objects of them in the session, which would take longer than the statement
itself. Statements that contain no values are built once, since building one costs as much again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from sqlalchemy import CursorResult, Delete, Executable, Insert, Table, Update, bindparam, delete, insert
from sqlalchemy.orm import Session
from sqlalchemy.sql.dml import ReturningInsert

from iotriage.store.tables import Base

Row = Mapping[str, object]


def carried_out(session: Session, statement: Executable, values: Row | Sequence[Row]) -> CursorResult[int]:
    """What the session still has to write is written before. What a statement returns, if anything, is a key."""
    session.flush()
    return session.connection().execute(statement, values)


def write_rows(session: Session, table: type[Base], rows: Sequence[Row]) -> None:
    """Rows that are not there yet, all with the same columns."""
    if rows:
        carried_out(session, _into(table), rows)


def write_row(session: Session, table: type[Base], row: Row) -> int:
    """A row that is not there yet, in a table whose key the database makes; that key."""
    key: int = carried_out(session, _into_with_key(table), row).scalar_one()
    return key


def remove_rows_of_case(session: Session, table: type[Base], case_id: str) -> None:
    """All rows of the case in a table that has its id in `case_id`."""
    carried_out(session, _out_of(table), {"of_case": case_id})


def rows_changed(session: Session, statement: Update | Delete) -> int:
    """Carries the statement out; how many rows it was about."""
    done = session.execute(statement)
    assert isinstance(done, CursorResult)
    return done.rowcount


@cache
def _into(table: type[Base]) -> Insert:
    return insert(table_of(table))


@cache
def _into_with_key(table: type[Base]) -> ReturningInsert[tuple[int]]:
    rows = table_of(table)
    return insert(rows).returning(rows.c.id)


@cache
def _out_of(table: type[Base]) -> Delete:
    rows = table_of(table)
    return delete(rows).where(rows.c.case_id == bindparam("of_case"))


def table_of(mapped: type[Base]) -> Table:
    return Base.metadata.tables[mapped.__tablename__]
