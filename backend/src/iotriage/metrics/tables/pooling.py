"""Groups of files that are each a small part of the I/O, and used alike: told as one where they matter together.

A model that writes each variable to a file of its own has as many names as variables. Each may take less than the
tenth of the I/O from which the rules look at files at all, and all may be written in the same bad way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol

import numpy as np

from iotriage.metrics.core.prefix import prefix_of
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.counters import counted
from iotriage.metrics.tables.files.by_file import sums_by_file
from iotriage.metrics.tables.files.elapsed import elapsed_of
from iotriage.metrics.tables.files.imported import imported_records
from iotriage.metrics.tables.files.uses import FileUse

PART = 0.34
"""Share of the job's I/O time from which files are told by themselves: three equal parts are one matter."""
MATTERS = 0.10
"""Share of it below which the rules say nothing of a group (`iotriage.rules.core.weight`)."""
FEWEST = 2
SMALL = 2**18
"""Bytes of an access on average, below which accesses are small: a quarter of a default stripe."""
MOSTLY = 0.5

Does = Literal["opens", "small reads", "large reads", "small writes", "large writes"]


class UsedAlike(Protocol):
    """Files of one template and pattern."""

    @property
    def pattern(self) -> str | None: ...

    @property
    def files(self) -> Sequence[FileUse]: ...


class _Kind(NamedTuple):
    pattern: str | None
    layers: tuple[str, ...]
    top: str
    stripes: int | None
    imported: bool
    does: Does


def pools(job: Selection, groups: Sequence[UsedAlike]) -> list[list[int]]:
    """Places of the groups that are to be one, those of each pool in their order."""
    if len(groups) <= FEWEST or any(use.time_s is None for group in groups for use in group.files):
        return []
    total = float(elapsed_of([[use for group in groups for use in group.files]])[0])
    parts = np.flatnonzero(elapsed_of(group.files for group in groups) < PART * total).tolist()
    if len(parts) < FEWEST:
        return []
    sizes, imported = _access_sizes(job), imported_records(job)
    alike: dict[_Kind, list[int]] = {}
    for i in parts:
        alike.setdefault(_kind(groups[i], sizes, imported), []).append(i)
    several = [places for places in alike.values() if len(places) >= FEWEST]
    took = elapsed_of([use for i in places for use in groups[i].files] for places in several)
    return [places for places, seconds in zip(several, took.tolist(), strict=True) if seconds >= MATTERS * total]


def _kind(group: UsedAlike, sizes: dict[tuple[int, int], tuple[int, int]], imported: frozenset[int]) -> _Kind:
    files = group.files
    metadata, seconds = sum(f.mean_metadata_s or 0.0 for f in files), sum(f.time_s or 0.0 for f in files)
    calls = moved = 0
    for use in files:
        of_file = (0, 0) if use.record is None else sizes.get((use.source, use.record), (0, 0))
        calls, moved = calls + of_file[0], moved + of_file[1]
    size = "small" if moved < SMALL * calls else "large"
    reads = sum(f.bytes_read or 0 for f in files) > sum(f.bytes_written or 0 for f in files)
    does: Does
    if seconds > 0 and metadata > MOSTLY * seconds:
        does = "opens"
    elif reads:
        does = "small reads" if size == "small" else "large reads"
    else:
        does = "small writes" if size == "small" else "large writes"
    first = files[0]
    top = first.path.split("/", 2)[1] if "/" in first.path else ""
    return _Kind(group.pattern, first.layers, top, first.stripe_count, first.record in imported, does)


def _access_sizes(job: Selection) -> dict[tuple[int, int], tuple[int, int]]:
    """Calls and bytes of each file at the storage, or of its streams, by source and record."""
    found: dict[tuple[int, int], tuple[int, int]] = {}
    for rows in job.logs:
        for table in (rows.stdio, rows.posix):
            if table is None or not len(table) or not counted(table, *_names(prefix_of(table), "READS", "WRITES")):
                continue
            calls = sums_by_file(table, *_names(prefix_of(table), "READS", "WRITES"))
            moved = sums_by_file(table, *_names(prefix_of(table), "BYTES_READ", "BYTES_WRITTEN"))
            ids = table.by_id.ids.tolist()
            found |= {
                (rows.source, record): (int(n), int(size))
                for record, n, size in zip(ids, calls, moved, strict=True)
                if n
            }
    return found


def _names(prefix: str, *counters: str) -> tuple[str, ...]:
    return tuple(f"{prefix}_{counter}" for counter in counters)
