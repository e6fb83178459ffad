"""Sources: asked for by hash, and uploaded one a request as a raw body."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from starlette.concurrency import run_in_threadpool

from iotriage.api.problems import ProblemError, not_found
from iotriage.api.requests import Sha256
from iotriage.api.services import Here, ReadSession, Services
from iotriage.api.views import SourceView
from iotriage.store.sources import (
    Arrival,
    HashMismatchError,
    NoRoomError,
    SourceTooLargeError,
    find_source,
    keep_source,
)

router = APIRouter(prefix="/sources", tags=["sources"])


@router.get("/{sha256}")
def get_source(sha256: Sha256, services: Here, session: ReadSession) -> SourceView:
    """Whether a source is here already: then it need not be uploaded."""
    found = find_source(session, services.folder, sha256)
    if found is None:
        raise not_found("source", "source", sha256)
    return SourceView(found.sha256, found.size_bytes)


@router.head("/{sha256}", responses={404: {"description": "The source is not here."}})
def head_source(sha256: Sha256, services: Here, session: ReadSession) -> Response:
    """The same question without a body in the answer."""
    return Response(status_code=200 if find_source(session, services.folder, sha256) else 404)


@router.put(
    "/{sha256}",
    status_code=201,
    responses={200: {"description": "The source was here already; the body was not read.", "model": SourceView}},
    openapi_extra={
        "requestBody": {
            "description": "The bytes of the source.",
            "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
        }
    },
)
async def put_source(sha256: Sha256, services: Here, request: Request, response: Response) -> SourceView:
    """Stores a source whole, before anything reads it; what is wrong with it is said by the case that uses it.

    The body is the file itself, at most `upload_limit_bytes` of it, and must have the SHA-256 of the address.
    """
    known = await run_in_threadpool(_find, services, sha256)
    if known is not None:
        response.status_code = 200
        return known
    limit = services.settings.upload_limit_bytes
    announced = request.headers.get("content-length", "")
    if announced.isdecimal() and int(announced) > limit:
        raise _too_large(limit)
    with services.folder.arrival() as arrival:
        try:
            async for chunk in request.stream():
                await run_in_threadpool(arrival.write, chunk)
            return await run_in_threadpool(_keep, services, arrival, sha256)
        except SourceTooLargeError:
            raise _too_large(limit) from None
        except NoRoomError:
            detail = "The server has no room for the source: whoever runs it has to make some. Nothing was kept."
            raise ProblemError(507, "no-room", "The disk is full", detail) from None
        except HashMismatchError as mismatch:
            raise ProblemError(
                400,
                "hash-mismatch",
                "The bytes are not those that were announced",
                f"The address says {mismatch.announced}, the body is {mismatch.found}. Was the upload cut off?",
            ) from None


def _find(services: Services, sha256: str) -> SourceView | None:
    with services.database.reading() as session:
        found = find_source(session, services.folder, sha256)
        return SourceView(found.sha256, found.size_bytes) if found else None


def _keep(services: Services, arrival: Arrival, sha256: str) -> SourceView:
    stored = keep_source(services.database, services.folder, arrival, sha256)
    return SourceView(stored.sha256, stored.size_bytes)


def _too_large(limit: int) -> ProblemError:
    return ProblemError(
        413,
        "too-large",
        "The source is too large",
        f"At most {limit:,} bytes are accepted (IOTRIAGE_UPLOAD_LIMIT_BYTES). "
        "Of a long text log, the lines of the MPI-IO statistics are enough.",
    )
