"""Which cases and sources are whose, as conditions of a query."""

from __future__ import annotations

from functools import lru_cache

from sqlalchemy import ColumnElement, exists, or_, select, true

from iotriage.access.person import Person
from iotriage.store.access_tables import CasePersonRow, SourceGiverRow
from iotriage.store.tables import CaseRow, CaseSourceRow, SourceRow


def seen_by(person: Person) -> ColumnElement[bool]:
    """Holds for the cases (`CaseRow`) that the person may look at: every one for the helpdesk; for a user what they
    made, what the helpdesk gave them, and the samples. What a log says about its user counts for nothing."""
    if person.sees_every_case:
        return true()
    return or_(owned_by(person), CaseRow.sample_key.is_not(None))


def owned_by(person: Person) -> ColumnElement[bool]:
    """Holds for the cases that the person made or was given."""
    shared = exists().where(CasePersonRow.case_id == CaseRow.id, CasePersonRow.person == person.id)
    return or_(CaseRow.owner == person.id, shared)


@lru_cache(maxsize=256)
def usable_by(person: Person) -> ColumnElement[bool]:
    """Holds for the sources (`SourceRow`) that the person may name by their hash: those whose bytes they sent, and
    those of a case that they may look at, whose content they see there. Of any other it is not said that it is here."""
    sent = exists().where(SourceGiverRow.sha256 == SourceRow.sha256, SourceGiverRow.person == person.id)
    of_seen = select(CaseSourceRow.case_id).join(CaseRow, CaseRow.id == CaseSourceRow.case_id)
    return or_(sent, of_seen.where(CaseSourceRow.sha256 == SourceRow.sha256, seen_by(person)).exists())
