"""Whether a large shared file lies in the directory of other files: a directory has one striping for all of them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from iotriage.metrics.core.derived import derived_of_job
from iotriage.metrics.core.metric import Absent, Outcome, Value, Where
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.files.largest import largest_file
from iotriage_parsers.evidence import Counter

LARGE_BYTES = 2**30
"""From which the stripes of a shared file decide."""


@metric(
    "file.shared_beside",
    "Large striped file in the same directory that several ranks share",
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


def _directory(path: str | None) -> str | None:
    return None if path is None or "/" not in path else path.rpartition("/")[0]


@derived_of_job
def _large_and_shared(s: Selection) -> Mapping[str, tuple[int, str]]:
    """By directory, the size of the largest such file and its path."""
    found: dict[str, tuple[int, str]] = {}
    for rows, table in s.tables("POSIX"):
        size = np.maximum(table.count("POSIX_MAX_BYTE_READ"), table.count("POSIX_MAX_BYTE_WRITTEN")) + 1
        large = np.flatnonzero(size >= LARGE_BYTES)
        above = rows.mpiio
        of_all = frozenset() if above is None else frozenset(above.ids[above.ranks < 0].tolist())
        ids, which, users = np.unique(table.ids[large], return_inverse=True, return_counts=True)
        reaches, reduced = np.zeros(len(ids), np.int64), np.zeros(len(ids), np.bool_)
        np.maximum.at(reaches, which, size[large])
        np.logical_or.at(reduced, which, table.ranks[large] < 0)
        for record, top, several in zip(ids.tolist(), reaches.tolist(), (reduced | (users > 1)).tolist(), strict=True):
            layout, path = rows.layout_of(record), rows.log.names.get(record)
            directory = _directory(path)
            striped = layout is not None and (layout.stripe_count or 0) >= 2
            if striped and path is not None and directory is not None and (several or record in of_all):
                found[directory] = max(found.get(directory, (0, "")), (top, path))
    return found
