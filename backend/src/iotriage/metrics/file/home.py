"""How many bytes were moved below home, and how long that took."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.core.about import About
from iotriage.metrics.core.averages import average_of
from iotriage.metrics.core.by_file import sums_by_file
from iotriage.metrics.core.metric import NO_TIME, Absent, Outcome, Value, Where
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.outcomes import joined, quotient, scaled
from iotriage.metrics.core.prefix import PREFIX, access_counters
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import LogRows, Selection, isin, of_files, select_rows, unique
from iotriage.metrics.core.selection_cache import cached_per_log, cached_per_selection
from iotriage.metrics.tables.account.cells import DIRECTIONS, Cell, Cells
from iotriage.metrics.tables.account.time_account import time_account
from iotriage.metrics.tables.calls.sync_counters import SYNCS
from iotriage.metrics.tables.counters import lacks_records, nothing_read
from iotriage.metrics.tables.files.imported import is_imported
from iotriage.metrics.tables.files.named import files_without_name
from iotriage.metrics.tables.files.names_as_text import END, may_have
from iotriage.metrics.tables.mounts import HOME, HOMES, PARALLEL, home_mounts, type_above
from iotriage.metrics.tables.rank_times import longest_possible_of_a_rank, rank_times, timer
from iotriage.metrics.tables.selecting import file_ids, select_files
from iotriage.metrics.tables.stages import over_stages
from iotriage_parsers.evidence import CounterTable

CALLS: Mapping[str, tuple[str, ...]] = {
    **{module: (*access_counters(module, "read", "write"), *SYNCS[module]) for module in ("POSIX", "MPI-IO")},
    "STDIO": SYNCS["STDIO"],
}
"""By module, the calls that each wait for the storage."""


@metric(
    "file.home_bytes",
    "Bytes moved on home",
    "B",
    formula="bytes read and written, each counted once, in files whose path begins with a directory for homes (/home, "
    "/users, …), with a mount of NFS that has such a name in its path, or with one that the site keeps for other ends, "
    "but modules and shared libraries",
    needs="a Darshan log with file names",
    scopes=["job"],
)
def home_bytes(s: Selection) -> Outcome:
    if not s.logs:
        return Absent("no source says where the bytes went", (DARSHAN,))
    if (unknown := nothing_read(s) or _unnamed(s)) is not None:
        return unknown
    moved = sum(_bytes(tables) for _, tables in _on_home(s, s.not_for_jobs))
    bound: Literal["lower"] | None = "lower" if any(map(lacks_records, s.logs)) else None
    return Value(moved, bound=bound, where=joined(*(_where(rows) for rows in s.logs)))


@metric(
    "file.home_fraction",
    "Share of the bytes moved on home",
    "share",
    about=About(time=False),
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
    about=About(time=True),
    formula="slowest rank's seconds in files on home, by the method of job.io_time / job.io_time, at most 1",
    needs="a Darshan log with file names",
    scopes=["job"],
)
def home_time_fraction(s: Selection) -> Outcome:
    every = outcome(s, "job.io_time")
    if isinstance(every, Absent):
        return every
    if not s.logs:
        return Absent("no source has the times of each file", (DARSHAN,))
    if (unknown := _unnamed_time(s)) is not None:
        return unknown
    of_logs = ((rows, longest_possible_of_a_rank(tables, rows.nprocs)) for rows, tables in _on_home(s, s.not_for_jobs))
    seconds = over_stages(s, of_logs)
    found = quotient(Value(seconds), every, zero="the timers show no I/O time")
    return found if isinstance(found, Absent) else Value(min(1.0, float(found.value)), "inferred", every.where)


@metric(
    "file.home_rate",
    "Rate at which bytes move on home",
    "B/s",
    formula="file.home_bytes / (file.home_time_fraction × job.io_time)",
    needs="a Darshan log with file names",
    scopes=["job"],
)
def home_rate(s: Selection) -> Outcome:
    part, whole = outcome(s, "file.home_time_fraction"), outcome(s, "job.io_time")
    if isinstance(part, Absent) or isinstance(part.value, str):
        return part
    return quotient(outcome(s, "file.home_bytes"), scaled(whole, part.value), zero="no time passed there")


@metric(
    "file.home_piece",
    "Bytes moved on home in each access",
    "B",
    formula="file.home_bytes / the reads, writes and syncs of these files; of buffered streams the flushes, since the "
    "library gathers what is between them",
    needs="a Darshan log with file names",
    scopes=["job"],
)
def home_piece(s: Selection) -> Outcome:
    moved, calls = outcome(s, "file.home_bytes"), _calls(s)
    return quotient(moved, Value(calls), zero="no calls that reach the storage one by one were counted on home")


def _calls(s: Selection) -> int:
    """The number of calls on home that each wait for the storage."""
    every = (table for _, tables in _on_home(s, s.not_for_jobs) for table in tables)
    return sum(table.total(counter) or 0 for table in every for counter in CALLS.get(table.module, ()))


LINE, MANY_LINES, DISK_S = average_of(4096), 1000, 0.01
"""Bytes of an access below which it is a line and no block of data, how many of them are many, and the seconds of one
that goes to a disk, as it does on any file system."""
OF_HOME_BESIDE_LINES = 0.25
"""Of the time in so many lines, what is put to home: gathered they take no time anywhere, and what moving them saves no
document says. The number is ours."""


@metric(
    "file.home_own_fraction",
    "Share of the time on home that is put to home, and not to the number of its calls",
    "share",
    about=About(time=True),
    formula=f"{OF_HOME_BESIDE_LINES:.2f} where there are {MANY_LINES:,} and more reads, writes, syncs and flushes on "
    f"home that move less than {LINE:,.0f} B each (file.home_piece) and take {1000 * DISK_S:.0f} ms or more: such a "
    "call waits on any file system, and gathered they take no time on any; else 1",
    needs="a Darshan log with file names",
    scopes=["job"],
)
def home_own_fraction(s: Selection) -> Outcome:
    moved = outcome(s, "file.home_bytes")
    if isinstance(moved, Absent):
        return moved
    piece = outcome(s, "file.home_piece")
    short, calls = isinstance(piece, Value) and not isinstance(piece.value, str) and piece.value < LINE, _calls(s)
    lines = short and calls >= MANY_LINES and _seconds_of_calls(s) >= DISK_S * calls
    return Value(OF_HOME_BESIDE_LINES if lines else 1.0, "inferred", moved.where)


def _seconds_of_calls(s: Selection) -> float:
    """Of all ranks together in these calls: what opens take says nothing of how long a line waits."""
    every = (table for _, tables in _on_home(s, s.not_for_jobs) for table in tables)
    return sum(float(timer(table, f"{way}_TIME").sum()) for table in every for way in ("READ", "WRITE"))


OF_CELLS: Mapping[Cell, str] = {
    "reads": "reads",
    "writes": "writes",
    "metadata": "metadata",
    "exchange": "MPI-IO beyond the calls to storage",
    "streams": "buffered streams",
    "library": "HDF5 or PnetCDF beyond the calls below",
    "imbalance": "what the slowest rank takes beyond the mean",
}
"""Cells of the account of the time, with the timers that pass in each."""


def _declare(cell: Cell, what: str) -> None:
    @metric(
        f"file.home_{cell}_fraction",
        f"Share of the time of {what} spent on home",
        "share",
        about=About(time=True, direction=DIRECTIONS.get(cell)),
        formula=f"seconds of {what} in the account of the time, less those of the account of all files but those on "
        "home / the former",
        needs="a Darshan log with file names",
        scopes=["job"],
    )
    def fraction(s: Selection) -> Outcome:
        if (unknown := _unnamed_time(s)) is not None:
            return unknown
        account = time_account(s) if s.logs else None
        if account is not None and not any(len(_on_home_of(rows, s.not_for_jobs)) for rows in s.logs):
            return Value(0.0)
        every = 0.0 if account is None else account.cells.of(cell)
        if every < NO_TIME:
            return Absent("the timers show none of that time")
        return Value(min(1.0, max(0.0, 1.0 - _elsewhere(s, s.not_for_jobs).of(cell) / every)))


for _of_cell, _what in OF_CELLS.items():
    _declare(_of_cell, _what)


@cached_per_selection
def _elsewhere(s: Selection, not_for_jobs: tuple[str, ...]) -> Cells:
    """The account of the time as it would be without the files on home: of what the slowest rank takes beyond the mean
    they have what is then no longer there, since another rank may be as slow in other files."""
    kept = {rows.source: _but(rows, _on_home_of(rows, not_for_jobs)) for rows in s.logs}
    found = time_account(select_files(s, kept, (), "files elsewhere", sum(map(len, kept.values()))))
    return Cells() if found is None else found.cells


def _but(rows: LogRows, homes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The files of a log other than these; 0 stands for datasets whose file is not known."""
    of_files = [t.ids for t in (rows.posix, rows.mpiio, rows.stdio) if t is not None]
    every = unique(np.concatenate([*of_files, *(file_ids(t, rows.log) for t in rows.others.values())]))
    return every[~isin(every, homes)]


@metric(
    "file.home",
    "Directory with most of the bytes moved on home",
    "word",
    formula="the directory on home, of its files together, that most bytes went to; where that has less than half, the "
    "first above it that has, with all below, as far as a person's own",
    needs="a Darshan log with file names",
    scopes=["job"],
)
def home(s: Selection) -> Outcome:
    most: dict[str, int] = {}
    for rows, tables in _on_home(s, s.not_for_jobs):
        for table in tables:
            of_file = sums_by_file(table, *(f"{PREFIX[table.module]}_BYTES_{way}" for way in ("READ", "WRITTEN")))
            for record, moved in zip(table.by_id.ids.tolist(), of_file.tolist(), strict=True):
                directory = (rows.name_of(record) or "").rpartition("/")[0]
                most[directory] = most.get(directory, 0) + moved
    return Value(_half_below(most), "inferred") if most else _unnamed_time(s) or Absent("no file is on home")


A_PERSON = 2
"""The part of a path that names one person's directory on home; above it lie the homes of everybody."""


def _half_below(moved: Mapping[str, int]) -> str:
    """Of many directories alike, as one for each step, none is where the data goes."""
    found, every = max(moved, key=lambda d: moved[d]), sum(moved.values())
    above = found
    while above.count("/") >= A_PERSON:
        if 2 * sum(size for folder, size in moved.items() if f"{folder}/".startswith(f"{above}/")) >= every:
            return above
        above = above.rpartition("/")[0]
    return found


@metric(
    "file.home_on",
    "Kind of file system of the directory with most of the bytes moved on home",
    "word",
    formula="parallel where the longest mount point above file.home is of a type that is for the data of jobs; another "
    "where it is of another type; unknown where there is none but the root; none where no file is on home",
    needs="a Darshan log with a mount table",
    scopes=["job"],
)
def home_on(s: Selection) -> Outcome:
    found = outcome(s, "file.home")
    if isinstance(found, Absent):
        if (unknown := _unnamed_time(s)) is not None:
            return unknown
        return Value("none", "inferred") if s.logs else Absent("no source names the files", (DARSHAN,))
    kind = type_above(f"{found.value}/", [mount for rows in s.logs for mount in rows.log.job.mounts])
    if kind is None:
        return Value("unknown")
    return Value("parallel" if kind in PARALLEL else "another", "inferred")


@cached_per_selection
def _unnamed(s: Selection) -> Absent | None:
    """Why nobody knows where the bytes went: most are of files that the logs do not name, or name by a number."""
    return _of_unnamed(s, _bytes, "most of the bytes went to")


@cached_per_selection
def _unnamed_time(s: Selection) -> Absent | None:
    """Why nobody knows where the time went, of which files that are only opened have a part, and no bytes."""
    return _unnamed(s) or _of_unnamed(s, _seconds, "took most of the time")


def _of_unnamed(s: Selection, amount: Callable[[Sequence[CounterTable]], float], what: str) -> Absent | None:
    every = sum(amount(rows.highest) for rows in s.logs)
    unnamed = sum(amount(_tables_of(rows, files_without_name(rows))) for rows in s.logs)
    return None if 2 * unnamed <= every else Absent(f"the log does not name the files that {what}", (DARSHAN,))


def _seconds(tables: Sequence[CounterTable]) -> float:
    return sum(float(rank_times(table).sum()) for table in tables)


def _bytes(tables: Sequence[CounterTable]) -> int:
    return sum(
        table.total(f"{PREFIX[table.module]}_BYTES_{way}") or 0 for table in tables for way in ("READ", "WRITTEN")
    )


@cached_per_selection
def _on_home(s: Selection, not_for_jobs: tuple[str, ...]) -> tuple[tuple[LogRows, tuple[CounterTable, ...]], ...]:
    return tuple((rows, _tables_on_home(rows, not_for_jobs)) for rows in s.logs)


def _tables_on_home(rows: LogRows, not_for_jobs: tuple[str, ...]) -> tuple[CounterTable, ...]:
    """The records of files on home at their highest layer."""
    return _tables_of(rows, _on_home_of(rows, not_for_jobs))


def _tables_of(rows: LogRows, files: NDArray[np.uint64]) -> tuple[CounterTable, ...]:
    """The records of these files at their highest layer."""
    found = []
    for table in rows.highest if len(files) else ():
        mine = of_files(table, files)
        if mine.any():
            found.append(select_rows(table, mine))
    return tuple(found)


@cached_per_log
def _on_home_of(rows: LogRows, not_for_jobs: tuple[str, ...]) -> NDArray[np.uint64]:
    others = (*not_for_jobs, *home_mounts(rows.log.job.mounts))
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
    return joined(*(rows.where(t, f"{PREFIX[t.module]}_BYTES_WRITTEN") for t in rows.highest))
