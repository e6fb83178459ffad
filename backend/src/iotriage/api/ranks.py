"""The ranks of a case, all of them: the document has them in bins only."""

from __future__ import annotations

from fastapi import APIRouter

from iotriage.analysis.views.rank_table import RankTable, rank_table
from iotriage.api.problems import not_found
from iotriage.api.requests import CaseId
from iotriage.api.services import Here, ReadSession
from iotriage.store.cases import find_case, snapshot_of

router = APIRouter(prefix="/cases/{case_id}", tags=["evidence"])


@router.get("/ranks")
def get_ranks(case_id: CaseId, services: Here, session: ReadSession) -> RankTable:
    """Bytes and seconds of every rank, by layer, where the evidence tells ranks apart."""
    case = find_case(session, case_id)
    if case is None:
        raise not_found("case", "case", case_id)
    return rank_table(services.evidence.inputs(snapshot_of(case).sources))
