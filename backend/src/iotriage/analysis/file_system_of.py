"""The kind of file system that a file of the job is on."""

from __future__ import annotations

from collections.abc import Sequence

from iotriage.metrics.tables.files.uses import FileUse
from iotriage.sites import all_sites, is_on_some_site, kind_on
from iotriage.sites.site import FileSystemKind, Site
from iotriage_parsers.evidence import Mount


def kind_of_file(use: FileUse, site: Site, mounts: Sequence[Mount]) -> FileSystemKind:
    """The kind by the file's path; where that is unknown and a source states stripes of the file, it is Lustre."""
    kind = kind_of_path(use.path, site, mounts)
    if kind == "unknown" and (use.layout is not None or use.stripe_count is not None):
        return "lustre"
    return kind


def kind_of_path(path: str, site: Site, mounts: Sequence[Mount]) -> FileSystemKind:
    """By the site's profile, else the mounts; for a generic profile, what every centre with such a path has there,
    where it is of the profile's kind."""
    kind = kind_on(site.file_system_of(path), mounts, path)
    if kind != "unknown" or site.kind is None or not is_on_some_site(path):
        return kind
    kinds = {on.kind for each in all_sites().values() if (on := each.file_system_of(path)) is not None}
    alike = kinds.pop() if len(kinds) == 1 else "unknown"
    return alike if alike == site.kind else kind
