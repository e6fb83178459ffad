"""The centres' profiles: one TOML file a site in this folder. `detect` finds the one that the evidence speaks for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from iotriage.sites.mounts import file_system_kind
from iotriage.sites.profile import BadSiteError, load
from iotriage.sites.site import Site
from iotriage_parsers.evidence import Mount

__all__ = ["BadSiteError", "all_sites", "detect", "file_system_kind", "load", "load_all"]

GENERIC = "generic"
GENERIC_LUSTRE = "generic-lustre"


@cache
def all_sites() -> Mapping[str, Site]:
    """Every profile by id, in the order of the ids."""
    return load_all(sorted(Path(__file__).parent.glob("*.toml")))


def load_all(files: Iterable[Path]) -> Mapping[str, Site]:
    """The profiles of `files` by id. BadSiteError names the file, the key and the reason, and where an id differs
    from its file's name."""
    found: dict[str, Site] = {}
    for file in files:
        site = load(file)
        if site.id != file.stem:
            raise BadSiteError(f"{file}: id: {site.id!r} is not the name of the file")
        found[site.id] = site
    return dict(sorted(found.items()))


def detect(mounts: Sequence[Mount], paths: Sequence[str]) -> tuple[Site, str]:
    """The site whose own mount points or paths the job used, and in one sentence why it was taken.

    A named site is taken on evidence that only it has; a Lustre mount alone gives the generic Lustre profile, for it
    says nothing about whose it is.
    """
    sites = all_sites()
    seen = [*(m.path for m in mounts), *paths]
    for site in sites.values():
        for pattern in site.detect_paths:
            if any(re.match(pattern, path) for path in seen):
                return site, f"a mount point or file of the job matches {pattern}, which is {site.title}'s alone"
    if any(m.fs_type == "lustre" for m in mounts):
        return sites[GENERIC_LUSTRE], "the mount table has a Lustre file system, and nothing names a known site"
    return sites[GENERIC], "neither mount points nor paths name a known site or a Lustre file system"
