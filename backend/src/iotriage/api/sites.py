"""The sites: their file systems, the thresholds they set otherwise, and the advice that holds there."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path

from iotriage.api.problems import not_found
from iotriage.sites import all_sites
from iotriage.sites.site import Site

router = APIRouter(prefix="/sites", tags=["sites"])


@router.get("")
def list_sites() -> list[Site]:
    """Every site profile."""
    return list(all_sites().values())


@router.get("/{site_id}")
def get_site(site_id: Annotated[str, Path(description="The site's id.", max_length=64)]) -> Site:
    """One site profile; each figure says which document gives it."""
    site = all_sites().get(site_id)
    if site is None:
        raise not_found("site", "site", site_id)
    return site
