"""What is moved on each mount of the job, and how long the slowest rank was there."""

from __future__ import annotations

import numpy as np

from iotriage.metrics.core.selection import LogRows, Selection, isin, select_rows
from iotriage.metrics.core.selection_cache import cached_per_log, cached_per_selection
from iotriage.metrics.tables.mounts import mount_above, type_on
from iotriage.metrics.tables.rank_times import longest_possible_of_a_rank, rank_bytes
from iotriage.metrics.tables.stages import over_stages
from iotriage_parsers.frozen import frozen


@frozen
class OnMount:
    """`path` and `type` of the mount point; of what is moved there its bytes, and the seconds of the slowest rank, over
    the steps of the job."""

    path: str
    type: str
    bytes: float
    seconds: float


@cached_per_selection
def by_mount(s: Selection) -> tuple[OnMount, ...]:
    """The mounts below which files were used, those with most seconds first. Files under no mount point but the root
    are on none of them."""
    found: dict[tuple[str, str], list[tuple[LogRows, OnMount]]] = {}
    for rows in s.logs:
        for mount in _of_log(rows):
            found.setdefault((mount.path, mount.type), []).append((rows, mount))
    every = (
        OnMount(*mount, sum(m.bytes for _, m in mine), over_stages(s, ((rows, m.seconds) for rows, m in mine)))
        for mount, mine in found.items()
    )
    return tuple(sorted(every, key=lambda one: (-one.seconds, one.path)))


@cached_per_log
def _of_log(rows: LogRows) -> tuple[OnMount, ...]:
    tables = [t for t in rows.highest if len(t)]
    used = {record for t in tables for record in t.ids.tolist()}
    of_mount: dict[tuple[str, str], list[int]] = {}
    of_folder: dict[str, tuple[str, str] | None] = {}
    for record in used:
        folder = (rows.name_of(record) or "").rpartition("/")[0] + "/"
        if folder not in of_folder:
            above = mount_above(folder, rows.log.job.mounts)
            of_folder[folder] = None if above is None else (above.path, type_on(folder, above))
        if (mount := of_folder[folder]) is not None:
            of_mount.setdefault(mount, []).append(record)
    found = []
    for mount, records in of_mount.items():
        # Nearly every job has all its files on one: what was worked out of its tables serves again.
        whole = len(records) == len(used)
        mine = tables if whole else [select_rows(t, isin(t.ids, np.array(records, np.uint64))) for t in tables]
        longest = longest_possible_of_a_rank(mine, rows.nprocs)
        found.append(OnMount(*mount, sum(float(rank_bytes(t).sum()) for t in mine), longest))
    return tuple(found)
