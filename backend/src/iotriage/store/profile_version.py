"""Which content of the sites' profiles a document was made with, so that it is noticed that one has changed.

A profile's own `version` is what its author says; a centre that edits its file need not have thought of it.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import fields
from functools import cache

from iotriage.sites import OWN_SITES, all_sites, own_digest, own_files
from iotriage.sites.site import Site

_DIGITS = 12


def profile_version(site: str, *, detected: bool) -> str:
    """Of a document that was made for the site: the id, the version it states, and a digest of what it says; where the
    evidence decided the site, what it was decided by among all profiles, too. KeyError for an unknown site."""
    profile = all_sites()[site]
    said = f"{profile.id} {profile.version} {_digest(_judged_by(profile))}"
    return f"{said} of {_digest(_told_apart_by())}" if detected else said


def profile_versions() -> frozenset[str]:
    """Those of today's profiles, detected and chosen."""
    return _versions(os.environ.get(OWN_SITES), own_digest())


@cache
def _versions(_own: str | None, _digest: str) -> frozenset[str]:
    """For what `IOTRIAGE_SITES` names and what is said there."""
    return frozenset(profile_version(site, detected=detected) for site in all_sites() for detected in (True, False))


def _judged_by(site: Site) -> list[object]:
    return [getattr(site, f.name) for f in fields(site) if not f.name.startswith("detect_")]


def _told_apart_by() -> list[object]:
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
