"""Sums of counters over the logs of a selection, and why there are none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import product

import numpy as np

from iotriage.metrics.core.listing import listed, named_with_verb
from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.prefix import PREFIX
from iotriage.metrics.core.selection import LogRows, Selection
from iotriage.metrics.core.selection_cache import cached_per_log, cached_per_selection
from iotriage.metrics.core.table_cache import cached_per_table
from iotriage.metrics.tables.rank_times import lacks_timers
from iotriage.metrics.tables.texts.printed_totals import summed, without_module
from iotriage_parsers.evidence import CounterTable, ModuleInfo

MODULE_MEANS = {
    "POSIX": "POSIX I/O",
    "MPI-IO": "MPI-IO",
    "STDIO": "buffered (STDIO) I/O",
    "H5F": "HDF5",
    "H5D": "HDF5 datasets",
    "PNETCDF_FILE": "PnetCDF",
    "PNETCDF_VAR": "PnetCDF variables",
    "DFS": "DAOS files",
    "DAOS": "DAOS objects",
}

TRACE_OF = {"POSIX": "DXT_POSIX", "MPI-IO": "DXT_MPIIO"}
"""The module with the traces of a layer, by the module that counts the layer's calls."""


@cached_per_selection
def no_table(selection: Selection, module: str) -> Absent:
    """Why the selection has no records of `module`."""
    if not selection.logs:
        return without_module(selection, module) or Absent("no Darshan log was given", (DARSHAN,))
    for rows in selection.logs:
        if rows.traced and rows.log.module(module) is None:
            return Absent(
                f"only traces of the calls were given, and they do not show {MODULE_MEANS[module]}", (DARSHAN,)
            )
        info = rows.log.module(module)
        if info is not None and info.status in ("damaged", "unsupported"):
            return Absent(f"the {module} module of the log could not be read: {info.reason or info.status}")
    if selection.scope == "group":
        return Absent(f"no {module} record of these files")
    return Absent(f"the log has no {module} records: Darshan saw no {MODULE_MEANS[module]} in this run")


@cache
def no_records_of(module: str) -> Callable[[Selection], Absent | None]:
    """For `unless=` of metrics that need records of `module`: why these are missing. None where there are some, or
    where a text may give the same figures."""

    def why(s: Selection) -> Absent | None:
        return None if s.tables(module) or not s.logs or s.has_more_than_logs else no_table(s, module)

    return why


def is_partial(rows: LogRows, module: str) -> bool:
    """Whether records of `module` are missing from the log, by Darshan's flag or because the log is damaged."""
    info = rows.log.module(TRACE_OF[module] if module in rows.traced else module)
    return info is not None and (info.partial or info.status == "partly-read")


@cached_per_log
def unread_modules(rows: LogRows) -> tuple[ModuleInfo, ...]:
    """Modules that count calls and of which no record could be read: that they have no records does not show that
    nothing was done."""
    found = ((rows.log.module(name), rows.table(name)) for name in PREFIX if name not in rows.traced)
    return tuple(
        info
        for info, table in found
        if info is not None
        and (info.status in ("damaged", "unsupported") or (info.status == "partly-read" and not table))
    )


def lacks_records_of(rows: LogRows, module: str) -> bool:
    """Whether records of `module` are missing from the log, or none of them could be read."""
    return is_partial(rows, module) or any(info.name == module for info in unread_modules(rows))


@cached_per_log
def lacking_modules(rows: LogRows) -> tuple[str, ...]:
    """Modules with missing records that would add to sums over the highest layer of each file."""
    modules = PREFIX if rows.whole else [table.module for table in rows.highest]
    unread = [info.name for info in unread_modules(rows)]
    return tuple(dict.fromkeys((*unread, *(module for module in modules if is_partial(rows, module)))))


def lacks_records(rows: LogRows) -> bool:
    """Whether records are missing that would add to what is summed at the highest layer of each file."""
    return bool(lacking_modules(rows))


@cached_per_log
def lacks_times(rows: LogRows) -> bool:
    """Whether the seconds are only a lower bound: records are missing, or implausible timers were left out."""
    return lacks_records(rows) or any(t.module not in rows.traced and lacks_timers(t) for t in rows.highest)


@cached_per_selection
def nothing_read(selection: Selection) -> Absent | None:
    """Why it is unknown what was done: the logs have no record at all, and some of their modules could not be read."""
    if any(rows.highest for rows in selection.logs):
        return None
    unread = [info for rows in selection.logs for info in unread_modules(rows)]
    if not unread:
        return None
    names = listed(list(dict.fromkeys(info.name for info in unread)))
    if any(info.status == "unsupported" for info in unread):
        return Absent(f"the records of {names} could not be read: {unread[0].reason or unread[0].status}")
    return Absent(f"the records of {names} could not be read: the log was cut or damaged, fetch it again")


@cached_per_selection
def total(selection: Selection, module: str, *counters: str) -> Outcome:
    """The sum of `counters` over all records of `module`; without records, darshan-parser's total. It is a lower bound
    where the module is partial, or where records lack one of the counters. Where all records lack one and the others
    add up to 0, it is absent."""
    tables = selection.tables(module)
    if not tables:
        return summed(selection, module, *counters) or no_table(selection, module)
    known = [v for _, table in tables for c in counters if (v := table.total(c)) is not None]
    uncounted = [c for c in counters if all(table.lacks(c) == "all" for _, table in tables)]
    if uncounted and not any(known):
        return not_available(tables, *uncounted)
    (first, its_table), *others = tables
    where = first.where(its_table, *counters)
    for rows, table in others:
        where += rows.where(table, *counters)
    lower = any(is_partial(rows, module) or any(map(table.lacks, counters)) for rows, table in tables)
    return Value(sum(known), where=where, bound="lower" if lower else None)


def not_available(tables: Sequence[tuple[LogRows, CounterTable]], *counters: str) -> Absent:
    """Why no record of the tables has the counters."""
    if any(t.module in rows.traced for rows, t in tables):
        return Absent("traces of the calls do not tell it, and no other records were given", (DARSHAN,))
    return Absent(f"{named_with_verb(counters, 3)} not available in this log")


def not_recorded(tables: Sequence[tuple[LogRows, CounterTable]], *counters: str) -> Absent | None:
    """Why no record of the tables has any of the counters; None where one has, and where there are no tables."""
    told = not tables or any(table.lacks(counter) != "all" for _, table in tables for counter in counters)
    for table, counter in product((table for _, table in tables), counters) if not told else ():
        table.note_if_missing(counter)
    return None if told else not_available(tables, *counters)


def sum_counters(table: CounterTable, *counters: str) -> int:
    """The sum of `counters`, leaving out values that are not available."""
    return sum([table.total(c) or 0 for c in counters])


@cached_per_table
def sum_timers(table: CounterTable, *counters: str) -> float:
    """The sum of float counters over the records that have them; −1 and NaN are not available."""
    found = 0.0
    for counter in counters:
        column = table.seconds(counter)
        found += float(column[column > 0].sum())
    return found


@cached_per_table
def has_times(table: CounterTable, counter: str) -> bool:
    """Whether any record has the timer."""
    return bool(np.isfinite(table.seconds(counter)).any())
