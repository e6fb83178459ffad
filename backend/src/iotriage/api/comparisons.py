"""Several cases held against one another."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from iotriage.analysis.decision.moved_thresholds import UnknownThresholdError
from iotriage.analysis.run_sets.comparison import Comparison, TooFewRunsError, compare
from iotriage.analysis.run_sets.run import TitledCase
from iotriage.api.cases import case_view, ready_document
from iotriage.api.guard.policies import READS_CASE
from iotriage.api.problems import ProblemError
from iotriage.api.requests import OwnThresholds, SiteQuery, own_thresholds, unknown_threshold
from iotriage.api.routers import api_router
from iotriage.api.services import Here, ReadSession

router = api_router("/compare", tag="comparisons", dependencies=[READS_CASE])

CaseIds = Annotated[
    str,
    Query(
        description="Ids of at most 16 cases, separated by commas; the others are compared with the first.",
        pattern=r"^[A-Za-z0-9_-]{1,64}(,[A-Za-z0-9_-]{1,64}){0,15}$",
    ),
]


@router.get("")
def compare_cases(
    cases: CaseIds, services: Here, session: ReadSession, site: SiteQuery = None, own: OwnThresholds = None
) -> Comparison:
    """The comparison of the cases: what was changed, and how the I/O changed. One case is enough where it is the output
    of a benchmark with several runs. `moved` names the thresholds that are the reader's own."""
    documents = [(case_id, ready_document(services, session, case_id, site)) for case_id in cases.split(",")]
    titled = [TitledCase(case_view(session, case_id, document).title, document) for case_id, document in documents]
    try:
        return compare(titled, own_thresholds(own))
    except TooFewRunsError as few:
        raise ProblemError(409, "too-few-runs", "There is nothing to compare", str(few)) from None
    except UnknownThresholdError as unknown:
        raise unknown_threshold(f"{unknown}.") from None
