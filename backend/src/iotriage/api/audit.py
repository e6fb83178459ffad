"""Who did what to which case: to be read, by administrators, and nothing else."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query

from iotriage.api.guard.policies import ADMINISTERS
from iotriage.api.services import ReadSession
from iotriage.store.audit import entries
from iotriage_parsers.frozen import frozen

router = APIRouter(prefix="/audit", tags=["access"])

OfCase = Annotated[str | None, Query(description="Entries of this case.", alias="case", max_length=64)]
OfPerson = Annotated[str | None, Query(description="Entries of this person.", max_length=255)]
Before = Annotated[int | None, Query(description="Entries older than the one with this id.", ge=0, le=2**31 - 1)]
Limit = Annotated[int, Query(description="At most this many.", ge=1, le=500)]


@frozen
class AuditEntry:
    """`by` says how it was known who that is; `action` has the method and the route, `about` what else the address
    named."""

    id: int
    at: datetime
    person: str
    by: str
    action: str
    case_id: str | None
    about: str | None


@router.get("", dependencies=[ADMINISTERS])
def list_audit(
    session: ReadSession, of_case: OfCase = None, person: OfPerson = None, before: Before = None, limit: Limit = 100
) -> list[AuditEntry]:
    """What was changed, by whom, the newest first. No address changes or removes an entry."""
    return [
        AuditEntry(row.id, row.at, row.person, row.by, row.action, row.case_id, row.about)
        for row in entries(session, of_case, person, before, limit)
    ]
