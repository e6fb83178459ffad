"""How many files there are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from iotriage.metrics.core.about import About
from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.outcomes import plus, quotient
from iotriage.metrics.core.prefix import PREFIX
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import Selection, isin, places_of_files
from iotriage.metrics.tables.counters import is_partial, lacks_records, nothing_read
from iotriage.metrics.tables.files.imported import imported_records
from iotriage.metrics.tables.files.uses import standard_streams
from iotriage.metrics.tables.texts.printed_totals import totals_of


@metric("file.count", "Files", "files", formula="files of the scope, standard streams left out", needs="any source")
def file_count(s: Selection) -> Outcome:
    if s.files:
        return Value(s.files, bound="lower" if any(map(lacks_records, s.logs)) else None)
    if s.files is None or not s.logs:
        return _counted_by_totals(s) or Absent("the files were not counted", (DARSHAN,))
    return nothing_read(s) or Value(0)


@metric(
    "file.per_ost",
    "Files for each OST",
    "ratio",
    about=About(time=False),
    formula="file.count / file.stripes_possible; where nobody says how many OSTs there are, / file.osts",
    needs="a Darshan log with LUSTRE records, or another source that states the OSTs of the file system",
)
def per_ost(s: Selection) -> Outcome:
    return quotient(outcome(s, "file.count"), _osts(s), zero="the file system has no OSTs")


@metric(
    "file.own_at_once",
    "Files that single ranks can have in use at once",
    "files",
    formula="file.ranks_with_own: one of its own files each",
    needs="a Darshan log with one record a rank",
)
def own_at_once(s: Selection) -> Outcome:
    return outcome(s, "file.ranks_with_own")


@metric(
    "file.own_per_ost",
    "Files that single ranks can have in use at once, for each OST",
    "ratio",
    about=About(time=False),
    formula="file.own_at_once / file.stripes_possible; where nobody says how many OSTs there are, / file.osts",
    needs="a Darshan log with LUSTRE records, or another source that states the OSTs of the file system",
)
def own_per_ost(s: Selection) -> Outcome:
    return quotient(outcome(s, "file.own_at_once"), _osts(s), zero="the file system has no OSTs")


def _osts(s: Selection) -> Outcome:
    """The OSTs of the file system, or those on which the files lie: as many files of a stripe each lie on all of these,
    too, however many there are besides."""
    there_are, lie_on = outcome(s, "file.stripes_possible"), outcome(s, "file.osts")
    if isinstance(there_are, Value) or isinstance(lie_on, Absent) or lie_on.bound is not None:
        return there_are
    return replace(lie_on, confidence="inferred")


@metric(
    "file.mean_bytes",
    "Bytes moved for each file",
    "B",
    formula="io.bytes / file.count",
    needs="any source",
)
def mean_bytes(s: Selection) -> Outcome:
    return quotient(outcome(s, "io.bytes"), outcome(s, "file.count"), zero="no files were used")


@metric(
    "file.bytes_per_open",
    "Bytes moved per open of a file",
    "B",
    formula="io.bytes / posix.opens; of files that are used through streams alone, / stdio.opens",
    needs="a Darshan log",
)
def bytes_per_open(s: Selection) -> Outcome:
    by_posix, by_stdio = outcome(s, "posix.opens"), outcome(s, "stdio.opens")
    streams_alone = isinstance(by_posix, Absent) and not isinstance(by_stdio, Absent)
    return quotient(outcome(s, "io.bytes"), by_stdio if streams_alone else by_posix, zero="no file was opened")


@metric(
    "file.metadata_calls_each",
    "Opens and stats of each file",
    "ratio",
    about=About(time=False),
    formula="(posix.opens + posix.stats) / file.count; of files that are used through streams alone, stdio.opens / "
    "file.count",
    needs="a Darshan log",
)
def metadata_calls_each(s: Selection) -> Outcome:
    by_posix, by_stdio = outcome(s, "posix.opens"), outcome(s, "stdio.opens")
    streams_alone = isinstance(by_posix, Absent) and not isinstance(by_stdio, Absent)
    calls = by_stdio if streams_alone else plus(by_posix, outcome(s, "posix.stats"))
    return quotient(calls, outcome(s, "file.count"), zero="no files were used")


@metric(
    "file.not_written_fraction",
    "Share of the files to which nothing was written",
    "share",
    about=About(time=False, direction="write"),
    formula="files without BYTES_WRITTEN in any layer / all files of the records; standard streams, and modules and "
    "libraries that a program imports, left out",
    needs="a Darshan log with records by file",
)
def not_written_fraction(s: Selection) -> Outcome:
    files = written = 0
    whole = False
    for rows in s.logs:
        tables = [t for t in (rows.posix, rows.mpiio, rows.stdio) if t is not None and len(t)]
        if not tables or any(is_partial(rows, t.module) for t in tables):
            continue
        whole = True
        ids, places = places_of_files(tables)
        left_out = [*standard_streams(rows), *imported_records(s)]
        no_stream = ~isin(ids, np.array(left_out, dtype=np.uint64))
        wrote = np.zeros(len(ids), dtype=np.bool_)
        for table, place in zip(tables, places, strict=True):
            wrote[place[table.count(f"{PREFIX[table.module]}_BYTES_WRITTEN") > 0]] = True
        files += int(no_stream.sum())
        written += int((wrote & no_stream).sum())
    if not whole:
        return Absent("no log tells whole records of files", (DARSHAN,))
    if not files:
        return Absent("no file was used but standard streams, modules and libraries")
    return Value(1 - written / files, "inferred")


def _counted_by_totals(s: Selection) -> Outcome | None:
    """Files of POSIX and of STDIO; MPI-IO's are among POSIX's. Darshan 2.x counts all together."""
    counts = [n for run in totals_of(s) for m in (None, "POSIX", "STDIO") if (n := run.files(m)) is not None]
    return Value(sum(counts), "inferred") if counts else None
