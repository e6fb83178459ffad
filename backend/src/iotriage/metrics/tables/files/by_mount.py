"""The bytes moved on each mount of the job, and the time of the slowest rank in reads and writes there."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.core.selection import LogRows, Selection, select_rows
from iotriage.metrics.core.selection_cache import cached_per_log, cached_per_selection
from iotriage.metrics.tables.files.folders import Folders, folders_of
from iotriage.metrics.tables.mounts import IN_MEMORY, mount_above, type_on
from iotriage.metrics.tables.rank_times import bytes_in, longest_possible_of_a_rank, rank_bytes, total_time
from iotriage.metrics.tables.stages import over_stages
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.frozen import frozen, frozen_identity


@frozen
class OnMount:
    """`path` and `type` of the mount point; of what is moved there its bytes, those `written` of them, and the seconds
    of the slowest rank in reads and in writes, over the steps of the job, and in metadata calls, which move nothing
    themselves."""

    path: str
    type: str
    bytes: float
    reads_s: float
    writes_s: float
    written: float
    metadata_s: float

    @property
    def moving_s(self) -> float:
        return self.reads_s + self.writes_s


@cached_per_selection
def by_mount(s: Selection) -> tuple[OnMount, ...]:
    """The mounts below which files were used, those with most seconds in reads and writes first. Files under no mount
    point but the root are on none of them."""
    found: dict[tuple[str, str], list[tuple[LogRows, OnMount]]] = {}
    for rows in s.logs:
        for mount in _of_log(rows):
            found.setdefault((mount.path, mount.type), []).append((rows, mount))
    every = (
        OnMount(
            *mount,
            sum(m.bytes for _, m in mine),
            over_stages(s, ((rows, m.reads_s) for rows, m in mine)),
            over_stages(s, ((rows, m.writes_s) for rows, m in mine)),
            sum(m.written for _, m in mine),
            over_stages(s, ((rows, m.metadata_s) for rows, m in mine)),
        )
        for mount, mine in found.items()
    )
    return tuple(sorted(every, key=lambda one: (-one.moving_s, one.path)))


@cached_per_log
def _of_log(rows: LogRows) -> tuple[OnMount, ...]:
    tables = rows.highest
    of_rows = [_mounts_of(rows, table) for table in tables]
    every = dict.fromkeys(mount for mounts in of_rows for mount in mounts.of_folders)
    found = []
    for mount in every:
        if mount is None:
            continue
        mine = [select_rows(t, mounts.has(t, mount)) for t, mounts in zip(tables, of_rows, strict=True)]
        longest = longest_possible_of_a_rank(mine, rows.nprocs)
        reads, writes, metadata = (sum(total_time(t, f"{way}_TIME") for t in mine) for way in ("READ", "WRITE", "META"))
        each = longest / every_s if (every_s := reads + writes + metadata) > 0 else 0.0
        moved, written = (sum(float(of(t).sum()) for t in mine) for of in (rank_bytes, _written))
        found.append(OnMount(*mount, moved, reads * each, writes * each, written, metadata * each))
    return tuple(found)


def _written(table: CounterTable) -> NDArray[np.float64]:
    return bytes_in(table, "write")


@cached_per_selection
def memory_is_beside(s: Selection) -> bool:
    """Whether the memory of nodes has many of the bytes, and other file systems most of the seconds."""
    mounts = by_mount(s)
    memory = [m for m in mounts if m.type in IN_MEMORY]
    moved, took = sum(m.bytes for m in memory), sum(m.moving_s for m in memory)
    return moved > MANY * sum(m.bytes for m in mounts) and 2 * took < sum(m.moving_s for m in mounts)


MANY = 0.1
"""Share of the bytes from which those in memory change a rate noticeably."""


def outside_memory(rows: LogRows, table: CounterTable) -> CounterTable:
    """The records of files that do not lie in the memory of a node."""
    mounts = _mounts_of(rows, table)
    below = np.array([above is not None and above[1] in IN_MEMORY for above in mounts.of_folders], dtype=np.bool_)
    return select_rows(table, ~below[mounts.folders.of_file][table.by_id.index]) if below.any() else table


@frozen_identity
class _Mounts:
    """The path and type of the mount above each folder of a table's files; None where it is the root."""

    folders: Folders
    of_folders: tuple[tuple[str, str] | None, ...]

    def has(self, table: CounterTable, mount: tuple[str, str]) -> NDArray[np.bool_]:
        """Which records are of files below the mount."""
        below = np.array([above == mount for above in self.of_folders], dtype=np.bool_)
        return below[self.folders.of_file][table.by_id.index]


def _mounts_of(rows: LogRows, table: CounterTable) -> _Mounts:
    folders = folders_of(rows, table)
    above = [(folder, mount_above(folder or "/", rows.log.job.mounts)) for folder in folders.names]
    return _Mounts(folders, tuple(None if m is None else (m.path, type_on(folder, m)) for folder, m in above))
