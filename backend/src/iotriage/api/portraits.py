"""A case as a picture of a line's height, for whatever names a case."""

from __future__ import annotations

from fastapi import APIRouter
from sqlalchemy import select

from iotriage.analysis.portrait import Portrait
from iotriage.api.guard.policies import READS_CASE
from iotriage.api.problems import not_found
from iotriage.api.requests import CaseId
from iotriage.api.services import ReadSession
from iotriage.store.case_facts import PORTRAIT
from iotriage.store.cases import find_case
from iotriage.store.ticket_tables import CaseFactsRow

router = APIRouter(prefix="/cases/{case_id}/portrait", tags=["cases"], dependencies=[READS_CASE])


@router.get("")
def get_portrait(case_id: CaseId, session: ReadSession) -> Portrait | None:
    """Which layers moved bytes, by rank and time, in a few levels; null where no source says it, and until the case
    has been read."""
    case = find_case(session, case_id)
    if case is None:
        raise not_found("case", "case", case_id)
    kept = session.scalar(select(CaseFactsRow.portrait).where(CaseFactsRow.case_id == case.id))
    return None if kept is None else PORTRAIT.validate_json(kept)
