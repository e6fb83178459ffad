"""Puts small groups of files that are used alike together, where they matter only together.

A model that writes each variable to a file of its own has as many names as variables. Each may take less than the
tenth of the I/O from which the rules look at files at all, and all may be written in the same bad way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from operator import attrgetter
from typing import Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.core.averages import average_of
from iotriage.metrics.core.by_file import sums_by_file
from iotriage.metrics.core.prefix import prefix_of
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.calls.rereads import reached_by_file
from iotriage.metrics.tables.counters import sum_counters
from iotriage.metrics.tables.files.elapsed import elapsed_of
from iotriage.metrics.tables.files.imported import imported_records
from iotriage.metrics.tables.files.uses import FileUse
from iotriage.metrics.tables.mounts import mount_points_of, mounts_of

PART = 0.34
"""Share of the job's I/O time from which files are reported one by one: three equal parts are one matter."""
MATTERS = 0.10
"""Share of it below which the rules say nothing of a group (`iotriage.rules.core.weight`)."""
FEWEST = 2
SMALL = average_of(2**18)
"""Bytes of an access on average, below which accesses are small, as the rules about them have it: a quarter of a
default stripe."""
MOSTLY = 0.5
AGAIN = 1.5
"""Times that a file is read, from which it is read again: beside others that are read once, neither would be seen."""

Does = Literal["opens", "small reads", "large reads", "small writes", "large writes"]
_MOVES: Mapping[tuple[bool, bool], Does] = {
    (True, True): "small reads",
    (True, False): "large reads",
    (False, True): "small writes",
    (False, False): "large writes",
}
"""By whether it reads, and whether its accesses are small."""


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
    mount_point: str | None
    stripes: int | None
    imported: bool
    again: bool
    does: Does


def pool_groups(job: Selection, groups: Sequence[UsedAlike]) -> list[list[int]]:
    """Indices of the groups to be made one, those of each pool in their order."""
    every = list(chain.from_iterable(group.files for group in groups))
    if len(groups) <= FEWEST or None in map(attrgetter("time_s"), every):
        return []
    total = float(elapsed_of([every])[0])
    parts = np.flatnonzero(elapsed_of(group.files for group in groups) < PART * total).tolist()
    if len(parts) < FEWEST:
        return []
    alike: dict[_Kind, list[int]] = {}
    for place, kind in zip(parts, _kinds(job, [groups[place] for place in parts]), strict=True):
        alike.setdefault(kind, []).append(place)
    several = [places for places in alike.values() if len(places) >= FEWEST]
    took = elapsed_of([use for i in places for use in groups[i].files] for places in several)
    return [places for places, seconds in zip(several, took.tolist(), strict=True) if seconds >= MATTERS * total]


def _kinds(job: Selection, groups: Sequence[UsedAlike]) -> Iterator[_Kind]:
    """What makes each group like others. All are summed at once: thousands of files may each be a group of its own."""
    files = list(chain.from_iterable(group.files for group in groups))
    group = np.repeat(np.arange(len(groups)), [len(one.files) for one in groups])

    def of_groups(values: Sequence[float | None]) -> NDArray[np.float64]:
        """Summed by group; None counts as nothing."""
        return np.bincount(group, np.nan_to_num(np.array(values, np.float64)), len(groups)).astype(np.float64)

    seconds, metadata, read, wrote = (
        of_groups(list(map(attrgetter(name), files)))
        for name in ("time_s", "mean_metadata_s", "bytes_read", "bytes_written")
    )
    sizes, reached, imported = _access_sizes(job), _reached(job), imported_records(job)
    records = list(map(attrgetter("source", "record"), files))
    accesses = [sizes.get(file, (0, 0)) for file in records]
    calls, moved = (of_groups(amounts) for amounts in zip(*accesses, strict=True))
    once = np.maximum(of_groups([reached.get(file) for file in records]), wrote)
    again = (read > AGAIN * once) & (once > 0)
    opens = (seconds > 0) & (metadata > MOSTLY * seconds)
    ways = zip(opens.tolist(), (read > wrote).tolist(), (moved < SMALL * calls).tolist(), again.tolist(), strict=True)
    mount_points = mount_points_of((one.files[0].path for one in groups), mounts_of(job))
    for one, mount_point, (mostly_opens, reads, small, twice) in zip(groups, mount_points, ways, strict=True):
        first = one.files[0]
        top = first.path.split("/", 2)[1] if "/" in first.path else ""
        does = "opens" if mostly_opens else _MOVES[reads, small]
        yield _Kind(
            pattern=one.pattern,
            layers=first.layers,
            top=top,
            mount_point=mount_point,
            stripes=first.stripe_count,
            imported=first.record in imported,
            again=twice,
            does=does,
        )


def _reached(job: Selection) -> dict[tuple[int, int | None], int]:
    """Bytes of each file up to the last one read, by source and record; of none in which nothing was."""
    found: dict[tuple[int, int | None], int] = {}
    for rows in job.logs:
        for table in (rows.stdio, rows.posix):
            if table is None or not len(table):
                continue
            ends = reached_by_file(table, prefix_of(table)).tolist()
            found |= {(rows.source, id): n for id, n in zip(table.by_id.ids.tolist(), ends, strict=True) if n > 0}
    return found


def _access_sizes(job: Selection) -> dict[tuple[int, int | None], tuple[int, int]]:
    """Calls and bytes of each file at the storage, or of its streams, by source and record."""
    found: dict[tuple[int, int | None], tuple[int, int]] = {}
    for rows in job.logs:
        for table in (rows.stdio, rows.posix):
            if table is None or not len(table) or not sum_counters(table, *_names(prefix_of(table), "READS", "WRITES")):
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
