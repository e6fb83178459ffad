"""Cray's IOBUF library: which files it buffers, and whether several processes use one that the run writes.

IOBUF_PARAMS is a list of file patterns with their settings, `*.dat:count=4:size=32M,%stdout`; names that begin with %
are standard streams. Without the variable the library buffers nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Literal

import numpy as np

from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN, ENVIRONMENT
from iotriage.metrics.core.prefix import prefix_of
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import LogRows, Selection, base_name
from iotriage.metrics.tables.counters import lacks_records
from iotriage.metrics.tables.settings import CURLY, settings
from iotriage_parsers.evidence import CounterTable, JobContext
from iotriage_parsers.evidence.darshan import Int64s

PARAMETERS = "IOBUF_PARAMS"


def patterns(text: str) -> tuple[str, ...]:
    """The file patterns of an IOBUF_PARAMS string, standard streams left out."""
    entries = (entry.partition(":")[0].strip() for entry in text.strip(CURLY + "\"' ").split(","))
    return tuple(e for e in entries if e and not e.startswith("%"))


def buffers(s: Selection, path: str) -> bool:
    """Whether a source shows that IOBUF buffers the file."""
    known = settings(s, PARAMETERS)[:1]
    fitting = (pattern for setting in known for pattern in patterns(setting.value))
    return any(fnmatchcase(path, p) or fnmatchcase(base_name(path), p) for p in fitting)


@metric(
    "iobuf.shared_files",
    "Files of several processes that IOBUF buffers and the run writes",
    "files",
    formula=f"files that a pattern of {PARAMETERS} fits, that MPI-IO opened or more than one rank used, and to which "
    "bytes were written; at least so many where of some it is not known whether they were",
    needs=f"a job script that sets {PARAMETERS} or leaves it, and a Darshan log",
    scopes=["job"],
)
def shared_files(s: Selection) -> Outcome:
    known = settings(s, PARAMETERS)
    scripts = [c for _, c in s.of(JobContext) if c.source == "script" and c.complete]
    if not known and not scripts:
        return Absent(f"no source says what {PARAMETERS} was", (ENVIRONMENT,))
    if not s.logs:
        return Absent("no source shows which ranks used the files", (DARSHAN,))
    buffered = [pattern for setting in known[:1] for pattern in patterns(setting.value)]
    fitting = [
        (name, written)
        for name, written in (shared for rows in s.logs for shared in _shared(rows))
        if any(fnmatchcase(name, p) or fnmatchcase(base_name(name), p) for p in buffered)
    ]
    written = {name for name, is_written in fitting if is_written}
    unknown = {name for name, _ in fitting} - written
    if unknown and not written:
        return Absent("of files that several processes use and IOBUF buffers, BYTES_WRITTEN is not available")
    partial = buffered and any(map(lacks_records, s.logs))
    bound: Literal["lower"] | None = "lower" if unknown or partial else None
    return Value(len(written), "inferred", tuple(setting.where for setting in known[:1]), bound)


def _shared(rows: LogRows) -> Iterator[tuple[str, bool]]:
    """The files that MPI-IO opened or more than one rank used, each with whether it is known that it was written; but
    for those that are only read: as nothing of them changes, a buffer of each process holds what is there."""
    tables = [table for table in (rows.mpiio, rows.posix, rows.stdio) if table is not None]
    found: set[int] = set() if rows.mpiio is None else set(rows.mpiio.ids.tolist())
    for table in tables:
        if table is not rows.mpiio:
            found |= _of_several_ranks(table)
    written = set[int]().union(*(_written(table) for table in tables))
    unknown = set[int]().union(*(_not_counted(table) for table in tables))
    for record in sorted(found & (written | unknown)):
        name = rows.name_of(record)
        if name is not None and "<STD" not in name:
            yield name, record in written


def _written(table: CounterTable) -> set[int]:
    return set(table.ids[_bytes_written(table) > 0].tolist())


def _not_counted(table: CounterTable) -> set[int]:
    """Records of files of which it is not known whether they were written."""
    return set(table.ids[_bytes_written(table) < 0].tolist())


def _bytes_written(table: CounterTable) -> Int64s:
    return table.as_recorded(f"{prefix_of(table)}_BYTES_WRITTEN")


def _of_several_ranks(table: CounterTable) -> set[int]:
    pairs = np.unique(np.stack((table.ids, table.ranks.astype(np.uint64))), axis=1)[0] if len(table) else table.ids
    ids, ranks = np.unique(pairs, return_counts=True)
    return set(ids[ranks > 1].tolist()) | set(table.ids[table.ranks < 0].tolist())
