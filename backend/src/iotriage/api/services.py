"""What the endpoints work with: made once when the application starts, and handed to them by FastAPI."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import Depends, Request
from sqlalchemy.orm import Session
from starlette.concurrency import run_in_threadpool

from iotriage.api.guard.gate import Gate
from iotriage.api.guard.rate_limiter import RateLimiter
from iotriage.api.meters import Meters
from iotriage.intake.case_processes import CaseProcesses
from iotriage.intake.case_views import CaseViews
from iotriage.intake.queue import WorkQueue
from iotriage.intake.worker import Worker
from iotriage.settings import Settings
from iotriage.store.database import Database
from iotriage.store.folder_lock import FolderLock
from iotriage.store.sources import SourceFolder
from iotriage.verification.second_opinions import SecondOpinions
from iotriage_parsers.frozen import frozen


@frozen
class Services:
    """`folder` has the sources; `lock` keeps other servers out of the data folder; `gate` says who asks; `given` counts
    the bytes that a client uploads. The `worker` reads cases and the `views` ask them, both in `processes`, one for
    each case, and in turn, by the `queue`. `opinions` are pydarshan's."""

    settings: Settings
    database: Database
    folder: SourceFolder
    lock: FolderLock
    gate: Gate
    given: RateLimiter
    processes: CaseProcesses
    worker: Worker
    queue: WorkQueue
    views: CaseViews
    opinions: SecondOpinions
    meters: Meters

    def open(self) -> None:
        """Takes the data folder and the database, and brings them up to date. Raises `FolderInUseError`,
        `DatabaseInUseError`, `UnusableDatabaseError` or `UnwritableError`, each with a sentence for whoever runs the
        server."""
        self.lock.take()
        self.database.hold()
        self.database.migrate()
        self.folder.prepare()

    def close(self) -> None:
        self.database.close()
        self.lock.release()


# Coroutines, though they wait for nothing: FastAPI gives a plain function to a thread, which costs more than it does.


async def _services(request: Request) -> Services:
    services: Services = request.app.state.services
    return services


Here = Annotated[Services, Depends(_services)]


async def _reading_session(services: Here) -> AsyncIterator[Session]:
    session = services.database.reading()
    try:
        yield session
    finally:
        if session.in_transaction():
            await run_in_threadpool(session.close)


ReadSession = Annotated[Session, Depends(_reading_session)]
