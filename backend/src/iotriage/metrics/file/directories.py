"""Where the files lie: how many in one directory, and how much below home."""

from __future__ import annotations

from collections import Counter

import numpy as np

from iotriage.metrics.core.derived import per_job
from iotriage.metrics.core.metric import Absent, Outcome, Value, Where
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.prefix import PREFIX
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import LogRows, Selection
from iotriage.metrics.io.volume import bytes_moved
from iotriage.metrics.job.parallel_file_systems import HOME
from iotriage.metrics.tables.counters import is_partial, joined, quotient

NOT_WORK = {"archer2": ("/epsrc/", "/general/", "/rdfaas/")}
"""By site: file systems that are mounted and not meant for the I/O of jobs, besides home."""


def _opens(module: str) -> tuple[str, ...]:
    """The counters of opened files, by the module's own names."""
    if module == "MPI-IO":
        return ("MPIIO_INDEP_OPENS", "MPIIO_COLL_OPENS")
    return ("DAOS_OBJ_OPENS",) if module == "DAOS" else (f"{PREFIX[module]}_OPENS",)


@metric(
    "file.per_directory",
    "Files in the fullest directory",
    "files",
    formula="most files of the job whose names share all before the last slash",
    needs="a Darshan log with file names",
    scopes=["job"],
)
def per_directory(s: Selection) -> Outcome:
    fullest = fullest_directory(s)
    if fullest is None:
        return Absent("no source names files with their directories", () if s.logs else (DARSHAN,))
    lost = any(is_partial(rows, t.module) for rows in s.logs for t in rows.highest)
    where = joined(*(rows.where(t, *_opens(t.module)) for rows in s.logs for t in rows.highest if len(t)))
    return Value(fullest[1], where=where, bound="lower" if lost else None)


@metric(
    "file.fullest_directory",
    "The fullest directory",
    "word",
    formula="what stands before the last slash in the most files' names",
    needs="a Darshan log with file names",
    scopes=["job"],
)
def fullest_name(s: Selection) -> Outcome:
    fullest = fullest_directory(s)
    if fullest is None:
        return Absent("no source names files with their directories", () if s.logs else (DARSHAN,))
    return Value(fullest[0])


@per_job
def fullest_directory(s: Selection) -> tuple[str, int] | None:
    """The directory with the most files, and their number; None where no file's directory is known."""
    counted = Counter(path.rpartition("/")[0] or "/" for path in _paths(s))
    return max(counted.items(), key=lambda found: (found[1], found[0])) if counted else None


def _paths(s: Selection) -> set[str]:
    return {
        name
        for rows in s.logs
        for table in rows.highest
        for record in np.unique(table.ids).tolist()
        if (name := rows.name_of(record)) is not None and name.startswith("/")
    }


@metric(
    "file.home_bytes",
    "Bytes moved on home",
    "B",
    formula="bytes read and written, each counted once, in files whose path begins with a directory for homes (/home, "
    "/users, …), or with one that the site keeps for other ends",
    needs="a Darshan log with file names",
    scopes=["job"],
)
def home_bytes(s: Selection) -> Outcome:
    if not s.logs:
        return Absent("no source says where the bytes went", (DARSHAN,))
    return Value(sum(_on_home(rows, s.site) for rows in s.logs), where=joined(*(_where(rows) for rows in s.logs)))


@metric(
    "file.home_fraction",
    "Share of the bytes moved on home",
    "share",
    formula="file.home_bytes / io.bytes",
    needs="a Darshan log with file names",
    scopes=["job"],
)
def home_fraction(s: Selection) -> Outcome:
    return quotient(home_bytes(s), bytes_moved(s), zero="no bytes were moved")


def _on_home(rows: LogRows, site: str | None) -> int:
    others = NOT_WORK.get(site or "", ())
    found = 0
    for table in rows.highest:
        prefix = PREFIX[table.module]
        every = np.unique(table.ids)
        homes = [
            record
            for record in every.tolist()
            if (name := rows.name_of(record)) is not None and (HOME.match(name) or name.startswith(others))
        ]
        if homes:
            mine = table.rows(np.isin(table.ids, np.array(homes, np.uint64)))
            found += sum(mine.total(f"{prefix}_BYTES_{way}") or 0 for way in ("READ", "WRITTEN"))
    return found


def _where(rows: LogRows) -> tuple[Where, ...]:
    return joined(*(rows.where(t, f"{PREFIX[t.module]}_BYTES_WRITTEN") for t in rows.highest if len(t)))
