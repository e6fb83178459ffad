"""How many bytes were moved below home, and how long that took."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.core.derived import derived, of_log
from iotriage.metrics.core.metric import NO_TIME, Absent, Outcome, Value, Where
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.outcomes import joined, quotient
from iotriage.metrics.core.prefix import PREFIX
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import LogRows, Selection, is_among, only_rows
from iotriage.metrics.tables.account.cells import Cell
from iotriage.metrics.tables.counters import lacks_records, nothing_read
from iotriage.metrics.tables.files.by_file import sums_by_file
from iotriage.metrics.tables.files.imported import is_imported
from iotriage.metrics.tables.files.names_as_text import END, may_have
from iotriage.metrics.tables.mounts import HOME, HOMES
from iotriage.metrics.tables.rank_times import rank_times, slowest_rank_time, timer, total_time
from iotriage_parsers.evidence import CounterTable

NOT_WORK = {"archer2": ("/epsrc/", "/general/", "/rdfaas/")}
"""By site: file systems that are mounted and not meant for the I/O of jobs, besides home."""


@metric(
    "file.home_bytes",
    "Bytes moved on home",
    "B",
    formula="bytes read and written, each counted once, in files whose path begins with a directory for homes (/home, "
    "/users, …), or with one that the site keeps for other ends, but modules of Python and shared libraries",
    needs="a Darshan log with file names",
    scopes=["job"],
)
def home_bytes(s: Selection) -> Outcome:
    if not s.logs:
        return Absent("no source says where the bytes went", (DARSHAN,))
    if (unread := nothing_read(s)) is not None:
        return unread
    moved = sum(_bytes(tables) for _, tables in _on_home(s, s.site))
    bound: Literal["lower"] | None = "lower" if any(map(lacks_records, s.logs)) else None
    return Value(moved, bound=bound, where=joined(*(_where(rows) for rows in s.logs)))


@metric(
    "file.home_fraction",
    "Share of the bytes moved on home",
    "share",
    formula="file.home_bytes / io.bytes",
    needs="a Darshan log with file names",
    scopes=["job"],
)
def home_fraction(s: Selection) -> Outcome:
    return quotient(outcome(s, "file.home_bytes"), outcome(s, "io.bytes"), zero="no bytes were moved")


@metric(
    "file.home_time_fraction",
    "Share of the I/O time spent on home",
    "share",
    formula="slowest rank's seconds in files on home, by the method of job.io_time / job.io_time, at most 1",
    needs="a Darshan log with file names",
    scopes=["job"],
)
def home_time_fraction(s: Selection) -> Outcome:
    every = outcome(s, "job.io_time")
    if isinstance(every, Absent) or not s.logs:
        return every
    seconds = sum(slowest_rank_time(tables) for _, tables in _on_home(s, s.site))
    found = quotient(Value(seconds), every, zero="the timers show no I/O time")
    return found if isinstance(found, Absent) else Value(min(1.0, float(found.value)), "inferred", every.where)


OF_CELLS: tuple[tuple[Cell, str, str, str | None], ...] = (
    ("reads", "reads", "POSIX", "READ_TIME"),
    ("writes", "writes", "POSIX", "WRITE_TIME"),
    ("metadata", "metadata calls", "POSIX", "META_TIME"),
    ("streams", "buffered streams", "STDIO", None),
)
"""Cells of the account, and by which calls, module and timer (None for all) the part of each is told."""


def _declare(cell: Cell, calls: str, module: str, counter: str | None) -> None:
    @metric(
        f"file.home_{cell}_fraction",
        f"Share of the time of {calls} spent on home",
        "share",
        formula=f"{module} seconds of {calls} in files on home / in all files, both summed over ranks",
        needs="a Darshan log with file names",
        scopes=["job"],
    )
    def fraction(s: Selection) -> Outcome:
        there = every = 0.0
        for rows, table in s.tables(module):
            took = rank_times(table) if counter is None else timer(table, counter)
            there += float(took[is_among(table.ids, _on_home_of(rows, s.site))].sum())
            every += total_time(table, counter)
        return Absent("the timers show none of that time") if every < NO_TIME else Value(there / every)


for _of_cell in OF_CELLS:
    _declare(*_of_cell)


@metric(
    "file.home",
    "Directory on home with most of these bytes",
    "word",
    formula="the directory on home, of its files together, that most bytes went to",
    needs="a Darshan log with file names",
    scopes=["job"],
)
def home(s: Selection) -> Outcome:
    most: dict[str, int] = {}
    for rows, tables in _on_home(s, s.site):
        for table in tables:
            of_file = sums_by_file(table, *(f"{PREFIX[table.module]}_BYTES_{way}" for way in ("READ", "WRITTEN")))
            for record, moved in zip(table.by_id.ids.tolist(), of_file.tolist(), strict=True):
                directory = (rows.name_of(record) or "").rpartition("/")[0]
                most[directory] = most.get(directory, 0) + moved
    return Value(max(most, key=lambda d: most[d]), "inferred") if most else Absent("no file is on home")


def _bytes(tables: Sequence[CounterTable]) -> int:
    return sum(
        table.total(f"{PREFIX[table.module]}_BYTES_{way}") or 0 for table in tables for way in ("READ", "WRITTEN")
    )


@derived
def _on_home(s: Selection, site: str | None) -> tuple[tuple[LogRows, tuple[CounterTable, ...]], ...]:
    return tuple((rows, _tables_on_home(rows, site)) for rows in s.logs)


def _tables_on_home(rows: LogRows, site: str | None) -> tuple[CounterTable, ...]:
    """The records of files on home at their highest layer."""
    homes = _on_home_of(rows, site)
    found = []
    for table in rows.highest if len(homes) else ():
        mine = is_among(table.ids, homes)
        if mine.any():
            found.append(only_rows(table, mine))
    return tuple(found)


@of_log
def _on_home_of(rows: LogRows, site: str | None) -> NDArray[np.uint64]:
    others = NOT_WORK.get(site or "", ())
    if not may_have(rows, (f"{END}{start}" for start in (*HOMES, *others))):
        return np.zeros(0, np.uint64)
    return _records_on_home(rows.log.names, others)


def _records_on_home(names: Mapping[int, str], others: tuple[str, ...]) -> NDArray[np.uint64]:
    """What a program imports as it starts is no data, and has a cure of its own wherever it lies."""
    is_home = HOME.match
    found = [
        record
        for record, name in names.items()
        if ((name.startswith(HOMES) and is_home(name)) or (others and name.startswith(others)))
        and not is_imported(name)
    ]
    return np.array(found, np.uint64)


def _where(rows: LogRows) -> tuple[Where, ...]:
    return joined(*(rows.where(t, f"{PREFIX[t.module]}_BYTES_WRITTEN") for t in rows.highest if len(t)))
