"""What pydarshan says of a Darshan log beside what we say: asked for by a person, on a panel of its own."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends
from pydantic import Field

from iotriage.api.excerpts import Member, source_of
from iotriage.api.problems import ProblemError
from iotriage.api.requests import CaseId, SourceIndex
from iotriage.api.services import Here, Services
from iotriage.verification.asking import BusyError
from iotriage.verification.opinion import NoSecondOpinion, SecondOpinion

router = APIRouter(prefix="/cases/{case_id}/sources/{index}", tags=["evidence"])


def _sha256(case_id: CaseId, index: SourceIndex, services: Here) -> str:
    # Closed before pydarshan is asked: it takes its time, and connections are few.
    with services.database.reading() as session:
        return source_of(session, case_id, index).sha256


@router.get("/second-opinion")
def get_second_opinion(
    sha256: Annotated[str, Depends(_sha256)], services: Here, member: Member = None
) -> Annotated[SecondOpinion | NoSecondOpinion, Field(discriminator="kind")]:
    """How many values pydarshan reads as we do, which it reads otherwise and why; or why it says nothing. It is made in
    a confined process within the limits of reading, one at a time, and takes a second or more."""
    return _asked(services, sha256, member)


def _asked(services: Services, sha256: str, member: int | None) -> SecondOpinion | NoSecondOpinion:
    try:
        return services.opinions.of(services.folder.path(sha256), member)
    except BusyError as busy:
        detail = "Another second opinion is being made. Ask again in a moment."
        raise ProblemError(503, "busy", "One second opinion is made at a time", detail) from busy
