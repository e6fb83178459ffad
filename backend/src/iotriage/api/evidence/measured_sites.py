"""A site's profile from the benchmarks of a case, to take away."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Response

from iotriage.api.evidence.case_query import answer_response
from iotriage.api.guard.policies import READS_CASE
from iotriage.api.requests import CaseId
from iotriage.api.routers import api_router
from iotriage.api.services import Here
from iotriage.intake.case_queries import SiteMeasured
from iotriage.sites import all_sites, file_of
from iotriage.sites.measured_profile import MeasuredProfile
from iotriage.store.sources import utc_now

router = api_router("/cases/{case_id}", tag="evidence", dependencies=[READS_CASE])

Name = Annotated[str, Query(description="The site's id: lower-case words with hyphens.", min_length=1, max_length=64)]
Title = Annotated[str | None, Query(description="The site's name in sentences.", min_length=1, max_length=200)]
MountPoint = Annotated[
    str | None, Query(description="Where its file system is; else as the results say.", pattern="^/.+", max_length=255)
]
Host = Annotated[
    str | None,
    Query(description="One of its nodes, by whose name its jobs are known.", pattern=r"^[\w.-]+$", max_length=255),
]


@router.get("/measured-site", response_model=MeasuredProfile)
def get_measured_site(
    case_id: CaseId, services: Here, name: Name, title: Title = None, mount: MountPoint = None, host: Host = None
) -> Response:
    """A site profile as TOML, new or extended, made from what the benchmarks among the sources measured; and which of
    their results are not measurements. `IOTRIAGE_SITES` names the profiles that the server uses."""
    # The process of the case cannot look where an installation's own profiles lie.
    before = file_of(name).read_text(encoding="utf-8") if name in all_sites() else None
    today = utc_now().date().isoformat()
    return answer_response(services, case_id, SiteMeasured(name, today, title, mount, host, before))
