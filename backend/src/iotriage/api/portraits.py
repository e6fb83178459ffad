"""A case as a picture of a line's height, for whatever names a case."""

from __future__ import annotations

from iotriage.analysis.portrait import Portrait, portrait_of
from iotriage.api.guard.policies import READS_CASE
from iotriage.api.problems import present
from iotriage.api.requests import CaseId
from iotriage.api.routers import api_router
from iotriage.api.services import ReadSession
from iotriage.store.cases import find_case, stored_document

router = api_router("/cases/{case_id}/portrait", tag="cases", dependencies=[READS_CASE])


@router.get("")
def get_portrait(case_id: CaseId, session: ReadSession) -> Portrait | None:
    """Which layers moved bytes, by rank and time, in a few levels; null where no source tells, and until the case has
    been read."""
    case = present(find_case(session, case_id), "case", case_id)
    # Not from the queue's facts: a sample stands in no queue.
    document = stored_document(case)
    return None if document is None else portrait_of(document)
