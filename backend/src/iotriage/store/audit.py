"""The audit log: who did what to which case, and when. An entry is written in the transaction that it records, changed
by nobody, and removed when it is old enough; triggers of the database refuse the rest (migration 0008).

Whoever acts is noted by `set_audit_context` where a request begins; every transaction that is committed on its behalf
has the entry.
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
"""No entry is removed sooner; the triggers say so as well."""

LOGGED_IN: Final = "logged in"
CAME_FIRST: Final = "came for the first time"
ROLE_CHANGED: Final = "role changed"
TOKEN_USED: Final = "token used for the first time"
NOT_LET_IN: Final = "not let in"
"""What is done by itself, and has no route."""

RETENTION: Final = "retention"
"""Who removes what was kept long enough."""

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
    """On whose behalf the current request commits, and as what: see `AuditRow`."""

    person: str
    by: str
    action: str
    case_id: str | None = None
    about: str | None = None


_acting: ContextVar[AuditContext | None] = ContextVar("acting", default=None)


def clear_audit_context() -> None:
    """At the start of a request: nobody acts yet. A server may begin a request in the context of another one that came
    by the same connection: where it read a long body, it goes on in the context that asked it to."""
    _acting.set(None)


def set_audit_context(act: AuditContext) -> None:
    """From now on, what this request commits is recorded under `act`."""
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
    """What is None filters nothing. `words` stand in what was done or what it was about, whatever their case."""

    case_id: str | None = None
    person: str | None = None
    words: str | None = None
    since: datetime | None = None
    until: datetime | None = None


def entries(session: Session, filter: AuditFilter, before: int | None, limit: int) -> Sequence[AuditRow]:
    """The newest first; `before` is the id of the last one of the page before."""
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
    """Removes the oldest of those that were kept long enough; how many."""
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
