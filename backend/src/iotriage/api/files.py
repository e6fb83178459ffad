"""The files of a case, all of them: filtered, sorted, summed, in groups, one by one, and as CSV."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Annotated

from fastapi import APIRouter, Depends, Query
from fastapi.responses import StreamingResponse
from sqlalchemy.orm import Session

from iotriage.analysis.views.file_detail import FileDetail, file_detail
from iotriage.analysis.views.file_list import (
    COLUMNS,
    FileQuery,
    Moved,
    Sort,
    every_row,
    job_of,
    matching,
    ordered,
    sort_of,
)
from iotriage.analysis.views.file_pages import FileGroupPage, FilePage, group_page, page
from iotriage.api.problems import not_found
from iotriage.api.requests import CaseId
from iotriage.api.services import Here, ReadSession
from iotriage.reports.escaping import attachment
from iotriage.reports.files_csv import csv_lines
from iotriage.store.cases import SourceInCase, find_case, snapshot_of

router = APIRouter(prefix="/cases/{case_id}", tags=["evidence"])

LINES_A_CHUNK = 1000

Offset = Annotated[int, Query(description="Leave out this many of the first.", ge=0, le=2**31)]
Limit = Annotated[int, Query(description="At most this many.", ge=1, le=500)]


@dataclass(frozen=True, slots=True)
class FileSelection:
    """Which files, and in which order."""

    query: FileQuery
    sort: Sort


def _selection(
    q: Annotated[str, Query(description="Words in path, pattern or layers.", max_length=1024)] = "",
    pattern: Annotated[str | None, Query(description='"file-per-process", …', max_length=64)] = None,
    layer: Annotated[str | None, Query(description='"MPI-IO", "POSIX", …', max_length=64)] = None,
    moved: Annotated[Moved | None, Query(description="Only read, only written, both, or neither.")] = None,
    group: Annotated[str | None, Query(description="Id of a group of files.", max_length=32)] = None,
    sort: Annotated[
        str, Query(description='A column, "-" before it for descending.', pattern=f"^-?({'|'.join(COLUMNS)})$")
    ] = "-time_s",
) -> FileSelection:
    return FileSelection(FileQuery(q, pattern, layer, moved, group), sort_of(sort))


Selected = Annotated[FileSelection, Depends(_selection)]


@router.get("/files")
def list_files(
    case_id: CaseId, services: Here, session: ReadSession, selected: Selected, offset: Offset = 0, limit: Limit = 100
) -> FilePage:
    """One page of the files of the case, of which its document holds the first only."""
    files = services.files.files(_sources(session, case_id))
    return page(files, selected.query, selected.sort, offset, limit)


@router.get("/files/groups")
def list_file_groups(
    case_id: CaseId, services: Here, session: ReadSession, selected: Selected, offset: Offset = 0, limit: Limit = 100
) -> FileGroupPage:
    """The same, with the files whose paths differ in digits only, and that are used alike, put together."""
    files = services.files.files(_sources(session, case_id))
    return group_page(files, selected.query, selected.sort, offset, limit)


@router.get("/files/detail")
def get_file(
    case_id: CaseId,
    services: Here,
    session: ReadSession,
    path: Annotated[str, Query(description="The file's path, as the list has it.", max_length=65536)],
) -> FileDetail:
    """One file: the counters that every module has of it, its layout, access sizes, and the texts about it."""
    sources = _sources(session, case_id)
    found = file_detail(services.files.files(sources), job_of(services.evidence.inputs(sources)), path)
    if found is None:
        raise not_found("file", "file of this case", path)
    return found


@router.get("/files.csv", response_class=StreamingResponse, responses={200: {"content": {"text/csv": {}}}})
def export_files(case_id: CaseId, services: Here, session: ReadSession, selected: Selected) -> StreamingResponse:
    """The files that were asked for as CSV, all of them. A cell that a spreadsheet would take for a formula has an
    apostrophe before it."""
    files = services.files.files(_sources(session, case_id))
    rows = ordered(files, matching(files, selected.query), selected.sort)
    return StreamingResponse(
        _chunks(csv_lines(every_row(files, rows))),
        media_type="text/csv; charset=utf-8; header=present",
        headers={"content-disposition": attachment(f"iotriage-{case_id}-files.csv")},
    )


def _chunks(lines: Iterable[str]) -> Iterator[str]:
    rest = iter(lines)
    while chunk := "".join(islice(rest, LINES_A_CHUNK)):
        yield chunk


def _sources(session: Session, case_id: str) -> tuple[SourceInCase, ...]:
    case = find_case(session, case_id)
    if case is None:
        raise not_found("case", "case", case_id)
    return snapshot_of(case).sources
