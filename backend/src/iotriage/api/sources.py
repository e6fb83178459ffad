"""Sources: asked for by hash, and uploaded one a request as a raw body."""

from __future__ import annotations

from collections.abc import AsyncIterator

import structlog
from fastapi import Request, Response
from starlette.concurrency import run_in_threadpool

from iotriage.access.person import Person
from iotriage.access.visibility import usable_by
from iotriage.api.guard.current_person import Client, CurrentPerson
from iotriage.api.guard.policies import SUBMITS
from iotriage.api.problems import ProblemError, present
from iotriage.api.requests import Sha256
from iotriage.api.routers import api_router
from iotriage.api.services import Here, ReadSession, Services
from iotriage.api.views import SourceView
from iotriage.store.sources import (
    HashMismatchError,
    IncomingSource,
    NoRoomError,
    SourceTooLargeError,
    UnwritableError,
    find_source,
    store_source,
    stored_bytes,
)
from iotriage_parsers.frozen import frozen

router = api_router("/sources", tag="sources", dependencies=[SUBMITS])


@frozen
class Uploader:
    """Who sends a source, and whose limits hold."""

    person: Person
    client: str


log: structlog.stdlib.BoundLogger = structlog.get_logger()


@router.get("/{sha256}")
def get_source(sha256: Sha256, services: Here, session: ReadSession, person: CurrentPerson) -> SourceView:
    """Whether the server still has a source that the person uploaded, or sees in a case, so that it need not be
    uploaded. Other people's sources are answered as not there."""
    found = present(find_source(session, services.folder, sha256, usable_by(person)), "source", sha256)
    return SourceView(found.sha256, found.size_bytes)


@router.head("/{sha256}", responses={404: {"description": "The source is not here."}})
def head_source(sha256: Sha256, services: Here, session: ReadSession, person: CurrentPerson) -> Response:
    """Whether the server still has a source that the person uploaded, or sees in a case; the answer has no body."""
    found = find_source(session, services.folder, sha256, usable_by(person))
    return Response(status_code=200 if found else 404)


@router.put(
    "/{sha256}",
    status_code=201,
    responses={200: {"description": "The source was here already; the body was not read.", "model": SourceView}},
    openapi_extra={
        "requestBody": {
            "description": "The file itself: at most `upload_limit_bytes` (`GET /api/v1/info`), with this SHA-256.",
            "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
        }
    },
)
async def put_source(
    sha256: Sha256, services: Here, client: Client, person: CurrentPerson, request: Request, response: Response
) -> SourceView:
    """Stores a source unchanged, before anything reads it. Whatever is wrong with it is reported by the case that uses
    it."""
    announced = _announced(request)
    giver = Uploader(person, client)
    known = await run_in_threadpool(_admitted, services, giver, sha256, announced)
    if known is not None:
        response.status_code = 200
        return known
    return await store_upload(services, giver, request.stream(), announced, sha256)


async def store_upload(
    services: Services, giver: Uploader, chunks: AsyncIterator[bytes], announced: int, sha256: str | None = None
) -> SourceView:
    """Stores what comes, of which so many bytes were `announced`; with `sha256` it must be that. A problem where it is
    too much, or there is no room."""
    _count(services, giver.client, announced)
    try:
        with services.folder.arrival() as arrival:
            async for chunk in chunks:
                _count(services, giver.client, max(0, min(len(chunk), arrival.size_bytes + len(chunk) - announced)))
                await run_in_threadpool(arrival.write, chunk)
            return await run_in_threadpool(_keep, services, arrival, sha256, giver)
    except SourceTooLargeError:
        raise _too_large(services.settings.upload_limit_bytes) from None
    except NoRoomError:
        raise _no_room("The server has no room for the source") from None
    except UnwritableError as reason:
        log.error("a source could not be stored", why=str(reason))
        detail = "The server cannot write to its data folder: whoever runs it has to look. Nothing was kept."
        raise ProblemError(503, "not-writable", "Nothing can be stored now", detail, retry_after=60) from None
    except HashMismatchError as mismatch:
        raise ProblemError(
            400,
            "hash-mismatch",
            "The bytes are not those that were announced",
            f"The address says {mismatch.announced}, the body is {mismatch.found}. Was the upload cut off?",
        ) from None


def _announced(request: Request) -> int:
    """Bytes of the body as its head says; 0 where it does not."""
    length = request.headers.get("content-length", "")
    return int(length) if length.isdecimal() else 0


def _admitted(services: Services, giver: Uploader, sha256: str, announced: int) -> SourceView | None:
    """The source where it is here already; else whether it may come: a problem where not."""
    known = _find(services, giver.person, sha256)
    if known is None:
        limit = services.settings.upload_limit_bytes
        if announced > limit:
            raise _too_large(limit)
        _check_quota(services, giver.client, announced)
    return known


def _count(services: Services, client: str, count: int) -> None:
    wait = services.given.take(client, count)
    if wait:
        hourly = services.settings.client_upload_bytes_per_hour
        detail = f"At most {hourly:,} bytes an hour are taken from one client. Go on in {-(-wait // 60)} min."
        raise ProblemError(429, "too-many-bytes", "Too much was uploaded", detail, retry_after=wait)


def _check_quota(services: Services, client: str, more: int) -> None:
    """Two that come at once may pass together: by one upload each, the quota is exceeded at most."""
    settings = services.settings
    if settings.storage_bytes is None and settings.client_storage_bytes is None:
        return
    with services.database.reading() as session:
        if settings.storage_bytes is not None and stored_bytes(session) + more > settings.storage_bytes:
            raise _no_room("The server stores as much as it is allowed to")
        quota = settings.client_storage_bytes
        if quota is not None and stored_bytes(session, client) + more > quota:
            detail = f"At most {quota:,} bytes are stored for one client: delete cases that are no longer needed."
            raise ProblemError(413, "quota", "Your storage is used up", detail)


def _find(services: Services, person: Person, sha256: str) -> SourceView | None:
    with services.database.reading() as session:
        found = find_source(session, services.folder, sha256, usable_by(person))
        return SourceView(found.sha256, found.size_bytes) if found else None


def _keep(services: Services, arrival: IncomingSource, sha256: str | None, giver: Uploader) -> SourceView:
    _check_quota(services, giver.client, arrival.size_bytes)
    stored = store_source(services.database, services.folder, arrival, sha256, giver.client, giver.person.id)
    return SourceView(stored.sha256, stored.size_bytes)


def _no_room(why: str) -> ProblemError:
    return ProblemError(
        507, "no-room", "There is no space left", f"{why}: whoever runs it has to make some. Nothing was kept."
    )


def _too_large(limit: int) -> ProblemError:
    return ProblemError(
        413,
        "too-large",
        "The source is too large",
        f"At most {limit:,} bytes are accepted (IOTRIAGE_UPLOAD_LIMIT_BYTES). "
        "Of a long text log, the lines of the MPI-IO statistics are enough.",
    )
