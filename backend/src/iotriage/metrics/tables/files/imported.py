"""Files that a program reads while it starts: modules of Python, Julia, R or Perl, and shared libraries, by name.

Code is data too, as where a model is trained on it, or an environment is copied or packed. Modules that lie in no
environment are read by most of the ranks; of what each rank reads others of, the ending tells nothing.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.core.metric import Absent, Where
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.outcomes import joined
from iotriage.metrics.core.prefix import PREFIX
from iotriage.metrics.core.selection import LogRows, Selection, select_rows, unique
from iotriage.metrics.core.selection_cache import cached_per_job, cached_per_log
from iotriage.metrics.tables.account.beside import ranks_of_mean
from iotriage.metrics.tables.at_a_time import most_at_a_time
from iotriage.metrics.tables.counters import not_available
from iotriage.metrics.tables.files.named import most_have_names
from iotriage.metrics.tables.files.names_as_text import may_have
from iotriage.metrics.tables.rank_times import largest_of_a_rank, rank_times, timer
from iotriage.metrics.tables.running import span_of
from iotriage.metrics.tables.stages import logs_by_stage, over_stages
from iotriage.metrics.tables.system_programs import TAKE_ANY_FILE
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.frozen import frozen

_OF_R = r"(?P<package>[^/]+)/R/((?P=package)|sysdata)\.rd[bx]$"
"""The code of a package of R, PACKAGE/R/PACKAGE.rdb: people save tables by this ending too."""

IMPORTED = re.compile(
    r"\.(pyc?|pyo|pm|ji|so(\.\d+)*)$|/(site|dist)-packages/|/__pycache__/|/\.julia/packages/|/" + _OF_R
)
"""Names of modules of Python, Perl and Julia (compiled, .ji), of what lies in a package of Python or Julia, of the code
of R's packages, and of shared libraries. The weights of models end in .pth as well as the lists of paths that Python
reads, and these lie in packages."""

_FOLDERS_OF_PERL = re.compile(r"/(perl5?|(site|vendor)_perl|perl5lib)/")
"""Data may end in .pm, too: it is a module where it lies with Perl's own, or Perl is the program."""

SOURCE = re.compile(r"\.(pyc?|pyo|pm|ji)$")
"""Modules that are recognised by their endings alone, where they lie in no environment."""

ENVIRONMENT = re.compile(
    r"^(?P<depot>/.+?/\.julia)/|^(?P<folder>/.+?)/(lib(64)?/python\d|(site|dist)-packages/|" + _OF_R + ")"
)
"""What stands before is the folder of an environment."""


MOSTLY = 0.5
"""From this share on, of files or of seconds, what is told of is what was imported."""


_HINTS = (".py", ".so", "-packages/", "/__pycache__/", ".pm", ".ji", "/.julia/packages/", "/R/")
"""One of these is in each such name."""


def is_imported(name: str) -> bool:
    """Most names have none of the hints, which is seen in a tenth of the time of the expression."""
    return any(hint in name for hint in _HINTS) and IMPORTED.search(name) is not None and not _may_be_data(name)


def _may_be_data(name: str) -> bool:
    return name.endswith(".pm") and _FOLDERS_OF_PERL.search(name) is None


NO_OPENS = Absent("traces of the calls have reads and writes, but no opens", (DARSHAN,))


@frozen
class Imported:
    """Files, opens of all ranks and the ranks that have such files at the same time, of how many (None where a log does
    not state how many it has), seconds of the mean rank and those of the slowest beyond it of what was imported, the
    mean rank's seconds in the metadata calls and the reads that go to storage, and in streams, `folders` by the files
    in each. Where traces alone tell of them, metadata calls and streams are None; there, and where no record has them,
    it says why the opens are not known."""

    files: int
    opens: int | Absent
    ranks: int | None
    of_ranks: int | None
    mean_s: float
    beyond_s: float
    metadata_s: float | None
    reads_s: float
    streams_s: float | None
    folders: dict[str, int]
    where: tuple[Where, ...]


@cached_per_job
def imported_files(s: Selection) -> Imported | None:
    """None where no source names files, or names most by a number."""
    tables = [(rows, t) for rows in s.logs for t in rows.highest if f"{PREFIX[t.module]}_OPENS" in t.int_names]
    if not tables or not most_have_names(s.logs):
        return None
    files: set[int] = set()
    opens = 0
    mean = metadata = reads = streams = 0.0
    longest: list[tuple[LogRows, float]] = []
    folders: dict[str, int] = {}
    users: dict[int, list[NDArray[np.int64]]] = {}
    for rows, table in tables:
        mine = _of_names(rows, table, folders)
        if mine is None:
            continue
        files.update(table.ids[mine].tolist())
        users.setdefault(rows.source, []).append(table.ranks[mine])
        opens += int(np.maximum(table.as_recorded(f"{PREFIX[table.module]}_OPENS")[mine], 0).sum())
        of_mean, of_slowest = _seconds(rows, table, mine)
        ranks = ranks_of_mean(s, rows)
        mean += of_mean * max(1, rows.nprocs or 1) / ranks
        longest.append((rows, of_slowest))
        if table.module == "STDIO":
            streams += float(rank_times(table)[mine].sum()) / ranks
        else:
            metadata += float(timer(table, "META_TIME")[mine].sum()) / ranks
            reads += float(timer(table, "READ_TIME")[mine].sum()) / ranks
    where = joined(*(rows.where(t, f"{PREFIX[t.module]}_OPENS") for rows, t in tables))
    (at_once, of_ranks), beyond = _at_a_time(s, users), max(0.0, over_stages(s, longest) - mean)
    if all(table.module in rows.traced for rows, table in tables):
        return Imported(len(files), NO_OPENS, at_once, of_ranks, mean, beyond, None, reads, None, folders, where)
    counters = [f"{PREFIX[table.module]}_OPENS" for _, table in tables]
    told = all(
        rows.traced or table.lacks(counter) is None for (rows, table), counter in zip(tables, counters, strict=True)
    )
    known = opens if told else not_available(tables, *dict.fromkeys(counters))
    return Imported(len(files), known, at_once, of_ranks, mean, beyond, metadata, reads, streams, folders, where)


def _at_a_time(s: Selection, users: dict[int, list[NDArray[np.int64]]]) -> tuple[int | None, int | None]:
    """Of the ranks in the records of each log, how many ran at a time in the stage that has most of them, and how many
    ranks that has."""
    most, of_ranks = 0, None
    for stage, logs in logs_by_stage(s):
        known = [(rows, _distinct(rows, users[rows.source])) for rows in logs if rows.source in users]
        counted = [(rows, n) for rows, n in known if n is not None]
        if len(counted) < len(known):
            return None, None
        together = most_at_a_time([(span_of(rows.log.job), n) for rows, n in counted])
        if together > most:
            most, of_ranks = together, None if stage.ranks is None else max(together, stage.ranks)
    return most, of_ranks


def _distinct(rows: LogRows, ranks: list[NDArray[np.int64]]) -> int | None:
    """All ranks of the log have a file whose record is reduced."""
    every = np.concatenate(ranks)
    return rows.nprocs if bool((every < 0).any()) else len(unique(every))


def imported_share(s: Selection) -> float | None:
    """The share of the files that were imported; None where no source names them."""
    if not any(rows.log.names for rows in s.logs) or not most_have_names(s.logs):
        return None
    imported = imported_records(s)
    if not imported:
        return 0.0
    files = [record for rows in s.logs for t in rows.highest for record in t.by_id.ids.tolist()]
    return sum(record in imported for record in files) / len(files) if files else None


@cached_per_job
def imported_records(s: Selection) -> frozenset[int]:
    """Of the whole job: most have none, and their groups of files are not looked through."""
    tables = [(rows, t) for rows in s.logs for t in rows.highest]
    found = ((t, of) for rows, t in tables if (of := _of_names(rows, t, {})) is not None)
    return frozenset(record for t, of in found for record in unique(t.ids[of]).tolist())


def imported_names(s: Selection) -> frozenset[str]:
    records = imported_records(s)
    return frozenset(name for rows in s.logs for record, name in rows.log.names.items() if record in records)


@cached_per_job
def posix_of_data(s: Selection) -> tuple[tuple[LogRows, CounterTable], ...]:
    """The POSIX records of files that were not imported: all of them where no source names a file."""
    return _of_data(s, "POSIX")


@cached_per_job
def streams_of_data(s: Selection) -> tuple[tuple[LogRows, CounterTable], ...]:
    """The records of streams of such files."""
    return _of_data(s, "STDIO")


def _of_data(s: Selection, module: Literal["POSIX", "STDIO"]) -> tuple[tuple[LogRows, CounterTable], ...]:
    found = ((rows, table, _of_names(rows, table, {})) for rows, table in s.tables(module))
    return tuple((rows, table if of is None else select_rows(table, ~of)) for rows, table, of in found)


def _seconds(rows: LogRows, table: CounterTable, mine: NDArray[np.bool_]) -> tuple[float, float]:
    """Of the mean rank and of the slowest: which that is of files that all ranks share is not known, and there it
    has the mean."""
    took, ranks = rank_times(table)[mine], table.ranks[mine]
    everybody, own = max(1, rows.nprocs or 1), ranks >= 0
    shared = float(took[~own].sum()) / everybody
    mean, slowest = float(took[own].sum()) / everybody, largest_of_a_rank([(ranks[own], took[own])])
    return shared + mean, shared + max(mean, slowest)


def _of_names(rows: LogRows, table: CounterTable, folders: dict[str, int]) -> NDArray[np.bool_] | None:
    """Which records are of imported files, none of which the run wrote; their environments are counted in `folders`.
    None where no file is imported."""
    known, imported = table.by_id, _imported_files(rows)
    if not imported:
        return None
    by_most = _used_by_most(rows, table).tolist()
    named = np.array(
        [
            (name := imported.get(record)) is not None and (most or not _by_its_ending(name))
            for record, most in zip(known.ids.tolist(), by_most, strict=True)
        ],
        dtype=np.bool_,
    )
    if not named.any():
        return None
    for record in known.ids[named].tolist():
        if (environment := ENVIRONMENT.match(imported[record])) is not None:
            folder = environment["folder"] or environment["depot"]
            folders[folder] = folders.get(folder, 0) + 1
    found: NDArray[np.bool_] = named[known.index] & (table.count(f"{PREFIX[table.module]}_BYTES_WRITTEN") <= 0)
    return found


def _used_by_most(rows: LogRows, table: CounterTable) -> NDArray[np.bool_]:
    """Of each file of the table, whether most of the ranks use it; all do where their number is not known."""
    known = table.by_id
    by_all = np.bincount(known.index, table.ranks < 0, minlength=len(known.ids)) > 0
    found: NDArray[np.bool_] = by_all | (known.records >= MOSTLY * (rows.nprocs or 1))
    return found


def _by_its_ending(name: str) -> bool:
    return SOURCE.search(name) is not None and ENVIRONMENT.match(name) is None


@cached_per_log
def _imported_files(rows: LogRows) -> dict[int, str]:
    """The names of the imported files, by their records."""
    program = PurePosixPath(rows.log.job.executable or "").name
    if not may_have(rows, _HINTS) or program in TAKE_ANY_FILE:
        return {}
    data = _longer_than_modules(rows) if program.startswith("perl") else None
    return {
        record: name
        for record, name in rows.log.names.items()
        if is_imported(name) or (data is not None and name.endswith(".pm") and record not in data)
    }


LONGEST_MODULE = 2**20
"""Bytes of a module of Perl, which is a text that people write: ours."""


def _longer_than_modules(rows: LogRows) -> frozenset[int]:
    """The records of files of which more is read than a module of Perl has."""
    found: set[int] = set()
    for table in rows.highest:
        last = f"{PREFIX[table.module]}_MAX_BYTE_READ"
        if last in table.int_names:
            found.update(table.ids[table.count(last) >= LONGEST_MODULE].tolist())
    return frozenset(found)
