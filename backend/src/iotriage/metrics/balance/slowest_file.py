"""The file in which the slowest rank spends the time that the others do not."""

from __future__ import annotations

import numpy as np

from iotriage.metrics.core.about import About
from iotriage.metrics.core.families import MetricsOf
from iotriage.metrics.core.metric import NO_TIME, Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.prefix import PREFIX
from iotriage.metrics.core.selection import LogRows, Selection, own_records, select_rows, unique, unique_inverse
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.tables.files.names import file_named, path_of
from iotriage.metrics.tables.rank_times import beyond_mean, known_seconds, rank_times
from iotriage.metrics.tables.steps import steps_with_io
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.frozen import frozen

APART = 0.05
"""Of times nearer than that no rank is the slowest but by chance."""


@frozen
class SlowestFile:
    """Seconds that the slowest rank spends in the file, and those of them that the mean rank does not."""

    rows: LogRows
    table: CounterTable
    record: int
    took_s: float
    apart_s: float


@cached_per_selection
def slowest_file(s: Selection) -> SlowestFile | Absent:
    found = [
        one
        for rows in steps_with_io(s)
        for one in (*_own(rows), *_shared(rows))
        if one.apart_s > max(NO_TIME, APART * one.took_s)
    ]
    found = found or [one for rows in steps_with_io(s) for one in _of_a_group(rows)]
    if not found:
        return Absent("no source shows in which file one rank is slower than the others", (DARSHAN,))
    return max(found, key=lambda one: one.apart_s)


def _own(rows: LogRows) -> list[SlowestFile]:
    """Of ranks' own records: the file in which the rank with most time has most, less the mean of who used it."""
    tables = [own for t in rows.highest if len(own := own_records(t))]
    if not tables:
        return []
    ranks = np.concatenate([t.ranks for t in tables])
    took = [rank_times(t) for t in tables]
    known, index = unique_inverse(ranks)
    busiest = known[int(np.bincount(index, np.concatenate(took)).argmax())]
    found = []
    for table, times in zip(tables, took, strict=True):
        theirs = np.where(table.ranks == busiest, times, -1.0)
        at = int(theirs.argmax())
        if theirs[at] >= 0:
            same = table.ids == table.ids[at]
            apart = float(theirs[at] - (times[same].mean() if int(same.sum()) > 1 else 0.0))
            found.append(SlowestFile(rows, table, int(table.ids[at]), float(theirs[at]), apart))
    return found


def _of_a_group(rows: LogRows) -> list[SlowestFile]:
    """Where all who use a file are as slow, and others use other files: that in which one of them is longest, with what
    it takes there beyond all that the mean rank does."""
    n, tables = rows.nprocs, [own for t in rows.highest if len(own := own_records(t))]
    if n is None or not tables:
        return []
    took = [rank_times(t) for t in tables]
    table, times = max(zip(tables, took, strict=True), key=lambda one: float(one[1].max()))
    at = int(times.argmax())
    if len(unique(table.ranks[table.ids == table.ids[at]])) >= n:
        return []
    mean = sum(float(rank_times(t).sum()) for t in rows.highest) / n
    apart = float(times[at]) - mean
    found = SlowestFile(rows, table, int(table.ids[at]), float(times[at]), apart)
    return [found] if apart > max(NO_TIME, APART * found.took_s) else []


def _shared(rows: LogRows) -> list[SlowestFile]:
    n = rows.nprocs
    if n is None:
        return []
    found = []
    for table in rows.highest:
        reduced = table.ranks < 0
        if not reduced.any():
            continue
        slowest = known_seconds(table.seconds(f"{PREFIX[table.module]}_F_SLOWEST_RANK_TIME"))
        apart = np.where(reduced, beyond_mean(table, max(1, n)), -np.inf)
        at = int(apart.argmax())
        found.append(SlowestFile(rows, table, int(table.ids[at]), float(slowest[at]), float(apart[at])))
    return found


_metrics_of_slowest_file = MetricsOf(slowest_file, needs="a Darshan log", scopes=["job"])
_metrics_of_slowest_file.value(
    "balance.file",
    "File in which the slowest rank is slower than the others",
    "word",
    lambda found: file_named(found.rows, found.record),
    formula="of the slowest rank's files and of the shared ones, that in which its seconds lie farthest above the mean "
    f"of the ranks that used it, by at least {APART:.0%} of them; where there is none, the file of some ranks in "
    "which one of them is longest",
)
_metrics_of_slowest_file.value(
    "balance.file_beyond_mean",
    "Time of the slowest rank in the file in which it is slower, beyond the mean of those that used it",
    "s",
    lambda found: Value(found.apart_s, "inferred"),
    formula="how far its seconds in balance.file lie above that mean",
)
_metrics_of_slowest_file.value(
    "balance.file_path",
    "Path of the file in which the slowest rank is slower",
    "word",
    lambda found: path_of(found.rows, found.record),
    formula="all of the path of balance.file",
)
_metrics_of_slowest_file.value(
    "balance.file_layer",
    "Layer by which the slowest rank uses the file in which it is slower",
    "word",
    lambda found: Value(found.table.module, "inferred"),
    formula="the highest layer that has records of balance.file",
)


@_metrics_of_slowest_file(
    "balance.file_read_fraction",
    "Share of reads in the bytes of the file in which the slowest rank is slower",
    "share",
    about=About(time=False, direction="read"),
    formula="bytes read / bytes read and written, of balance.file",
)
def file_read_fraction(found: SlowestFile) -> Outcome:
    mine, prefix = select_rows(found.table, found.table.ids == found.record), PREFIX[found.table.module]
    read, written = (float(np.maximum(mine.count(f"{prefix}_BYTES_{way}"), 0).sum()) for way in ("READ", "WRITTEN"))
    return Value(read / (read + written), "inferred") if read + written else Absent("no bytes of the file were moved")
