"""The ranks of a case, all of them: the document has them in bins only."""

from __future__ import annotations

from fastapi import Response

from iotriage.analysis.views.rank_table import RankTable
from iotriage.api.evidence.case_query import answer_response
from iotriage.api.guard.policies import READS_CASE
from iotriage.api.requests import CaseId
from iotriage.api.routers import api_router
from iotriage.api.services import Here
from iotriage.intake.case_queries import Ranks

router = api_router("/cases/{case_id}", tag="evidence", dependencies=[READS_CASE])


@router.get("/ranks", response_model=RankTable)
def get_ranks(case_id: CaseId, services: Here) -> Response:
    """Bytes and seconds of every rank, by layer, where the evidence tells ranks apart."""
    return answer_response(services, case_id, Ranks())
