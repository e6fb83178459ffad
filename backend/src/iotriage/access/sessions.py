"""Log-ins: made, asked for and ended. Every function takes the session of the database it works in."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from iotriage.access.people import as_person, remember
from iotriage.access.person import Person
from iotriage.access.secret import fingerprint, new_secret
from iotriage.store.access_tables import PersonRow, SessionRow, SignInCodeRow
from iotriage.store.audit import LOGGED_IN, AuditContext, record
from iotriage.store.rows import rows_changed

CODE_LASTS = timedelta(days=1)


def begin_session(session: Session, person: Person, now: datetime, lasts: timedelta, how: str) -> str:
    """What the cookie is to hold; `how` the person logged in is recorded. Those that have ended are forgotten."""
    secret = new_secret()
    session.execute(delete(SessionRow).where(SessionRow.ends_at <= now))
    remember(session, person, now, "session")
    record(session, AuditContext(person.id, "session", LOGGED_IN, about=how), now)
    session.add(SessionRow(hash=fingerprint(secret), person=person.id, made_at=now, ends_at=now + lasts))
    return secret


def person_of_session(session: Session, secret: str, now: datetime) -> Person | None:
    """Whose log-in it is; None where it has ended, whyever."""
    person = select(PersonRow).join(SessionRow, SessionRow.person == PersonRow.id)
    row = session.scalar(person.where(SessionRow.hash == fingerprint(secret), SessionRow.ends_at > now))
    return as_person(row) if row else None


def end_session(session: Session, secret: str) -> None:
    session.execute(delete(SessionRow).where(SessionRow.hash == fingerprint(secret)))


def end_sessions(session: Session, person: str) -> int:
    """Ends all log-ins of the person; how many those were."""
    return rows_changed(session, delete(SessionRow).where(SessionRow.person == person))


def new_code(session: Session, now: datetime) -> str:
    """A secret with which a session can be begun once."""
    code = new_secret()
    session.execute(delete(SignInCodeRow).where(SignInCodeRow.ends_at <= now))
    session.add(SignInCodeRow(hash=fingerprint(code), ends_at=now + CODE_LASTS))
    return code


def use_code(session: Session, code: str, now: datetime) -> bool:
    """Whether the code was good, which it then is no more. Of two who use it at once, one has it."""
    good = delete(SignInCodeRow).where(SignInCodeRow.hash == fingerprint(code), SignInCodeRow.ends_at > now)
    return rows_changed(session, good) == 1
