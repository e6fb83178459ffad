"""The people who came, as they last were: programs of theirs come without a log-in and have the role that they had."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import cast

from sqlalchemy import select
from sqlalchemy.orm import Session

from iotriage.access.person import Person, Role
from iotriage.store.access_tables import PersonRow


def remember(session: Session, person: Person, now: datetime) -> None:
    """Notes who the person is now. Call inside a writing transaction."""
    session.merge(PersonRow(id=person.id, name=person.name, role=person.role, seen_at=now))
    session.flush()


def known_person(session: Session, person: str) -> Person | None:
    row = session.get(PersonRow, person)
    return as_person(row) if row else None


def all_people(session: Session) -> Sequence[PersonRow]:
    """Everybody, by id."""
    return session.scalars(select(PersonRow).order_by(PersonRow.id)).all()


def as_person(row: PersonRow) -> Person:
    return Person(row.id, row.name, cast(Role, row.role))
