"""The sites: their file systems, the thresholds they set otherwise, and the advice that holds there."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Response

from iotriage.analysis.decision.significance import FLOORS
from iotriage.api.guard.policies import READS
from iotriage.api.problems import present
from iotriage.api.requests import OwnThresholds, own_thresholds, unknown_threshold
from iotriage.api.routers import api_router
from iotriage.reports.escaping import content_disposition
from iotriage.rules import all_rules
from iotriage.sites import all_sites
from iotriage.sites.site import Site
from iotriage.store.profile_file import OwnThreshold, profile_with

router = api_router("/sites", tag="sites", dependencies=[READS])

SiteId = Annotated[str, Path(description="The site's id.", max_length=64)]


@router.get("")
def list_sites() -> list[Site]:
    """Every site profile."""
    return list(all_sites().values())


@router.get("/{site_id}")
def get_site(site_id: SiteId) -> Site:
    """One site profile; each figure says which document gives it."""
    return present(all_sites().get(site_id), "site", site_id)


@router.get("/{site_id}/profile", response_class=Response, responses={200: {"content": {"application/toml": {}}}})
def get_site_profile(site_id: SiteId, own: OwnThresholds = None) -> Response:
    """The profile as a TOML file for `IOTRIAGE_SITES`, with the person's own thresholds in it."""
    site = get_site(site_id)
    numbers = own_thresholds(own)
    known = {t.id for rule in all_rules().values() for t in rule.thresholds} | {t.id for t in FLOORS}
    strange = next((name for name in numbers if name not in known), None)
    if strange is not None:
        raise unknown_threshold(f"{strange} is not a threshold of these rules.")
    headers = {"content-disposition": content_disposition(f"{site.id}.toml")}
    chosen = [OwnThreshold(name, value) for name, value in numbers.items()]
    return Response(profile_with(site.id, chosen), media_type="application/toml", headers=headers)
