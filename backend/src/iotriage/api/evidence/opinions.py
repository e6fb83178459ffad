"""What pydarshan says about a Darshan log beside what we say: asked for by a person, on a panel of its own."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from iotriage.api.evidence.case_query import case_of, source_in
from iotriage.api.evidence.excerpts import Member
from iotriage.api.guard.policies import READS_CASE
from iotriage.api.requests import CaseId, SourceIndex
from iotriage.api.routers import api_router
from iotriage.api.services import Here
from iotriage.verification.opinion import NoSecondOpinion, SecondOpinion

router = api_router("/cases/{case_id}/sources/{index}", tag="evidence", dependencies=[READS_CASE])


@router.get("/second-opinion")
def get_second_opinion(
    case_id: CaseId, index: SourceIndex, services: Here, member: Member = None
) -> Annotated[SecondOpinion | NoSecondOpinion, Field(discriminator="kind")]:
    """How many values pydarshan reads as IOtriage does, and which it reads differently and why; or why it cannot read
    the log. Made in a confined process within the limits of reading; takes a second or more."""
    source = services.folder.path(source_in(case_of(services, case_id), index).sha256)
    return services.views.slowly("second-opinion", lambda: services.opinions.of(source, member))
