"""Which content of the sites' profiles a document was made with, so that it is noticed that one has changed.

A profile's own `version` is what its author says; a centre that edits its file need not have thought of it.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from itertools import chain

from iotriage.analysis.document import SiteUsed
from iotriage.analysis.site_used import names_centre
from iotriage.sites import OWN_SITES, all_sites, own_digest, own_files
from iotriage.sites.site import Site

_DIGITS = 12
_LINKS = frozenset({"ticket_url"})
"""Keys of a profile that do not influence any document."""


def profile_version(used: SiteUsed, default_site: str | None) -> str:
    """Of a document that was made for the site: the id, the version it states, and a digest of what it says; where the
    evidence decided the site, what it was decided by among all profiles; where it names none, the default that held,
    too. KeyError for an unknown site."""
    chosen, detected, left_open = _versions(os.environ.get(OWN_SITES), own_digest(), default_site)[used.id]
    if used.chosen_by == "person":
        return chosen
    return detected if names_centre(used) else left_open


def profile_versions(default_site: str | None) -> frozenset[str]:
    """Those of today's profiles, chosen, detected, and under this default."""
    return _every_version(os.environ.get(OWN_SITES), own_digest(), default_site)


@cache
def _every_version(own: str | None, digest: str, default_site: str | None) -> frozenset[str]:
    return frozenset(chain.from_iterable(_versions(own, digest, default_site).values()))


@cache
def _versions(_own: str | None, _digest: str, default_site: str | None) -> Mapping[str, tuple[str, str, str]]:
    """The versions of each site's profile, for what `IOTRIAGE_SITES` names and what is said there."""
    return {site.id: _versions_of(site, default_site) for site in all_sites().values()}


def _versions_of(site: Site, default_site: str | None) -> tuple[str, str, str]:
    """Where a person chose the site, where the evidence names it, and where neither did."""
    chosen = f"{site.id} {site.version} {_digest(_judged_by(site))}"
    detected = f"{chosen} of {_digest(_detection_of_all())}"
    return chosen, detected, f"{detected} by default {default_site or 'none'}"


def _judged_by(site: Site) -> list[object]:
    return [getattr(site, f.name) for f in fields(site) if not f.name.startswith("detect_") and f.name not in _LINKS]


def _detection_of_all() -> list[object]:
    own = {file.stem for file in own_files()}
    return [
        (
            site.id,
            site.id in own,
            *(getattr(site, f.name) for f in fields(site) if f.name.startswith("detect_")),
            *((system.mounts, system.kind) for system in site.file_systems),
        )
        for site in all_sites().values()
    ]


def _digest(content: list[object]) -> str:
    # Frozen dataclasses of texts, numbers and tuples: equal content has the same words in every process.
    return hashlib.sha256(repr(content).encode()).hexdigest()[:_DIGITS]
