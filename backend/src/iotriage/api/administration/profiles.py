"""The installation's own profiles of sites, changed by administrators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, TypeVar

from fastapi import Path
from pydantic import Field

from iotriage.api.guard.policies import ADMINISTERS
from iotriage.api.problems import ProblemError, not_found
from iotriage.api.requests import RequestBody
from iotriage.api.routers import api_router
from iotriage.api.services import Here, Services
from iotriage.sites import BadSiteError, all_sites
from iotriage.sites.site import Site
from iotriage.store.audit import add_audit_detail
from iotriage.store.own_profiles import (
    ProfilesNotWritableError,
    drop_profile,
    is_own,
    save_profile,
    set_threshold,
    unset_threshold,
    why_not_writable,
)
from iotriage.store.profile_file import OwnThreshold
from iotriage.store.sources import utc_now
from iotriage_parsers.frozen import frozen

T = TypeVar("T")

router = api_router("/sites", tag="administration", dependencies=[ADMINISTERS])

SiteId = Annotated[str, Path(description="The site's id.", max_length=64, pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
ThresholdId = Annotated[str, Path(description="The threshold's id, such as small-io.fraction.", max_length=128)]


class ThresholdRequest(RequestBody):
    """`why` is shown wherever the threshold decides; `says` tells what the number was measured on."""

    value: float = Field(allow_inf_nan=False)
    why: str = Field(min_length=1, max_length=2000, pattern=r"\S")
    says: str = Field(default="The centre's own number.", min_length=1, max_length=2000, pattern=r"\S")


class ProfileRequest(RequestBody):
    toml: str = Field(min_length=1, max_length=2**20)


@frozen
class ProfileState:
    """`own` where the profile is the installation's own and not the program's."""

    id: str
    own: bool


@frozen
class Profiles:
    """`not_kept` says why no profile can be written here, null where they can."""

    not_kept: str | None
    profiles: tuple[ProfileState, ...]


state_router = api_router("/own-profiles", tag="administration", dependencies=[ADMINISTERS])


@state_router.get("")
def list_own_profiles() -> Profiles:
    """Which profiles are the installation's own, and whether they can be changed here."""
    return Profiles(why_not_writable(), tuple(ProfileState(site, is_own(site)) for site in all_sites()))


@router.put("/{site_id}/thresholds/{threshold_id}")
def put_threshold(site_id: SiteId, threshold_id: ThresholdId, wanted: ThresholdRequest, services: Here) -> Site:
    """Writes a threshold with its reason into the site's profile, which thereby becomes the installation's own. Cases
    of the site are judged again."""
    today = utc_now().date().isoformat()
    own = OwnThreshold(threshold_id, wanted.value, wanted.why, wanted.says, today)
    return _changed(services, site_id, lambda: set_threshold(site_id, own), f"{own.value:g}: {own.why}")


@router.delete("/{site_id}/thresholds/{threshold_id}")
def delete_threshold(site_id: SiteId, threshold_id: ThresholdId, services: Here) -> Site:
    """Removes the threshold from the site's profile: the rule's own number holds again."""
    return _changed(services, site_id, lambda: unset_threshold(site_id, threshold_id))


@router.put("/{site_id}/profile")
def put_profile(site_id: SiteId, wanted: ProfileRequest, services: Here) -> Site:
    """Stores a profile as TOML, for a new site or replacing the one before. Cases are judged again."""
    return _changed(services, site_id, lambda: save_profile(wanted.toml, site_id))


@router.delete("/{site_id}/profile", status_code=204)
def delete_profile(site_id: SiteId, services: Here) -> None:
    """Removes the installation's own profile; where the program has one for the site, that holds again."""
    _changed(services, site_id, lambda: drop_profile(site_id))


def _changed(services: Services, site_id: str, change: Callable[[], T], said: str | None = None) -> T:
    try:
        changed = change()
    except KeyError:
        raise not_found("site", site_id) from None
    except BadSiteError as wrong:
        raise ProblemError(422, "bad-profile", "That is not a site profile", str(wrong)) from wrong
    except ProfilesNotWritableError as reason:
        raise ProblemError(409, "profiles-not-kept", "Profiles cannot be changed here", str(reason)) from reason
    with services.database.writing() as session, session.begin():
        add_audit_detail(session, said)
    services.worker.judge_again()
    return changed
