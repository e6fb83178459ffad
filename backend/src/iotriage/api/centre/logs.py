"""A log of the warehouse: what is known of it, its case made of it again, and what was said about one that is gone."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from datetime import UTC, date, datetime
from pathlib import PurePath
from typing import Annotated

from fastapi import Path, Response
from starlette.concurrency import run_in_threadpool

from iotriage.analysis.document.adapter import DOCUMENT
from iotriage.api.cases import look_up
from iotriage.api.centre.reports import readable
from iotriage.api.centre.warehouse import Warehouse
from iotriage.api.embedded import case_without_store, embedded_answers
from iotriage.api.exports import attachment, page_of_one_file
from iotriage.api.guard.current_person import Client, CurrentPerson
from iotriage.api.guard.policies import HELPDESK_READS, HELPS
from iotriage.api.problems import ProblemError, present
from iotriage.api.routers import api_router
from iotriage.api.services import Here
from iotriage.api.sources import Uploader, store_upload
from iotriage.api.views import CaseState
from iotriage.centre.report.log_row import CentreLog
from iotriage.store.cases import NamedSource

router = api_router("/centre/logs/{day}/{log}", tag="centre")

LogName = Annotated[str, Path(description="The log's name in the tables of its day.", pattern=r"^[0-9a-f]{1,64}$")]
_PIECE_BYTES = 2**20
_LONGEST_NAME = 1024


@router.get("", dependencies=[HELPDESK_READS])
def get_centre_log(day: date, log: LogName, warehouse: Warehouse) -> CentreLog:
    """What the warehouse has about the log, and whether the log is still where it was read."""
    from iotriage.centre.report.log_details import log_details

    with readable():
        return present(log_details(warehouse, day, log), "log", log)


@router.post("/case", status_code=201, dependencies=[HELPS])
async def read_log_again(
    day: date, log: LogName, warehouse: Warehouse, services: Here, client: Client, person: CurrentPerson
) -> CaseState:
    """The case of the log in its present state: that of a ticket first. It is made where nobody opened or uploaded the
    log before, and is in the queue only once it has a ticket."""
    from iotriage.centre.report.log_details import opened_log

    found = await run_in_threadpool(get_centre_log, day, log, warehouse)
    try:
        descriptor = await run_in_threadpool(opened_log, found)
    except OSError as error:
        detail = f"{found.path}: {error.strerror or error}."
        raise ProblemError(404, "log-gone", "The log is not there any more", detail) from None
    try:
        source = await store_upload(services, Uploader(person, client), _pieces(descriptor), found.size_bytes)
    finally:
        os.close(descriptor)
    name = PurePath(found.path).name[-_LONGEST_NAME:]
    return await run_in_threadpool(look_up, NamedSource(source.sha256, name), services, client, person)


@router.get(
    "/document", response_class=Response, responses={200: {"content": {"text/html": {}}}}, dependencies=[HELPDESK_READS]
)
def get_stored_document(day: date, log: LogName, warehouse: Warehouse, services: Here) -> Response:
    """The diagnosis of the log from when it was taken in, as a page of one file."""
    from iotriage.centre.report.log_details import document_of_log

    with readable():
        document = document_of_log(warehouse, day, log)
    if document is None:
        detail = "Documents are kept of logs with a finding above info."
        raise ProblemError(404, "no-document", "No document of this log is kept", detail)
    try:
        view = case_without_store(DOCUMENT.validate_json(document), f"log of {day}", datetime.now(UTC))
    except ValueError:
        detail = "Another version of IOtriage wrote it: take the log in again, or read the log again."
        raise ProblemError(409, "other-version", "The document cannot be read", detail) from None
    page = page_of_one_file(services, view, embedded_answers(view))
    return attachment(page, "text/html", f"{day}-{log[:12]}.html")


async def _pieces(descriptor: int) -> AsyncIterator[bytes]:
    while piece := await run_in_threadpool(os.read, descriptor, _PIECE_BYTES):
        yield piece
