"""The audit log: who did what to which case, and when.

An entry is written in the transaction that it records. Nobody changes it, and it is removed when it is old enough;
triggers of the database refuse anything else. `set_audit_context` notes at the start of a request who acts; every
transaction that the request commits then adds an entry.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta
from typing import Final

from sqlalchemy import Index, String, Text, delete, event, func, select
from sqlalchemy.orm import Mapped, Session, mapped_column, sessionmaker

from iotriage.store.rows import rows_changed
from iotriage.store.tables import CASE_ID_LENGTH, Base, CaseRow, Utc
from iotriage_parsers.frozen import frozen

LEAST_KEPT: Final = timedelta(days=30)
"""No entry is removed earlier than this; the database's triggers enforce it too."""

LOGGED_IN: Final = "logged in"
CAME_FIRST: Final = "came for the first time"
ROLE_CHANGED: Final = "role changed"
TOKEN_USED: Final = "token used for the first time"
NOT_LET_IN: Final = "not let in"
"""The action recorded for a refused log-in, which has no route of its own."""

ITSELF: Final = "IOtriage"
"""Recorded as the person where the program did it of itself."""

RETENTION: Final = "retention"
"""The `person` of entries about data that was removed because it was old enough."""

LONGEST_ABOUT: Final = 500

_NEW_CASES: Final = "iotriage_new_cases"
_DETAILS: Final = "iotriage_details"


class AuditRow(Base):
    """`person` is `Person.id`, or `RETENTION`; `by` what said so; `action` the method and the route; `about` what else
    the address names. No foreign keys: an entry outlives what it tells of."""

    __tablename__ = "audit"
    __table_args__ = (Index(None, "case_id", "id"), Index(None, "person", "id"), Index(None, "at"))

    id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[datetime] = mapped_column(Utc)
    person: Mapped[str] = mapped_column(Text)
    by: Mapped[str] = mapped_column(String(16))
    action: Mapped[str] = mapped_column(Text)
    case_id: Mapped[str | None] = mapped_column(String(CASE_ID_LENGTH))
    about: Mapped[str | None] = mapped_column(Text)


@frozen
class AuditContext:
    """For whom, and as what, the current request commits: the fields of `AuditRow`."""

    person: str
    by: str
    action: str
    case_id: str | None = None
    about: str | None = None


_acting: ContextVar[AuditContext | None] = ContextVar("acting", default=None)


def clear_audit_context() -> None:
    """Called at the start of a request: nobody acts yet. A server may begin a request in the context of an earlier one
    on the same connection, as after it has read a long body."""
    _acting.set(None)


def set_audit_context(act: AuditContext) -> None:
    """From here on, what this request commits is recorded under `act`."""
    _acting.set(act)


def add_audit_detail(session: Session, more: str | None) -> None:
    """Adds to what is recorded of this transaction beside the address that was asked for."""
    if more:
        session.info.setdefault(_DETAILS, []).append(more)


def audit_commits(sessions: sessionmaker[Session]) -> None:
    """Has every commit of these sessions recorded, where a request set who acts."""
    event.listen(sessions, "before_flush", _note_new_cases)
    event.listen(sessions, "before_commit", _record_commit)


def record(session: Session, act: AuditContext, at: datetime) -> None:
    session.add(AuditRow(at=at, person=act.person, by=act.by, action=act.action, case_id=act.case_id, about=act.about))


@frozen
class AuditFilter:
    """Fields that are None do not filter. `words` are looked for, ignoring case, in the action and in what it was
    about."""

    case_id: str | None = None
    person: str | None = None
    words: str | None = None
    since: datetime | None = None
    until: datetime | None = None


def entries(session: Session, filter: AuditFilter, before: int | None, limit: int) -> Sequence[AuditRow]:
    """Entries, newest first; `before` is the id of the last entry of the previous page."""
    wanted = select(AuditRow).order_by(AuditRow.id.desc()).limit(limit)
    if filter.case_id is not None:
        wanted = wanted.where(AuditRow.case_id == filter.case_id)
    if filter.person is not None:
        wanted = wanted.where(AuditRow.person == filter.person)
    if filter.words is not None:
        text = AuditRow.action + " " + func.coalesce(AuditRow.about, "")
        wanted = wanted.where(text.icontains(filter.words, autoescape=True))
    if filter.since is not None:
        wanted = wanted.where(AuditRow.at >= filter.since)
    if filter.until is not None:
        wanted = wanted.where(AuditRow.at < filter.until)
    if before is not None:
        wanted = wanted.where(AuditRow.id < before)
    return session.scalars(wanted).all()


def drop_old_entries(session: Session, now: datetime, keep_for: timedelta, most: int) -> int:
    """Removes the oldest entries that were kept long enough, and returns how many."""
    old = select(AuditRow.id).where(AuditRow.at < now - max(keep_for, LEAST_KEPT)).order_by(AuditRow.at).limit(most)
    return rows_changed(session, delete(AuditRow).where(AuditRow.id.in_(old)))


def _note_new_cases(session: Session, *_: object) -> None:
    if _acting.get() is not None:
        session.info.setdefault(_NEW_CASES, set()).update(row.id for row in session.new if isinstance(row, CaseRow))


def _record_commit(session: Session) -> None:
    act = _acting.get()
    if act is None or session.in_nested_transaction():
        return
    session.flush()
    cases: set[str | None] = set(session.info.pop(_NEW_CASES, ())) or {act.case_id}
    details: list[str] = session.info.pop(_DETAILS, [])
    about = ", ".join(filter(None, (act.about, *details)))[:LONGEST_ABOUT] or None
    now = datetime.now(UTC)
    for case_id in sorted(cases, key=str):
        record(session, AuditContext(act.person, act.by, act.action, case_id, about), now)
