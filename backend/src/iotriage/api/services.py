"""What the endpoints work with: made once when the application starts, and handed to them by FastAPI."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request
from sqlalchemy.orm import Session

from iotriage.intake.case_processes import CaseProcesses
from iotriage.intake.case_views import CaseViews
from iotriage.intake.worker import Worker
from iotriage.settings import Settings
from iotriage.store.database import Database
from iotriage.store.sources import SourceFolder
from iotriage.verification.asking import SecondOpinions


@dataclass(frozen=True, slots=True)
class Services:
    settings: Settings
    database: Database
    folder: SourceFolder
    processes: CaseProcesses
    worker: Worker
    views: CaseViews
    opinions: SecondOpinions


def _services(request: Request) -> Services:
    services: Services = request.app.state.services
    return services


Here = Annotated[Services, Depends(_services)]


def _reading_session(services: Here) -> Iterator[Session]:
    with services.database.reading() as session:
        yield session


ReadSession = Annotated[Session, Depends(_reading_session)]
