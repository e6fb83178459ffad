"""API tokens: what a program of a person's shows instead of a log-in."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import get_args

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from iotriage.access.people import as_person
from iotriage.access.person import Person
from iotriage.access.secret import fingerprint, new_secret
from iotriage.store.access_tables import ApiTokenRow, PersonRow, TokenScope
from iotriage.store.audit import TOKEN_USED, AuditContext, record
from iotriage.store.rows import rows_changed
from iotriage.store.tables import new_id
from iotriage_parsers.frozen import frozen

SCOPES: tuple[TokenScope, ...] = get_args(TokenScope)
LONGEST = timedelta(days=366)
PREFIX = "iotriage_"
"""Tells whoever finds one, and programs that look for secrets in repositories, what it is."""


@frozen
class ValidToken:
    """Whose the token is, what it may, and whether it was shown before."""

    token_id: str
    person: Person
    scope: TokenScope
    used: bool


def may(scope: TokenScope, needed: TokenScope) -> bool:
    return SCOPES.index(needed) <= SCOPES.index(scope)


def new_token(
    session: Session, person: Person, name: str, scope: TokenScope, now: datetime, lasts: timedelta
) -> tuple[ApiTokenRow, str]:
    """The token's row, and the token itself, which nobody sees again. The person is remembered already."""
    token = f"{PREFIX}{new_secret()}"
    row = ApiTokenRow(
        id=new_id(),
        person=person.id,
        name=name,
        scope=scope,
        hash=fingerprint(token),
        made_at=now,
        ends_at=now + min(lasts, LONGEST),
    )
    session.add(row)
    session.flush()
    return row, token


def validate_token(session: Session, token: str, now: datetime) -> ValidToken | None:
    """What the token stands for; None where it is none, has ended or was revoked. The role is the person's now."""
    query = select(PersonRow, ApiTokenRow).join(ApiTokenRow, ApiTokenRow.person == PersonRow.id)
    good = (ApiTokenRow.hash == fingerprint(token), ApiTokenRow.ends_at > now, ApiTokenRow.revoked_at.is_(None))
    found = session.execute(query.where(*good)).one_or_none()
    if found is None:
        return None
    person, row = found
    return ValidToken(row.id, as_person(person), row.scope, row.used_at is not None)


def note_first_use(session: Session, seen: ValidToken, now: datetime) -> None:
    """Records that the token was shown for the first time. Of two requests with it at once, one has it recorded."""
    unused = update(ApiTokenRow).where(ApiTokenRow.id == seen.token_id, ApiTokenRow.used_at.is_(None))
    if rows_changed(session, unused.values(used_at=now)):
        record(session, AuditContext(seen.person.id, "token", TOKEN_USED, about=f"token {seen.token_id}"), now)


def tokens_of(session: Session, person: str | None) -> Sequence[ApiTokenRow]:
    """The person's, or everybody's, newest first; without those that were revoked."""
    valid = select(ApiTokenRow).where(ApiTokenRow.revoked_at.is_(None)).order_by(ApiTokenRow.made_at.desc())
    return session.scalars(valid if person is None else valid.where(ApiTokenRow.person == person)).all()


def revoke_token(session: Session, token_id: str, now: datetime, person: str | None = None) -> bool:
    """Whether there was such a token; with `person`, of theirs."""
    chosen = update(ApiTokenRow).where(ApiTokenRow.id == token_id, ApiTokenRow.revoked_at.is_(None))
    own = chosen if person is None else chosen.where(ApiTokenRow.person == person)
    return rows_changed(session, own.values(revoked_at=now)) == 1


def revoke_tokens(session: Session, person: str, now: datetime) -> int:
    """Revokes all of the person's; how many those were."""
    valid = update(ApiTokenRow).where(ApiTokenRow.person == person, ApiTokenRow.revoked_at.is_(None))
    return rows_changed(session, valid.values(revoked_at=now))
