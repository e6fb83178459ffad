"""Whether large shared files and files of single ranks lie in one directory, which has one striping for all of them."""

from __future__ import annotations

from collections import Counter as Counted
from collections.abc import Mapping

import numpy as np

from iotriage.metrics.core.metric import Absent, Outcome, Value, Where
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import LogRows, Selection
from iotriage.metrics.core.selection_cache import cached_per_job, cached_per_log
from iotriage.metrics.tables.files.largest import largest_file
from iotriage_parsers.evidence import Counter

LARGE_BYTES = 2**30
"""Size from which the striping of a shared file matters."""


@metric(
    "file.shared_beside",
    "Large striped shared file in the same directory",
    "word",
    formula="of files of 1 GiB or more and several stripes that several ranks used, in the directory of the "
    "scope's largest file and not among its files, that which reaches farthest",
    needs="a Darshan log with LUSTRE records",
    scopes=["group"],
)
def shared_beside(s: Selection) -> Outcome:
    largest = largest_file(s)
    if largest is None:
        return Absent("no file was read or written")
    rows, _, record, _ = largest
    found = _large_and_shared(s).get(_directory(rows.log.names.get(record)) or "")
    if found is None or found[1] in s.paths or found[1] == rows.log.names.get(record):
        return Absent("no large striped file that several ranks share lies in the same directory")
    return Value(found[1], where=(Where(rows.source, Counter("LUSTRE", "LUSTRE_STRIPE_COUNT")),))


@metric(
    "file.own_beside",
    "Files of single ranks in the directory of a large shared file",
    "files",
    formula="files with the records of one rank alone, in the directory of the scope's largest file, where that is "
    "one of 1 GiB or more that several ranks used",
    needs="a Darshan log with file names",
    scopes=["group"],
)
def own_beside(s: Selection) -> Outcome:
    largest = largest_file(s)
    if largest is None:
        return Absent("no file was read or written")
    rows, _, record, size = largest
    directory = _directory(rows.log.names.get(record))
    if directory is None or size < LARGE_BYTES or record not in _shared_records(rows):
        return Absent("no large file that several ranks share")
    return Value(_own_files(s).get(directory, 0))


@cached_per_job
def _own_files(s: Selection) -> Mapping[str, int]:
    """How many files of each directory were used by one rank each."""
    found: Counted[str] = Counted()
    for rows in s.logs:
        shared = _shared_records(rows)
        named = (path for record, path in rows.log.names.items() if record not in shared)
        found.update(directory for path in named if (directory := _directory(path)) is not None)
    return found


@cached_per_log
def _shared_records(rows: LogRows) -> frozenset[int]:
    """The records of files that several ranks used."""
    found: set[int] = set()
    for table in (rows.posix, rows.mpiio, rows.stdio):
        if table is not None:
            known = table.by_id
            found.update(known.ids[known.records > 1].tolist())
            found.update(table.ids[table.ranks < 0].tolist())
    return frozenset(found)


def _directory(path: str | None) -> str | None:
    return None if path is None or "/" not in path else path.rpartition("/")[0]


@cached_per_job
def _large_and_shared(s: Selection) -> Mapping[str, tuple[int, str]]:
    """The size and the path of the largest shared file of each directory, where it is large."""
    found: dict[str, tuple[int, str]] = {}
    for rows, table in s.tables("POSIX"):
        size = np.maximum(table.count("POSIX_MAX_BYTE_READ"), table.count("POSIX_MAX_BYTE_WRITTEN")) + 1
        large = np.flatnonzero(size >= LARGE_BYTES)
        shared, reach_of = _shared_records(rows), dict[int, int]()
        for record, top in zip(table.ids[large].tolist(), size[large].tolist(), strict=True):
            reach_of[record] = max(reach_of.get(record, 0), top)
        for record, top in reach_of.items():
            layout, path = rows.layout_of(record), rows.log.names.get(record)
            directory = _directory(path)
            striped = layout is not None and (layout.stripe_count or 0) >= 2
            if striped and path is not None and directory is not None and record in shared:
                found[directory] = max(found.get(directory, (0, "")), (top, path))
    return found
