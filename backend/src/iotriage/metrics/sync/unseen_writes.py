"""Syncs of files of which nobody sees a write.

Asynchronous calls (libaio, io_uring) and memory that a file is mapped to are in no log, and what they write is forced
out all the same. All seconds of writes in such a record are those of syncs.
"""

from __future__ import annotations

import numpy as np

from iotriage.metrics.core.about import About
from iotriage.metrics.core.families import MetricsOf
from iotriage.metrics.core.metric import NO_TIME, Absent, Outcome, Value, Where
from iotriage.metrics.core.outcomes import joined
from iotriage.metrics.core.past_mpiio import NO_FILES
from iotriage.metrics.core.selection import Selection, isin, unique
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.sync.streams import syncs_of
from iotriage.metrics.tables.calls.sync_counters import SYNCS
from iotriage.metrics.tables.counters import lacks_records_of
from iotriage.metrics.tables.rank_times import timer, total_time
from iotriage_parsers.evidence.darshan import UInt64s
from iotriage_parsers.frozen import frozen

NONE = Absent("of all files that are synced a write was seen")
STREAMS_MISSING = Absent("records of streams are missing, and these files may be streams")


@frozen
class UnseenWrites:
    """The syncs of such files, their seconds, and those of all writing, syncs included."""

    calls: int
    seconds: float
    writing_s: float
    where: tuple[Where, ...]


@cached_per_selection
def unseen_writes(s: Selection) -> UnseenWrites | Absent:
    calls, seconds, places = 0, 0.0, []
    for rows, posix in s.tables("POSIX"):
        synced = syncs_of(posix) > 0
        if synced.any():
            synced &= ~isin(posix.ids, _written(s))
        if synced.any() and lacks_records_of(rows, "STDIO"):
            return STREAMS_MISSING
        if synced.any():
            calls += int(syncs_of(posix)[synced].sum())
            seconds += float(timer(posix, "WRITE_TIME")[synced].sum())
            places.append(rows.where(posix, *SYNCS["POSIX"]))
    if not calls:
        return NONE
    writing = sum(total_time(t, "WRITE_TIME") for module in ("POSIX", "STDIO") for _, t in s.tables(module))
    return UnseenWrites(calls, seconds, writing, joined(*places))


@cached_per_selection
def _written(s: Selection) -> UInt64s:
    """The files that any rank is seen to write, or may write: another may sync what it has written. A stream that is
    synced by its descriptor writes in a record of its own."""
    by_calls = (posix.ids[posix.count("POSIX_WRITES") != 0] for _, posix in s.tables("POSIX"))
    return unique(np.concatenate([NO_FILES, *by_calls, *(stdio.ids for _, stdio in s.tables("STDIO"))]))


_metrics_of_unseen_writes = MetricsOf(unseen_writes, needs="a Darshan log with POSIX records")
_metrics_of_unseen_writes.value(
    "sync.unseen_calls",
    "Syncs of files of which no write was seen",
    "calls",
    lambda found: Value(found.calls, where=found.where),
    formula="POSIX_FSYNCS + POSIX_FDSYNCS of the files without POSIX_WRITES of any rank that are no streams",
)
_metrics_of_unseen_writes.value(
    "sync.unseen_call_time",
    "Time of one sync of a file of which no write was seen",
    "s",
    lambda found: Value(found.seconds / found.calls, where=found.where),
    formula="POSIX_F_WRITE_TIME of the files of sync.unseen_calls / sync.unseen_calls",
)


@_metrics_of_unseen_writes(
    "sync.unseen_time_fraction",
    "Share of the writing time in syncs of files of which no write was seen",
    "share",
    about=About(time=True, direction="write"),
    formula="POSIX_F_WRITE_TIME of the files of sync.unseen_calls / POSIX_F_WRITE_TIME and STDIO_F_WRITE_TIME of all",
)
def unseen_time_fraction(found: UnseenWrites) -> Outcome:
    if found.writing_s < NO_TIME:
        return Absent("the timers show no time for the syncs")
    return Value(found.seconds / found.writing_s, where=found.where)
