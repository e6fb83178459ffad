"""Time in opens, closes, stats and seeks: of all ranks, and of the one that waits longest."""

from __future__ import annotations

import numpy as np

from iotriage.metrics.core.metric import NO_TIME, Absent, Outcome, Value
from iotriage.metrics.core.of_table import of_table
from iotriage.metrics.core.outcomes import quotient
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import Selection, numbered
from iotriage.metrics.tables.counters import has_times, is_partial, no_table, not_available, seconds, total
from iotriage.metrics.tables.files.imported import MOSTLY, imported_metadata_share
from iotriage_parsers.evidence import CounterTable


@metric(
    "posix.metadata_time",
    "Time in POSIX metadata calls, summed over ranks",
    "s",
    formula="POSIX_F_META_TIME summed over the records",
    needs="a Darshan log with POSIX records",
)
def metadata_time(s: Selection) -> Outcome:
    tables = s.tables("POSIX")
    if not tables:
        return total(s, "POSIX", "POSIX_F_META_TIME")
    if not any(has_times(t, "POSIX_F_META_TIME") for _, t in tables):
        return not_available(tables, "POSIX_F_META_TIME")
    where = tuple(w for rows, t in tables for w in rows.where(t, "POSIX_F_META_TIME"))
    partial = any(is_partial(rows, "POSIX") for rows, _ in tables)
    found = sum(seconds(t, "POSIX_F_META_TIME") for _, t in tables)
    return Value(found, where=where, bound="lower" if partial else None)


@metric(
    "posix.metadata_time_fraction",
    "Metadata's share of POSIX time",
    "share",
    formula="POSIX_F_META_TIME / (POSIX_F_READ_TIME + POSIX_F_WRITE_TIME + POSIX_F_META_TIME), summed over ranks",
    needs="a Darshan log with POSIX records",
)
def metadata_time_fraction(s: Selection) -> Outcome:
    tables = s.tables("POSIX")
    if not tables:
        every_time = total(s, "POSIX", *(f"POSIX_F_{w}_TIME" for w in ("META", "READ", "WRITE")))
        return quotient(total(s, "POSIX", "POSIX_F_META_TIME"), every_time, zero="the POSIX timers show no time")
    if not any(has_times(t, "POSIX_F_META_TIME") for _, t in tables):
        return not_available(tables, "POSIX_F_META_TIME")
    meta = sum(seconds(t, "POSIX_F_META_TIME") for _, t in tables)
    every = meta + sum(seconds(t, "POSIX_F_READ_TIME", "POSIX_F_WRITE_TIME") for _, t in tables)
    if every < NO_TIME:
        return Absent("the POSIX timers show no time")
    where = tuple(w for rows, t in tables for w in rows.where(t, "POSIX_F_META_TIME"))
    partial = any(is_partial(rows, "POSIX") for rows, _ in tables)
    return Value(meta / every, "inferred" if partial else "measured", where)


@of_table
def _busiest(table: CounterTable, nprocs: int | None) -> float:
    """Seconds: the largest sum of one rank over its own records, plus an equal part of the reduced ones."""
    spent = table.seconds("POSIX_F_META_TIME")
    spent = np.where(np.isfinite(spent) & (spent > 0), spent, 0.0)
    mine = table.ranks >= 0
    _, index = numbered(table.ranks[mine])
    own = np.bincount(index, weights=spent[mine])
    reduced = float(spent[~mine].sum()) / max(1, nprocs or 1)
    return float(own.max(initial=0.0)) + reduced


@metric(
    "posix.metadata_time_busiest",
    "Metadata time of the busiest rank",
    "s",
    formula="largest sum over one rank's own records of POSIX_F_META_TIME, plus that of reduced records / ranks",
    needs="a Darshan log with POSIX records",
)
def busiest(s: Selection) -> Outcome:
    tables = s.tables("POSIX")
    if not tables:
        return no_table(s, "POSIX")
    if not any(has_times(t, "POSIX_F_META_TIME") for _, t in tables):
        return not_available(tables, "POSIX_F_META_TIME")
    where = tuple(w for rows, t in tables for w in rows.where(t, "POSIX_F_META_TIME"))
    shared = any(bool((t.ranks < 0).any()) for _, t in tables)
    partial = any(is_partial(rows, "POSIX") for rows, _ in tables)
    spent = sum(_busiest(t, rows.nprocs) for rows, t in tables)
    return Value(spent, "inferred" if shared else "measured", where, "lower" if partial else None)


@metric(
    "posix.metadata_io_fraction",
    "Metadata's share of the I/O time",
    "share",
    formula="posix.metadata_time_busiest / the slowest rank's I/O time, at most 1",
    needs="a Darshan log with POSIX records",
)
def share(s: Selection) -> Outcome:
    busiest = outcome(s, "posix.metadata_time_busiest")
    return quotient(busiest, outcome(s, "job.io_time"), zero="the timers show no I/O time", at_most=1.0)


@metric(
    "posix.metadata_run_fraction",
    "Metadata's share of the run",
    "share",
    formula="posix.metadata_time_busiest / job.runtime, at most 1",
    needs="a Darshan log with POSIX records and an end time",
    scopes=["job"],
)
def share_of_run(s: Selection) -> Outcome:
    busiest = outcome(s, "posix.metadata_time_busiest")
    return quotient(busiest, outcome(s, "job.runtime"), zero="the run time is zero", at_most=1.0)


@metric(
    "posix.metadata_of",
    "Whose metadata calls take the time",
    "word",
    formula="imports where half of the seconds or more passed on the files of file.imported, else data; unknown where "
    "no source names the files",
    needs="a Darshan log with POSIX records and file names",
    scopes=["job"],
)
def of_what(s: Selection) -> Outcome:
    if not s.tables("POSIX"):
        return no_table(s, "POSIX")
    found = imported_metadata_share(s)
    return Value("unknown" if found is None else "imports" if found >= MOSTLY else "data")
