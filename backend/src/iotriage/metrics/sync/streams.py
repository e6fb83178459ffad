"""Syncs of what streams wrote: `fsync` on the `fileno` of a stream.

Darshan counts such a sync in the file's POSIX record, where no write stands beside it: its seconds are those of syncs
alone, which of all other files are mixed with the time of writes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.core.about import About
from iotriage.metrics.core.families import MetricsOf
from iotriage.metrics.core.metric import NO_TIME, Absent, Outcome, Value, Where
from iotriage.metrics.core.outcomes import joined
from iotriage.metrics.core.selection import LogRows, Selection
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.tables.calls.sync_counters import SYNCS
from iotriage.metrics.tables.rank_times import timer, total_time
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.frozen import frozen

NEEDS = "a Darshan log with POSIX and STDIO records of the same files"
NONE = Absent("no sync stands alone: Darshan adds the time of others to that of writes")


@frozen
class StreamSyncs:
    """Syncs of files that streams wrote, their seconds, and those of POSIX and of all writing, syncs included."""

    calls: int
    seconds: float
    posix_s: float
    writing_s: float
    where: tuple[Where, ...]


@cached_per_selection
def stream_syncs(s: Selection) -> StreamSyncs | Absent:
    calls, seconds, places = 0, 0.0, []
    for rows, posix in s.tables("POSIX"):
        synced = _synced_alone(rows, posix)
        if synced.any():
            calls += int(syncs_of(posix)[synced].sum())
            seconds += float(timer(posix, "WRITE_TIME")[synced].sum())
            places.append(rows.where(posix, *SYNCS["POSIX"]))
    if not calls:
        return NONE
    of_posix, of_streams = (sum(total_time(t, "WRITE_TIME") for _, t in s.tables(m)) for m in ("POSIX", "STDIO"))
    return StreamSyncs(calls, seconds, of_posix, of_posix + of_streams, joined(*places))


def _synced_alone(rows: LogRows, posix: CounterTable) -> NDArray[np.bool_]:
    """The POSIX records with syncs and no writes, of files that the same rank wrote as streams."""
    alone = (syncs_of(posix) > 0) & (posix.count("POSIX_WRITES") <= 0)
    if rows.stdio is None or not rows.traced.isdisjoint(("POSIX", "STDIO")) or not alone.any():
        return np.zeros(len(posix), np.bool_)
    wrote = rows.stdio.count("STDIO_WRITES") > 0
    streams = set(zip(rows.stdio.ids[wrote].tolist(), rows.stdio.ranks[wrote].tolist(), strict=True))
    for at in np.flatnonzero(alone).tolist():
        alone[at] = (int(posix.ids[at]), int(posix.ranks[at])) in streams
    return alone


def syncs_of(posix: CounterTable) -> NDArray[np.int64]:
    return sum((np.maximum(posix.count(name), 0) for name in SYNCS["POSIX"]), np.zeros(len(posix), np.int64))


_metrics_of_stream_syncs = MetricsOf(stream_syncs, needs=NEEDS)
_metrics_of_stream_syncs.value(
    "sync.timed_calls",
    "Syncs of what streams wrote",
    "calls",
    lambda found: Value(found.calls, where=found.where),
    formula="POSIX_FSYNCS + POSIX_FDSYNCS of the files with no POSIX write that the same ranks wrote as streams",
)
_metrics_of_stream_syncs.value(
    "sync.call_time",
    "Time of one sync of what a stream wrote",
    "s",
    lambda found: Value(found.seconds / found.calls, where=found.where),
    formula="POSIX_F_WRITE_TIME of the files of sync.timed_calls / sync.timed_calls",
)
_metrics_of_stream_syncs.value(
    "sync.time_fraction",
    "Share of the writing time in syncs of what streams wrote",
    "share",
    lambda found: _share_of(found.writing_s, found),
    about=About(time=True, direction="write"),
    formula="POSIX_F_WRITE_TIME of the files of sync.timed_calls / POSIX_F_WRITE_TIME and STDIO_F_WRITE_TIME of all",
)
_metrics_of_stream_syncs.value(
    "sync.posix_time_fraction",
    "Share of the time of POSIX writes in syncs of what streams wrote",
    "share",
    lambda found: _share_of(found.posix_s, found),
    about=About(time=True, direction="write"),
    formula="POSIX_F_WRITE_TIME of the files of sync.timed_calls / POSIX_F_WRITE_TIME of all",
)


def _share_of(seconds: float, found: StreamSyncs) -> Outcome:
    if seconds < NO_TIME:
        return Absent("the timers show no time for the syncs")
    return Value(found.seconds / seconds, where=found.where)
