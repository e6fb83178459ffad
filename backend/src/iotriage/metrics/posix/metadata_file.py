"""Files that many ranks open to read them: the one that takes the metadata time, and how much of them a rank reads."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from iotriage.metrics.core.about import About
from iotriage.metrics.core.by_file import sums_by_file
from iotriage.metrics.core.metric import NO_TIME, Absent, Outcome, Value
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import Selection, unique_inverse
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.tables.calls.rereads import reached_by_file
from iotriage.metrics.tables.counters import no_table
from iotriage.metrics.tables.files.imported import posix_of_data
from iotriage.metrics.tables.files.names import file_named
from iotriage.metrics.tables.rank_times import timer, total_time
from iotriage.metrics.tables.unstated_ranks import ranks_not_stated, reduced_over_unknown
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.frozen import frozen

MOST_OF_IT = 0.5
"""Share of the metadata seconds from which the file is what takes them."""

MANY = 4
"""Ranks that open the file, from which one of them could read it for all."""


@metric(
    "posix.metadata_read_file",
    "File that many ranks open to read, with most of the metadata time",
    "word",
    about=About(direction="read"),
    formula=f"the file with at least {MOST_OF_IT:.0%} of POSIX_F_META_TIME, but of modules and libraries, where "
    f"{MANY} ranks or more have it and none writes to it",
    needs="a Darshan log with POSIX records and file names",
    scopes=["job"],
)
def metadata_read_file(s: Selection) -> Outcome:
    tables = posix_of_data(s)
    if not tables:
        return no_table(s, "POSIX")
    every = sum(total_time(t, "META_TIME") for _, t in tables)
    if every < NO_TIME:
        return Absent("the POSIX timers show no metadata time")
    if (unknown := reduced_over_unknown(tables)) is not None:
        return unknown
    for rows, table in tables:
        if not len(table):
            continue  # a step that only imports
        known, took = table.by_id, timer(table, "META_TIME")
        of_file = np.bincount(known.index, took, minlength=len(known.ids))
        at = int(of_file.argmax())
        mine = known.index == at
        ranks = (rows.nprocs or 1) if (table.ranks[mine] < 0).any() else int(mine.sum())
        written = table.count("POSIX_BYTES_WRITTEN")[mine].max() > 0
        if of_file[at] >= MOST_OF_IT * every and ranks >= MANY and not written:
            return file_named(rows, int(known.ids[at]))
    return Absent("no single file that is only read takes most of it")


@metric(
    "posix.metadata_read_by_many_fraction",
    "Share of the metadata time on files that many ranks open to read",
    "share",
    about=About(time=True, direction="read"),
    formula=f"POSIX_F_META_TIME of the files that {MANY} ranks or more have and none writes to, but of modules and "
    "libraries / that of all files",
    needs="a Darshan log with POSIX records",
    scopes=["job"],
)
def metadata_read_by_many_fraction(s: Selection) -> Outcome:
    tables = posix_of_data(s)
    if not tables:
        return no_table(s, "POSIX")
    every = sum(total_time(t, "META_TIME") for _, t in s.tables("POSIX"))
    if every < NO_TIME:
        return Absent("the POSIX timers show no metadata time")
    if (unknown := reduced_over_unknown(tables)) is not None:
        return unknown
    found = 0.0
    for rows, table in tables:
        known = table.by_id
        ranks = np.bincount(known.index, np.where(table.ranks < 0, rows.nprocs or 1, 1), len(known.ids))
        mine = (ranks >= MANY) & (sums_by_file(table, "POSIX_BYTES_WRITTEN") == 0)
        found += float(np.bincount(known.index, timer(table, "META_TIME"), len(known.ids))[mine].sum())
    return Value(min(1.0, found / every), "inferred")


AS_OFTEN, MOST_STATS = 0.1, 0.5
"""Of the stats of the file that is asked about most: others are asked about as they are opened, which costs nothing. Of
all stats, from which those of the first are what is meant, and not one that happens to be asked about more often."""


@metric(
    "posix.asked_files",
    "Files most often asked about",
    "files",
    formula=f"files, but of modules and libraries, that have {AS_OFTEN:.0%} or more of the POSIX_STATS of the one with "
    f"most; where these have less than {MOST_STATS:.0%} of all, every file that has some",
    needs="a Darshan log with POSIX records",
    scopes=["job"],
)
def asked_files(s: Selection) -> Outcome:
    whole = outcome(s, "posix.data_stats")
    tables = [t for _, t in posix_of_data(s) if len(t)]
    if isinstance(whole, Absent) or not tables:
        return whole if isinstance(whole, Absent) else no_table(s, "POSIX")
    _, index = unique_inverse(np.concatenate([t.by_id.ids for t in tables]))
    stats = np.bincount(index, np.concatenate([sums_by_file(t, "POSIX_STATS") for t in tables]).astype(np.float64))
    if stats.max() <= 0:
        return Absent("nobody asks about a file")
    often = stats >= AS_OFTEN * stats.max()
    meant = often if stats[often].sum() >= MOST_STATS * stats.sum() else stats > 0
    return replace(whole, value=int(meant.sum()))


@frozen
class _ReadByMany:
    """Bytes read of such files, those of all their ranks if each read all, and of the largest."""

    read: float = 0.0
    of_all: float = 0.0
    largest: float = 0.0


@cached_per_selection
def _read_by_many(s: Selection) -> _ReadByMany | None:
    """None where there is no such file, or nobody counts what is read, or the ranks."""
    if ranks_not_stated(s) is not None:
        return None
    found = [_of_table(table, rows.nprocs or 1) for rows, table in posix_of_data(s)]
    largest = max((f.largest for f in found), default=0.0)
    every = _ReadByMany(sum(f.read for f in found), sum(f.of_all for f in found), largest)
    return every if every.of_all > 0 else None


def _of_table(table: CounterTable, nprocs: int) -> _ReadByMany:
    if len(table) * nprocs < MANY or not table.total("POSIX_BYTES_READ"):
        return _ReadByMany()
    known = table.by_id
    ranks = np.bincount(known.index, np.where(table.ranks < 0, nprocs, 1), len(known.ids))
    read, written = (sums_by_file(table, f"POSIX_BYTES_{way}").astype(np.float64) for way in ("READ", "WRITTEN"))
    reached = reached_by_file(table, "POSIX").astype(np.float64)
    mine = (ranks >= MANY) & (written == 0) & (read > 0) & (reached > 0)
    of_all = float((ranks * reached)[mine].sum())
    return _ReadByMany(float(read[mine].sum()), of_all, float(reached[mine].max(initial=0.0)))


NO_SUCH_FILE = Absent("no file is opened by many ranks and only read")


@metric(
    "posix.read_by_many_part",
    "Part that a rank reads of the files that many ranks open to read",
    "share",
    about=About(time=False, direction="read"),
    formula=f"of the files that {MANY} ranks or more have and none writes to, Σ POSIX_BYTES_READ / Σ ranks × "
    "(POSIX_MAX_BYTE_READ + 1), at most 1",
    needs="a Darshan log with POSIX records",
    scopes=["job"],
)
def read_by_many_part(s: Selection) -> Outcome:
    found = _read_by_many(s)
    return NO_SUCH_FILE if found is None else Value(min(1.0, found.read / found.of_all), "inferred")


@metric(
    "posix.read_by_many_size",
    "Size of the largest file that many ranks open to read",
    "B",
    about=About(direction="read"),
    formula=f"the largest POSIX_MAX_BYTE_READ + 1 of the files that {MANY} ranks or more have and none writes to",
    needs="a Darshan log with POSIX records",
    scopes=["job"],
)
def read_by_many_size(s: Selection) -> Outcome:
    found = _read_by_many(s)
    return NO_SUCH_FILE if found is None else Value(found.largest, "inferred")
