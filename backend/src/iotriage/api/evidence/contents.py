"""What a source holds, whole: the blocks that were read of a text, and every counter of every record of a log."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Response

from iotriage.analysis.views.blocks import Blocks
from iotriage.analysis.views.counter_cells import CounterPage, CounterQuery, ModuleRecords
from iotriage.api.evidence.case_query import case_of, place_in, query_case, source_in
from iotriage.api.evidence.excerpts import LineNumber, Member, Rank, RecordId, unreadable_problem
from iotriage.api.guard.policies import READS_CASE
from iotriage.api.problems import ProblemError
from iotriage.api.requests import CaseId, Offset, SourceIndex
from iotriage.api.routers import api_router
from iotriage.api.services import Here
from iotriage.intake.case_queries import HOLDS, BlocksBetween, Contents, CountersPage
from iotriage.intake.excerpt import Excerpt
from iotriage.intake.reading import LinesQuery
from iotriage_parsers.frozen import frozen

router = api_router("/cases/{case_id}/sources/{index}", tag="evidence", dependencies=[READS_CASE])

LAST_LINE = 2**31
MOST_BLOCKS = 500

Limit = Annotated[int, Query(description="At most this many.", ge=1, le=1000)]


@frozen
class SourceContents:
    """`lines` is how many a text has, null for what is none; `blocks` how many blocks were read of it. `modules` are
    those of a Darshan log, also of one that darshan-parser wrote out as text."""

    lines: int | None
    blocks: int
    modules: tuple[ModuleRecords, ...]


@router.get("/contents")
def get_contents(case_id: CaseId, index: SourceIndex, services: Here, member: Member = None) -> SourceContents:
    """The contents of the source: its lines and blocks, and which modules it has."""
    case = case_of(services, case_id)
    holds = HOLDS.validate_json(query_case(services, case, Contents(place_in(case, index, member))))
    counted = services.views.lines(source_in(case, index), LinesQuery(LAST_LINE, LAST_LINE, member))
    lines = counted.total if isinstance(counted, Excerpt) else None
    if holds.failure is not None and lines is None:
        raise unreadable_problem(holds.failure)
    return SourceContents(lines, holds.blocks, holds.modules)


@router.get("/blocks", response_model=Blocks)
def list_blocks(
    case_id: CaseId,
    index: SourceIndex,
    services: Here,
    first: LineNumber = 1,
    last: LineNumber = LAST_LINE,
    member: Member = None,
) -> Response:
    """The blocks that were read of lines `first` to `last` of a text, at most 500 of them, and which of their lines
    gave something."""
    case = case_of(services, case_id)
    query = BlocksBetween(place_in(case, index, member), first, last, MOST_BLOCKS)
    return Response(query_case(services, case, query), media_type="application/json")


@router.get("/counters", response_model=CounterPage)
def list_counters(
    case_id: CaseId,
    index: SourceIndex,
    services: Here,
    module: Annotated[str, Query(description='A Darshan module: "POSIX", "LUSTRE", …', max_length=64)],
    q: Annotated[str, Query(description="Words in the name of the counter.", max_length=256)] = "",
    file: Annotated[str, Query(description="Words in the name of the file.", max_length=1024)] = "",
    record: RecordId = None,
    rank: Rank = None,
    zeros: Annotated[bool, Query(description="Also counters that are 0 or not available.")] = False,
    largest: Annotated[bool, Query(description="The largest values first; else in the log's order.")] = False,
    member: Member = None,
    offset: Offset = 0,
    limit: Limit = 200,
) -> Response:
    """Counters of a Darshan log's records as they are in the log, one counter of one record after another."""
    number = None if record is None else int(record)
    if number is not None and number >= 2**64:
        raise ProblemError(422, "invalid-record", "That is not a record id", "A record id has 64 bits.")
    case = case_of(services, case_id)
    query = CounterQuery(module, q, file, number, rank, not zeros, largest)
    page = CountersPage(place_in(case, index, member), query, offset, limit)
    return Response(query_case(services, case, page), media_type="application/json")
