"""Where a benchmark wrote: to which of the site's file systems, and over how many stripes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from iotriage.metrics.tables.layouts import ALL_OSTS
from iotriage.sites.site import FileSystem
from iotriage_parsers.evidence import StripeLayout


def system_of(path: str | None, systems: Sequence[FileSystem]) -> FileSystem | None:
    """A path from where the benchmark was started (benchio's) is on the file system that there is, if it is one."""
    if path is None or not path.startswith("/"):
        return systems[0] if len(systems) == 1 else None
    return next((fs for fs in systems if any(re.match(mount, path) for mount in fs.mounts)), None)


def stripes_of(path: str | None, layouts: Sequence[StripeLayout]) -> tuple[int | None, int | None]:
    """Count and size, as `lfs getstripe` printed them of the nearest directory above the path."""
    above = [
        (layout.path, only)
        for layout in layouts
        if layout.path is not None
        and path is not None
        and (only := layout.only_component) is not None
        and f"{path}/".startswith(f"{layout.path.rstrip('/')}/")
    ]
    if not above:
        return None, None
    _, nearest = max(above, key=lambda found: len(found[0]))
    return ALL_OSTS if nearest.over_all_osts else nearest.stripe_count, nearest.stripe_size_bytes
