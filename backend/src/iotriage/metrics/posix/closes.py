"""Whether the metadata time passes in closing files that were written: there what caches hold is sent at the latest.

Of a file that a rank opened once, the log has when that one open and that one close began and ended.
"""

from __future__ import annotations

import numpy as np

from iotriage.metrics.core.about import About
from iotriage.metrics.core.metric import NO_TIME, Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import LogRows, Selection, select_rows
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.core.table_cache import cached_per_table
from iotriage.metrics.tables.counters import no_table
from iotriage.metrics.tables.files.imported import posix_of_data
from iotriage.metrics.tables.files.stalled import ENOUGH, stalled_and_all
from iotriage.metrics.tables.files.stalled import TIMES as STALLED_TIMES
from iotriage.metrics.tables.rank_times import timer, total_time
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.frozen import frozen

SENT = 2**20
"""Bytes written to a file from which a close may wait for them: less is sent as soon as anything else is asked."""
MOSTLY = 0.5
"""Share of the metadata seconds from which closes are what takes them."""
OVER_OPENS = 5.0
"""Closes take so many times as long as the opens of the same files where it is not the server that answers slowly."""

NEEDS = "a Darshan log with POSIX records of single ranks and the times of their opens and closes"


@frozen
class _OpenedOnce:
    """Seconds of opens and of closes, of written files that a rank opened once."""

    opens_s: float
    closes_s: float


@frozen
class _OpenedAgain:
    """Of written files whose opens and closes have no times each: opens, bytes written, and metadata seconds."""

    opens: int
    written: int
    metadata_s: float


@cached_per_table
def _opened_once(table: CounterTable) -> _OpenedOnce:
    if (table.total("POSIX_BYTES_WRITTEN") or 0) < SENT:
        return _OpenedOnce(0.0, 0.0)
    wrote = (table.ranks >= 0) & (table.count("POSIX_OPENS") == 1) & (table.count("POSIX_BYTES_WRITTEN") >= SENT)
    opens, closes = (
        np.maximum(timer(table, f"{call}_END_TIMESTAMP") - timer(table, f"{call}_START_TIMESTAMP"), 0.0)
        for call in ("OPEN", "CLOSE")
    )
    # What is longer than all metadata calls of the file is no one close.
    closes = np.minimum(closes, timer(table, "META_TIME"))
    return _OpenedOnce(float(opens[wrote].sum()), float(closes[wrote].sum()))


@cached_per_table
def _opened_again(table: CounterTable) -> _OpenedAgain:
    again = (table.count("POSIX_BYTES_WRITTEN") > 0) & ((table.ranks < 0) | (table.count("POSIX_OPENS") > 1))
    opens, written = (
        int(np.maximum(table.count(f"POSIX_{name}")[again], 0).sum()) for name in ("OPENS", "BYTES_WRITTEN")
    )
    return _OpenedAgain(opens, written, float(timer(table, "META_TIME")[again].sum()))


def _tables(s: Selection) -> tuple[tuple[LogRows, CounterTable], ...]:
    return posix_of_data(s) if s.scope == "job" else s.tables("POSIX")


@cached_per_selection
def _of_written_files(s: Selection) -> _OpenedOnce:
    found = [_opened_once(table) for _, table in _tables(s)]
    return _OpenedOnce(sum(of.opens_s for of in found), sum(of.closes_s for of in found))


def _sent_to_nfs(s: Selection) -> bool:
    """Whether most of the metadata time is that of files on NFS which are closed again and again with much written:
    each close waits for it."""
    mount = outcome(s, "file.mount_type")
    if isinstance(mount, Absent) or not str(mount.value).startswith("nfs"):
        return False
    found = [_opened_again(table) for _, table in _tables(s)]
    opens, written = sum(of.opens for of in found), sum(of.written for of in found)
    took = sum(of.metadata_s for of in found)
    return 0 < opens * SENT <= written and took >= MOSTLY * sum(total_time(t, "META_TIME") for _, t in _tables(s))


@metric(
    "posix.close_fraction",
    "Share of the metadata time that passes in closing files that were written",
    "share",
    about=About(time=True),
    formula="Σ POSIX_F_CLOSE_END_TIMESTAMP − POSIX_F_CLOSE_START_TIMESTAMP of the files with a MiB and more written "
    "that one rank opened once / POSIX_F_META_TIME, of the job but of modules and libraries",
    needs=NEEDS,
)
def close_fraction(s: Selection) -> Outcome:
    tables = _tables(s)
    if not tables:
        return no_table(s, "POSIX")
    every = sum(total_time(t, "META_TIME") for _, t in tables)
    if every < NO_TIME:
        return Absent("the POSIX timers show no metadata time")
    closes = _of_written_files(s).closes_s
    if closes < NO_TIME:
        return Absent("no file with a MiB written that one rank opened once has the times of its close", (DARSHAN,))
    return Value(min(1.0, closes / every), "inferred")


@metric(
    "posix.metadata_mostly",
    "Where most of the metadata time goes",
    "word",
    formula=f"closes where posix.close_fraction is {MOSTLY:.0%} or more, and the closes took {OVER_OPENS:g} times as "
    "long as the opens of the same files; or where most of it is that of files on NFS with a MiB and more written for "
    "each of several opens; a few calls where most of the busiest rank's, an equal part of the reduced records among "
    "it, is in records of its own that are few among all, and whose "
    f"calls take {STALLED_TIMES:g} times what is usual; else unknown",
    needs="a Darshan log with POSIX records",
)
def metadata_mostly(s: Selection) -> Outcome:
    if not _tables(s):
        return no_table(s, "POSIX")
    once, part = _of_written_files(s), outcome(s, "posix.close_fraction")
    mostly = isinstance(part, Value) and float(part.value) >= MOSTLY and once.closes_s >= OVER_OPENS * once.opens_s
    if mostly or _sent_to_nfs(s):
        return Value("closes", "inferred")
    return Value("a few calls", "inferred") if _stalled(s) else Value("unknown")


def _stalled(s: Selection) -> bool:
    """Whether most of the busiest rank's metadata time passed in a few calls, of which very many take no time."""
    tables = _tables(s)
    if all(len(table) < ENOUGH for _, table in tables):
        # Of so few no record is told to be stalled.
        return False
    found = [stalled_and_all(table) for _, table in tables]
    stalled, own = (sum(of[at] for of in found) for at in range(2))
    shared = sum(total_time(select_rows(t, t.ranks < 0), "META_TIME") / max(1, rows.nprocs or 1) for rows, t in tables)
    return own > NO_TIME and stalled >= MOSTLY * (own + shared)
