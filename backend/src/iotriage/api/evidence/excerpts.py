"""Where a number stands: some lines of a text source, or the counters of a record."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Response

from iotriage.analysis.views.record import Record, RecordQuery
from iotriage.api.evidence.case_query import case_of, place_in, query_case, source_in
from iotriage.api.guard.policies import READS_CASE
from iotriage.api.problems import ProblemError
from iotriage.api.requests import CaseId, SourceIndex
from iotriage.api.routers import api_router
from iotriage.api.services import Here
from iotriage.intake.case_evidence import unreadable
from iotriage.intake.case_queries import OneRecord
from iotriage.intake.excerpt import LARGEST_EXCERPT_LINES, Excerpt
from iotriage.intake.reading import LinesQuery
from iotriage_parsers.evidence import Failure

router = api_router("/cases/{case_id}/sources/{index}", tag="evidence", dependencies=[READS_CASE])

RecordId = Annotated[str | None, Query(description="Record id in decimal; none: totals.", pattern=r"^[0-9]{1,20}$")]
Rank = Annotated[int | None, Query(description="−1: reduced over all ranks.", ge=-1, le=2**31)]
Member = Annotated[
    int | None, Query(description="Of an archive: which of its files, as in the source's `member`.", ge=0, le=2**31)
]
LineNumber = Annotated[int, Query(description="Counted from 1, included.", ge=1, le=2**31)]


@router.get("/lines")
def get_lines(
    case_id: CaseId,
    index: SourceIndex,
    services: Here,
    first: LineNumber,
    last: LineNumber,
    member: Member = None,
) -> Excerpt:
    """Lines `first` to `last` of a text source, at most 400: decoded, control sequences taken out, and each cut
    where it is longer than 64 KiB."""
    if last < first or last - first >= LARGEST_EXCERPT_LINES:
        detail = f"`last` must not be before `first`, and at most {LARGEST_EXCERPT_LINES} lines are given at a time."
        raise ProblemError(422, "invalid-range", "That is not a range of lines", detail)
    source = source_in(case_of(services, case_id), index)
    found = services.views.lines(source, LinesQuery(first, last, member))
    if isinstance(found, Failure):
        raise unreadable_problem(found)
    if found is None:
        raise ProblemError(422, "not-a-text", "The source has no lines", "It is a binary log: ask for its records.")
    return found


@router.get("/record", response_model=Record)
def get_record(
    case_id: CaseId,
    index: SourceIndex,
    services: Here,
    module: Annotated[str, Query(description='A Darshan module: "POSIX", "MPI-IO", …', max_length=64)],
    record: RecordId = None,
    rank: Rank = None,
    member: Member = None,
) -> Response:
    """The counters of one record of a Darshan log, or the totals of a module."""
    case = case_of(services, case_id)
    query = OneRecord(place_in(case, index, member), RecordQuery(module, record, rank))
    return Response(query_case(services, case, query), media_type="application/json")


def unreadable_problem(failure: Failure) -> ProblemError:
    """What a failure to read says, as a problem."""
    refusal = unreadable(failure)
    return ProblemError(refusal.status, refusal.kind, refusal.title, refusal.detail)
