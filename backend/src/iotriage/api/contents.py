"""What a source holds, whole: the blocks that were read of a text, and every counter of every record of a log."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query

from iotriage.analysis.views.blocks import Blocks, block_count, blocks_between
from iotriage.analysis.views.counter_cells import CounterPage, CounterQuery, ModuleHeld, counter_page, modules_of
from iotriage.api.excerpts import LineNumber, Member, Rank, RecordId, source_of, unreadable
from iotriage.api.problems import ProblemError
from iotriage.api.requests import CaseId, SourceIndex
from iotriage.api.services import Here, ReadSession, Services
from iotriage.intake.excerpt import Excerpt
from iotriage.intake.reading import LinesQuery
from iotriage.store.tables import CaseSourceRow
from iotriage_parsers.evidence import Evidence, Failure

router = APIRouter(prefix="/cases/{case_id}/sources/{index}", tags=["evidence"])

LAST_LINE = 2**31
MOST_BLOCKS = 500

Offset = Annotated[int, Query(description="Leave out this many of the first.", ge=0, le=2**31)]
Limit = Annotated[int, Query(description="At most this many.", ge=1, le=1000)]


@dataclass(frozen=True, slots=True)
class SourceContents:
    """`lines` is how many a text has, null for what is none; `blocks` how many blocks were read of it. `modules` are
    those of a Darshan log, also of one that darshan-parser wrote out as text."""

    lines: int | None
    blocks: int
    modules: tuple[ModuleHeld, ...]


@router.get("/contents")
def get_contents(
    case_id: CaseId, index: SourceIndex, services: Here, session: ReadSession, member: Member = None
) -> SourceContents:
    """What the source holds: how many lines and blocks, and which modules."""
    source = source_of(session, case_id, index)
    counted = services.reading.lines(
        services.folder.path(source.sha256), LinesQuery(LAST_LINE, LAST_LINE, member), services.limits
    )
    found = services.evidence.evidence(source.sha256, member)
    lines = counted.total if isinstance(counted, Excerpt) else None
    if isinstance(found, Failure):
        if lines is None:
            raise unreadable(found)
        return SourceContents(lines, 0, ())
    return SourceContents(lines, block_count(found), modules_of(found))


@router.get("/blocks")
def list_blocks(
    case_id: CaseId,
    index: SourceIndex,
    services: Here,
    session: ReadSession,
    first: LineNumber = 1,
    last: LineNumber = LAST_LINE,
    member: Member = None,
) -> Blocks:
    """The blocks that were read of lines `first` to `last` of a text, at most 500 of them, and which of their lines
    gave something."""
    found = _evidence(services, source_of(session, case_id, index), member)
    return blocks_between(found, first, last, MOST_BLOCKS)


@router.get("/counters")
def list_counters(
    case_id: CaseId,
    index: SourceIndex,
    services: Here,
    session: ReadSession,
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
) -> CounterPage:
    """Counters of records of a Darshan log as they stand in it, one counter of one record after another."""
    found = _evidence(services, source_of(session, case_id, index), member)
    number = None if record is None else int(record)
    if number is not None and number >= 2**64:
        raise ProblemError(422, "invalid-record", "That is no record", "A record id has 64 bits.")
    query = CounterQuery(module, q, file, number, rank, not zeros, largest)
    answer = counter_page(found, query, offset, limit)
    if answer is None:
        detail = f"The source has no records of {module!r}."
        raise ProblemError(404, "unknown-module", "There is no such module", detail)
    return answer


def _evidence(services: Services, source: CaseSourceRow, member: int | None) -> Evidence:
    found = services.evidence.evidence(source.sha256, member)
    if isinstance(found, Failure):
        raise unreadable(found)
    return found
