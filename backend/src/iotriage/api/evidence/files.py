"""The files of a case, all of them: filtered, sorted, summed, in groups, one by one, and as CSV."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Query, Response

from iotriage.analysis.views.file_detail import FileDetail
from iotriage.analysis.views.file_list import COLUMNS, FileQuery, Moved, Sort, sort_of
from iotriage.analysis.views.file_pages import FileGroupPage, FilePage
from iotriage.analysis.views.file_spans import FileSpansView
from iotriage.api.evidence.case_query import answer_response, case_of, query_case
from iotriage.api.guard.policies import READS_CASE
from iotriage.api.requests import CaseId, Limit, Offset
from iotriage.api.routers import api_router
from iotriage.api.services import Here
from iotriage.intake.case_queries import FilesAsCsv, FilesPage, FileTimes, OneFile
from iotriage.reports.escaping import content_disposition
from iotriage_parsers.frozen import frozen

router = api_router("/cases/{case_id}", tag="evidence", dependencies=[READS_CASE])


@frozen
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


@router.get("/files", response_model=FilePage)
def list_files(case_id: CaseId, services: Here, selected: Selected, offset: Offset = 0, limit: Limit = 100) -> Response:
    """One page of all files of the case; its document has only the first."""
    return answer_response(services, case_id, FilesPage(selected.query, selected.sort, offset, limit))


@router.get("/files/groups", response_model=FileGroupPage)
def list_file_groups(
    case_id: CaseId, services: Here, selected: Selected, offset: Offset = 0, limit: Limit = 100
) -> Response:
    """One page of the case's groups of files: files whose paths differ in digits only, and that are used alike."""
    return answer_response(services, case_id, FilesPage(selected.query, selected.sort, offset, limit, grouped=True))


@router.get("/files/spans", response_model=FileSpansView | None)
def get_file_spans(case_id: CaseId, services: Here) -> Response:
    """When each file was in use, by the first and last times that Darshan keeps of it: of up to 100 files, those on
    which calls took the most time. Null where no source tells."""
    return answer_response(services, case_id, FileTimes())


@router.get("/files/detail", response_model=FileDetail)
def get_file(
    case_id: CaseId,
    services: Here,
    path: Annotated[str, Query(description="The file's path, as the list has it.", max_length=65536)],
) -> Response:
    """One file: the counters that every module has of it, its layout, access sizes, and the texts about it."""
    return answer_response(services, case_id, OneFile(path))


@router.get("/files.csv", response_class=Response, responses={200: {"content": {"text/csv": {}}}})
def export_files(case_id: CaseId, services: Here, selected: Selected) -> Response:
    """The files that were asked for as CSV, all of them. A cell that a spreadsheet would take for a formula has an
    apostrophe before it."""
    return Response(
        query_case(services, case_of(services, case_id), FilesAsCsv(selected.query, selected.sort)),
        media_type="text/csv; charset=utf-8; header=present",
        headers={"content-disposition": content_disposition(f"iotriage-{case_id}-files.csv")},
    )
