"""Where a number stands: some lines of a text source, or the counters of a record."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Query
from sqlalchemy.orm import Session

from iotriage.analysis.views.record import Record, RecordQuery, record_of
from iotriage.api.problems import ProblemError, not_found
from iotriage.api.requests import CaseId, SourceIndex
from iotriage.api.services import Here, ReadSession, Services
from iotriage.intake.excerpt import LARGEST_EXCERPT_LINES, Excerpt
from iotriage.intake.reading import LinesQuery
from iotriage.store.cases import find_case
from iotriage.store.tables import CaseSourceRow
from iotriage_parsers.evidence import Failure

router = APIRouter(prefix="/cases/{case_id}/sources/{index}", tags=["evidence"])

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
    session: ReadSession,
    first: LineNumber,
    last: LineNumber,
    member: Member = None,
) -> Excerpt:
    """Lines `first` to `last` of a text source, at most 400: decoded, control sequences taken out, and each cut
    where it is longer than 64 KiB."""
    if last < first or last - first >= LARGEST_EXCERPT_LINES:
        detail = f"`last` must not be before `first`, and at most {LARGEST_EXCERPT_LINES} lines are given at a time."
        raise ProblemError(422, "invalid-range", "That is not a range of lines", detail)
    path = _path(services, session, case_id, index)
    found = services.reading.lines(path, LinesQuery(first, last, member), services.limits)
    if isinstance(found, Failure):
        raise unreadable(found)
    if found is None:
        raise ProblemError(422, "not-a-text", "The source has no lines", "It is a binary log: ask for its records.")
    return found


@router.get("/record")
def get_record(
    case_id: CaseId,
    index: SourceIndex,
    services: Here,
    session: ReadSession,
    module: Annotated[str, Query(description='A Darshan module: "POSIX", "MPI-IO", …', max_length=64)],
    record: RecordId = None,
    rank: Rank = None,
    member: Member = None,
) -> Record:
    """The counters of one record of a Darshan log, or the totals of a module."""
    evidence = services.evidence.evidence(source_of(session, case_id, index).sha256, member)
    if isinstance(evidence, Failure):
        raise unreadable(evidence)
    found = record_of(evidence, RecordQuery(module, record, rank))
    if found is None:
        what = f"record {record}" if record is not None else "counters"
        raise ProblemError(404, "unknown-record", "There is no such record", f"The source has no {what} of {module!r}.")
    return found


def source_of(session: Session, case_id: str, index: int) -> CaseSourceRow:
    """The source with this index in the case; a problem where there is none."""
    case = find_case(session, case_id)
    if case is None:
        raise not_found("case", "case", case_id)
    source = next((s for s in case.sources if s.position == index), None)
    if source is None:
        raise not_found("source", "source of this case", str(index))
    return source


def _path(services: Services, session: Session, case_id: str, index: int) -> Path:
    return services.folder.path(source_of(session, case_id, index).sha256)


def unreadable(failure: Failure) -> ProblemError:
    """What a failure to read says, as a problem."""
    detail = f"{failure.message.rstrip('.')}. {failure.next_step}"
    return ProblemError(422, failure.code, "The source could not be read", detail)
