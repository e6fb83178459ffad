"""The queue: tickets, and cases that nobody has taken, filtered, searched and sorted, a page at a time.

A page begins behind the last entry of the page before (its `cursor`), so that the thousandth page costs what the first
does, and an entry that comes meanwhile moves nothing.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final, Literal

from pydantic import TypeAdapter
from sqlalchemy import ColumnElement, and_, false, func, inspect, literal, or_, select, true
from sqlalchemy.orm import Session

from iotriage.analysis.document import HeadlineSeverity
from iotriage.analysis.portrait import Portrait
from iotriage.helpdesk.outcomes import outcome_in_short
from iotriage.helpdesk.unread import why_unread
from iotriage.store.case_facts import PORTRAIT
from iotriage.store.search_text import FoundWords, found_by
from iotriage.store.tables import CaseRow, CaseStatus
from iotriage.store.ticket_tables import CaseFactsRow, OutcomeRow, QueueEntryRow, TicketCaseRow, TicketStatus
from iotriage_parsers.frozen import frozen

Sort = Literal[
    "urgency", "oldest", "newest", "changed", "io time", "lost", "node-hours", "saves", "owner", "user", "job"
]
"""`urgency`: the gravest first, of those the unanswered, of those what a cure could save most. Seconds and node-hours:
the most first."""

_Key = str | float | int | bool
_KEYS: TypeAdapter[tuple[_Key, ...]] = TypeAdapter(tuple[_Key, ...])
_COLUMN_INTEGERS = 2**31


class BadCursorError(ValueError):
    """The cursor is none that a page of this order was answered with."""


@frozen
class QueueFilter:
    """Which entries; what is empty or None filters nothing. Several of one kind: any of them. `words` must all be found
    in what the entry's cases, notes and fields say."""

    status: tuple[TicketStatus, ...] = ()
    severity: tuple[HeadlineSeverity, ...] = ()
    owner: str | None = None
    unowned: bool = False
    system: str | None = None
    user: str | None = None
    project: str | None = None
    application: str | None = None
    rule: str | None = None
    job: str | None = None
    older_than_h: float | None = None
    words: str = ""


@frozen
class QueueEntry:
    """A ticket, or, where `ticket` is None, a case that nobody has taken: its status is "new". `case` is the leading
    one, None while the ticket has none. What comes from the evidence is that case's and None where it is not known:
    `lost_s` are the seconds that the run loses by the finding on top in all groups of files, with what follows from it,
    `node_hours` those on all nodes, `could_save_s` the most that its cure could win; `sentence` is the headline without
    its figure. `io_time_bound` is "at least" or "at most" where the time is not known exactly, else empty.
    `job_entries` is how many entries the queue has of the same job id, `unread` which files of its failed cases could
    not be read, and why: it leads by one only where all from before the advice failed. `outcome` is what became of the
    advice, "helped, 4.85 times faster", None while nothing is known: the rest is of the run before it."""

    id: int
    ticket: int | None
    case: str | None
    case_status: CaseStatus | None
    version: int
    reference: str | None
    title: str
    status: TicketStatus
    owner: str | None
    severity: HeadlineSeverity | None
    rule: str | None
    headline: str | None
    sentence: str | None
    job_id: str | None
    system: str | None
    user: str | None
    project: str | None
    application: str | None
    io_time_s: float | None
    io_time_fraction: float | None
    io_time_bound: str
    lost_s: float | None
    node_hours: float | None
    could_save_s: float | None
    cases: int
    job_entries: int
    created_at: datetime
    changed_at: datetime
    portrait: Portrait | None
    outcome: str | None
    unread: str | None


@frozen
class QueueCounts:
    """Of all that the filter lets through."""

    total: int
    without_owner: int
    by_severity: dict[HeadlineSeverity, int]
    by_status: dict[TicketStatus, int]


@frozen
class QueuePage:
    """`next` is the cursor of the page behind, None on the last. `counts` are there on the first page. Where more
    entries than `newest` have the words, only so many are here: those that came last."""

    entries: tuple[QueueEntry, ...]
    next: str | None
    counts: QueueCounts | None
    newest: int | None = None


@frozen
class _By:
    """A column to sort by: of which type its values are, and what stands for those that are None; or whether it is
    `known`, which comes before what is not."""

    column: str
    type: type[_Key] | type[datetime]
    descending: bool = False
    absent: _Key | None = None
    known: bool = False

    @property
    def value(self) -> ColumnElement[object] | ColumnElement[bool]:
        column: ColumnElement[object] = inspect(QueueEntryRow).columns[self.column]
        if self.known:
            return column.is_(None)
        return column if self.absent is None else func.coalesce(column, self.absent)

    def key_of(self, row: QueueEntryRow) -> _Key:
        found = getattr(row, self.column)
        if self.known:
            return found is None
        value = self.absent if found is None else found
        assert isinstance(value, self.type)
        return value.isoformat() if isinstance(value, datetime) else value


UNGRADED: Final[HeadlineSeverity] = "unknown"
"""What an entry is filtered and counted as that has no severity: a mail without a log, or a case that was not read. Who
leaves out what is clear loses none of these."""

_E = QueueEntryRow
_NEWEST = _By("id", int, descending=True)
_OLDEST = _By("id", int)
_MOST_SAVED = _By("saves_order", float)
_ORDERS: dict[Sort, tuple[_By, ...]] = {
    "urgency": (_By("severity_order", int), _By("answered", bool), _MOST_SAVED, _OLDEST),
    "oldest": (_By("created_at", datetime), _By("id", int)),
    "newest": (_By("created_at", datetime, descending=True), _NEWEST),
    "changed": (_By("changed_at", datetime, descending=True), _NEWEST),
    "io time": (_By("io_time_s", float, descending=True, absent=-1.0), _NEWEST),
    "lost": (_By("lost_s", float, descending=True, absent=-1.0), _NEWEST),
    "node-hours": (_By("node_hours", float, descending=True, absent=-1.0), _NEWEST),
    "saves": (_MOST_SAVED, _OLDEST),
    "owner": (_By("owner", str, absent=""), _NEWEST),
    "user": (_By("user", bool, known=True), _By("user", str, absent=""), _NEWEST),
    "job": (_By("job_id", bool, known=True), _By("job_id", str, absent=""), _NEWEST),
}


def queue_page(
    session: Session, filter: QueueFilter, sort: Sort, limit: int, cursor: str | None, now: datetime
) -> QueuePage:
    """The page behind `cursor`, the first where that is None. Raises `BadCursorError`."""
    conditions = _conditions(filter, now)
    found = found_by(session, filter.words, conditions) if filter.words.strip() else FoundWords(true())
    wanted = and_(_E.id.is_not(None), *conditions, found.condition)
    order = _ORDERS[sort]
    page = select(_E, CaseRow.status, CaseFactsRow.sentence, CaseFactsRow.portrait, OutcomeRow)
    page = page.outerjoin(CaseRow, CaseRow.id == _E.case_id)
    page = page.outerjoin(CaseFactsRow, CaseFactsRow.case_id == _E.case_id)
    page = page.outerjoin(OutcomeRow, OutcomeRow.ticket_id == _E.ticket_id).where(wanted)
    if cursor is not None:
        page = page.where(_behind(order, _read_cursor(cursor, order)))
    page = page.order_by(*(by.value.desc() if by.descending else by.value for by in order)).limit(limit + 1)
    rows = session.execute(page).all()
    shown = rows[:limit]
    jobs = _entries_of_jobs(session, {row.job_id for row, *_ in shown if row.job_id is not None})
    unread = _unread_in(session, [row for row, *_ in shown])
    entries = tuple(_entry(*row, jobs=jobs, unread=unread.get(row[0].id)) for row in shown)
    more = _cursor(shown[-1][0], order) if len(rows) > limit else None
    return QueuePage(entries, more, _counts(session, wanted) if cursor is None else None, found.newest)


def _conditions(filter: QueueFilter, now: datetime) -> Sequence[ColumnElement[bool]]:
    """What the filter asks of an entry, its words left out."""
    conditions: list[ColumnElement[bool]] = [_E.looked_up.is_(False)]
    if filter.status:
        conditions.append(_E.status.in_(filter.status))
    if filter.severity:
        graded = _E.severity.in_(filter.severity)
        conditions.append(or_(graded, _E.severity.is_(None)) if UNGRADED in filter.severity else graded)
    if filter.unowned:
        conditions.append(_E.owner.is_(None))
    equal = {
        _E.owner: filter.owner,
        _E.system: filter.system,
        _E.user: filter.user,
        _E.project: filter.project,
        _E.application: filter.application,
        _E.rule: filter.rule,
        _E.job_id: filter.job,
    }
    conditions += [column == value for column, value in equal.items() if value is not None]
    if filter.older_than_h is not None:
        conditions.append(_E.created_at <= now - timedelta(hours=filter.older_than_h))
    return conditions


def _behind(order: Sequence[_By], values: Sequence[_Key | datetime]) -> ColumnElement[bool]:
    """Whether an entry stands behind the one that has these values."""
    behind: ColumnElement[bool] = false()
    for by, value in reversed(list(zip(order, values, strict=True))):
        further = by.value < literal(value) if by.descending else by.value > literal(value)
        behind = or_(further, and_(by.value == value, behind))
    return behind


def _cursor(last: QueueEntryRow, order: Sequence[_By]) -> str:
    keys = tuple(by.key_of(last) for by in order)
    return base64.urlsafe_b64encode(_KEYS.dump_json(keys)).decode().rstrip("=")


def _read_cursor(cursor: str, order: Sequence[_By]) -> list[_Key | datetime]:
    try:
        keys = _KEYS.validate_json(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)), strict=True)
        return [_key(key, by) for key, by in zip(keys, order, strict=True)]
    except ValueError as wrong:
        raise BadCursorError(cursor) from wrong


def _key(key: _Key, by: _By) -> _Key | datetime:
    value = datetime.fromisoformat(key) if by.type is datetime and isinstance(key, str) else key
    if type(value) is not by.type or (isinstance(value, int) and abs(value) >= _COLUMN_INTEGERS):
        raise ValueError(f"{key!r} is not of the column")
    if isinstance(value, str) and "\0" in value:
        raise ValueError("no text of a database has NUL in it")
    return value


def _counts(session: Session, wanted: ColumnElement[bool]) -> QueueCounts:
    groups = select(_E.severity, _E.status, _E.owner, func.count()).where(wanted)
    by_severity: dict[HeadlineSeverity, int] = {}
    by_status: dict[TicketStatus, int] = {}
    total = without_owner = 0
    for severity, status, owner, count in session.execute(groups.group_by(_E.severity, _E.status, _E.owner)):
        total += count
        without_owner += count if owner is None else 0
        by_status[status] = by_status.get(status, 0) + count
        grade = UNGRADED if severity is None else severity
        by_severity[grade] = by_severity.get(grade, 0) + count
    return QueueCounts(total, without_owner, by_severity, by_status)


def _entries_of_jobs(session: Session, jobs: set[str]) -> dict[str, int]:
    rows = session.execute(
        select(_E.job_id, func.count()).where(_E.job_id.in_(jobs), _E.looked_up.is_(False)).group_by(_E.job_id)
    )
    return {job: count for job, count in rows if job is not None}


def _unread_in(session: Session, entries: Sequence[QueueEntryRow]) -> dict[int, str]:
    """Why the cases of each entry that failed could not be read, in the order in which they came."""
    by_ticket = {entry.ticket_id: entry.id for entry in entries if entry.ticket_id is not None}
    of_tickets = session.execute(
        select(TicketCaseRow.ticket_id, TicketCaseRow.case_id)
        .join(CaseRow, CaseRow.id == TicketCaseRow.case_id)
        .where(TicketCaseRow.ticket_id.in_(by_ticket), CaseRow.status == "failed")
        .order_by(TicketCaseRow.added_at, TicketCaseRow.case_id)
    )
    cases = [(by_ticket[ticket], case) for ticket, case in of_tickets]
    cases += [(entry.id, entry.case_id) for entry in entries if entry.ticket_id is None and entry.case_id]
    why = why_unread(session, [case for _, case in cases])
    found: dict[int, list[str]] = {}
    for entry, case in cases:
        if case in why:
            found.setdefault(entry, []).append(why[case])
    return {entry: "; ".join(said) for entry, said in found.items()}


def _entry(
    row: QueueEntryRow,
    state: CaseStatus | None,
    sentence: str | None,
    portrait: str | None,
    outcome: OutcomeRow | None,
    *,
    jobs: dict[str, int],
    unread: str | None,
) -> QueueEntry:
    return QueueEntry(
        id=row.id,
        ticket=row.ticket_id,
        case=row.case_id,
        case_status=state,
        version=row.version,
        reference=row.reference,
        title=row.title,
        status=row.status,
        owner=row.owner,
        severity=row.severity,
        rule=row.rule,
        headline=row.headline,
        sentence=sentence,
        job_id=row.job_id,
        system=row.system,
        user=row.user,
        project=row.project,
        application=row.application,
        io_time_s=row.io_time_s,
        io_time_fraction=row.io_time_fraction,
        io_time_bound=row.io_time_bound,
        lost_s=row.lost_s,
        node_hours=row.node_hours,
        could_save_s=row.could_save_s,
        cases=row.cases,
        job_entries=jobs.get(row.job_id, 1) if row.job_id is not None else 1,
        created_at=row.created_at,
        changed_at=row.changed_at,
        portrait=None if portrait is None else PORTRAIT.validate_json(portrait),
        outcome=None if outcome is None else outcome_in_short(outcome),
        unread=unread,
    )
