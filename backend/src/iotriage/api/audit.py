"""Who did what to which case: to be read, by administrators, and nothing else."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Annotated

from fastapi import Depends, Query
from pydantic import AfterValidator
from starlette.responses import StreamingResponse

from iotriage.api.guard.policies import ADMINISTERS
from iotriage.api.requests import Limit
from iotriage.api.routers import api_router
from iotriage.api.services import Here, ReadSession
from iotriage.reports.escaping import content_disposition, escape_csv
from iotriage.store.audit import AuditFilter, AuditRow, entries
from iotriage.store.column_text import without_nul
from iotriage.store.database import Database
from iotriage_parsers.frozen import frozen

router = api_router("/audit", tag="access")

_AT_ONCE = 1000

Before = Annotated[int | None, Query(description="Entries older than the one with this id.", ge=0, le=2**31 - 1)]


def _in_utc(moment: datetime) -> datetime:
    """One without an offset is in UTC, as all days here are."""
    try:
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except OverflowError:
        raise ValueError("in UTC there is no such moment") from None


Moment = Annotated[datetime | None, AfterValidator(lambda moment: moment if moment is None else _in_utc(moment))]


def _filter(
    of_case: Annotated[str | None, Query(description="Entries of this case.", alias="case", max_length=64)] = None,
    person: Annotated[str | None, Query(description="Entries of this person.", max_length=255)] = None,
    words: Annotated[str | None, Query(description="Which have these words.", max_length=200)] = None,
    since: Annotated[Moment, Query(description="From this moment on, in UTC unless it says otherwise.")] = None,
    until: Annotated[Moment, Query(description="Before this moment.")] = None,
) -> AuditFilter:
    # No text of a database has NUL in it: nothing was done by or to such a one.
    case_id, by, about = (without_nul(text) if text else None for text in (of_case, person, words))
    return AuditFilter(case_id, by, about, since, until)


Filtered = Annotated[AuditFilter, Depends(_filter)]


@frozen
class AuditEntry:
    """`by` says how it was known who that is; `action` has the method and the route, or what was done without one,
    `about` what else the address named."""

    id: int
    at: datetime
    person: str
    by: str
    action: str
    case_id: str | None
    about: str | None


@router.get("", dependencies=[ADMINISTERS])
def list_audit(session: ReadSession, filter: Filtered, before: Before = None, limit: Limit = 100) -> list[AuditEntry]:
    """What was changed, by whom, the newest first; and who logged in. No address changes or removes an entry."""
    return [_entry(row) for row in entries(session, filter, before, limit)]


@router.get("/export", dependencies=[ADMINISTERS], response_class=StreamingResponse)
def export_audit(services: Here, filter: Filtered) -> StreamingResponse:
    """The whole audit log as CSV, the newest first."""
    headers = {"content-disposition": content_disposition("audit.csv")}
    return StreamingResponse(_lines(services.database, filter), media_type="text/csv", headers=headers)


def _entry(row: AuditRow) -> AuditEntry:
    return AuditEntry(row.id, row.at, row.person, row.by, row.action, row.case_id, row.about)


def _lines(database: Database, filter: AuditFilter) -> Iterator[str]:
    yield _line("at", "person", "by", "action", "case", "about")
    before: int | None = None
    while True:
        with database.reading() as session:
            found = entries(session, filter, before, _AT_ONCE)
        for row in found:
            yield _line(row.at.isoformat(), row.person, row.by, row.action, row.case_id or "", row.about or "")
        if len(found) < _AT_ONCE:
            return
        before = found[-1].id


def _line(*cells: str) -> str:
    """Who logs in chooses what they are called."""
    line = io.StringIO()
    csv.writer(line).writerow([escape_csv(cell) for cell in cells])
    return line.getvalue()
