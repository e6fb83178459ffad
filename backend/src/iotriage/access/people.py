"""The people who came, as they last were: programs of theirs come without a log-in and have the role that they had."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import cast

from sqlalchemy import select
from sqlalchemy.orm import Session

from iotriage.access.person import Person, Role
from iotriage.store.access_tables import PersonRow
from iotriage.store.audit import CAME_FIRST, ROLE_CHANGED, AuditContext, record


def remember(session: Session, person: Person, now: datetime, by: str) -> None:
    """Notes who the person is now; that they came for the first time, or have another role than before, is recorded.
    Call inside a writing transaction."""
    known = session.get(PersonRow, person.id)
    if known is None:
        record(session, AuditContext(person.id, by, CAME_FIRST, about=f"role {person.role}"), now)
    elif known.role != person.role:
        record(session, AuditContext(person.id, by, ROLE_CHANGED, about=f"from {known.role} to {person.role}"), now)
    session.merge(PersonRow(id=person.id, name=person.name, role=person.role, seen_at=now))
    session.flush()


def known_person(session: Session, person: str) -> Person | None:
    row = session.get(PersonRow, person)
    return as_person(row) if row else None


def all_people(session: Session) -> Sequence[PersonRow]:
    """Every known person, in the order of their ids."""
    return session.scalars(select(PersonRow).order_by(PersonRow.id)).all()


def colleagues(session: Session, person: Person) -> list[Person]:
    """Everybody who may have a ticket, by name: who came and sees every case, and who asks."""
    others = select(PersonRow).where(PersonRow.role != "user", PersonRow.id != person.id)
    return sorted((person, *map(as_person, session.scalars(others))), key=lambda one: (one.name.casefold(), one.id))


def as_person(row: PersonRow) -> Person:
    return Person(row.id, row.name, cast(Role, row.role))
