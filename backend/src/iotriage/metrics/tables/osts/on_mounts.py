"""Below which mount points files with stripes lie, and on which OSTs there: an index names one only within its file
system."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from iotriage.metrics.core.selection import LogRows
from iotriage.metrics.core.selection_cache import cached_per_log
from iotriage.metrics.tables.mounts import TYPES, mount_above
from iotriage_parsers.evidence import LustreLayout

LUSTRE = frozenset((*TYPES["lustre"], "dvs"))
"""Types of mounts below which a file has stripes; DVS hands on what is on Lustre."""
UNKNOWN = ""


@cached_per_log
def mounts_of_layouts(rows: LogRows) -> Mapping[int, str]:
    """The mount points of files that have a layout; empty where the mount table has no two that may have such files."""
    mounts = [m for m in rows.log.job.mounts if m.fs_type.lower() in LUSTRE and m.path != "/"]
    if len(mounts) < 2:
        return {}
    of_folder: dict[str, str] = {}
    found: dict[int, str] = {}
    for layout in rows.lustre:
        folder = (rows.name_of(layout.record) or "").rpartition("/")[0] + "/"
        if folder not in of_folder:
            above = mount_above(folder, mounts)
            of_folder[folder] = UNKNOWN if above is None else above.path
        found[layout.record] = of_folder[folder]
    return found


def osts_on_mounts(laid: Iterable[tuple[LogRows, Iterable[LustreLayout]]]) -> dict[str, set[int]]:
    """The OSTs of files, by log, by mount point; of those whose mount is not known what none of the others has."""
    found: dict[str, set[int]] = {}
    for rows, layouts in laid:
        mounts = mounts_of_layouts(rows)
        for layout in layouts:
            found.setdefault(mounts.get(layout.record, UNKNOWN), set()).update(layout.osts)
    elsewhere = found.pop(UNKNOWN, set()).difference(*found.values())
    return found | {UNKNOWN: elsewhere} if elsewhere else {mount: osts for mount, osts in found.items() if osts}
