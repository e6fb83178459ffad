"""How far apart the written bytes of a file lie: the span from its beginning to the last of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.core.about import About
from iotriage.metrics.core.by_file import sums_by_file
from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.outcomes import joined, quotient
from iotriage.metrics.core.prefix import prefix_of
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import LogRows, Selection, places_of_files
from iotriage.metrics.core.table_cache import cached_per_table
from iotriage.metrics.tables.counters import is_partial, no_table
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.evidence.darshan import exact_sum


@metric(
    "file.written_span",
    "Span of the bytes written",
    "B",
    about=About(direction="write"),
    formula="of each file, the largest POSIX_MAX_BYTE_WRITTEN of its records + 1, added up over the files with writes",
    needs="a Darshan log with POSIX records by file",
)
def written_span(s: Selection) -> Outcome:
    tables = s.tables("POSIX")
    if not tables:
        return no_table(s, "POSIX")
    if any(is_partial(rows, "POSIX") for rows, _ in tables):
        return Absent("records are missing, so that nobody knows how far the writes reached")
    span = sum(_span(table) for _, table in tables)
    if not span:
        return Absent("no POSIX writes")
    return Value(span, where=joined(*(rows.where(t, "POSIX_MAX_BYTE_WRITTEN") for rows, t in tables)))


@cached_per_table
def _span(table: CounterTable) -> int:
    ends = np.zeros(len(table.by_id.ids), dtype=np.int64)
    wrote = table.count("POSIX_WRITES") > 0
    last = np.where(wrote, table.count("POSIX_MAX_BYTE_WRITTEN") + 1, 0)
    np.maximum.at(ends, table.by_id.index, last)
    return sum(ends.tolist())


@metric(
    "file.written_span_over_bytes",
    "Span of the bytes written over their number",
    "ratio",
    about=About(time=False, direction="write"),
    formula="file.written_span / the bytes of io.bytes_written that went to the same files: above 1 the file has "
    "holes, below 1 bytes were written again",
    needs="a Darshan log with POSIX records by file",
)
def written_span_over_bytes(s: Selection) -> Outcome:
    span, written = outcome(s, "file.written_span"), outcome(s, "io.bytes_written")
    if isinstance(span, Absent) or isinstance(written, Absent):
        return span if isinstance(span, Absent) else written
    to_them = replace(written, value=sum(map(_written_to_them, s.logs)))
    return quotient(span, to_them, zero="no bytes were written")


def _written_to_them(rows: LogRows) -> int:
    """Bytes written to the files whose span is known: that of streams, and of objects in DAOS, is not."""
    if rows.posix is None:
        return 0
    tables = [t for t in rows.highest if t.module in ("POSIX", "MPI-IO")]
    ids, (of_posix, *places) = places_of_files((rows.posix, *tables))
    spanned = np.zeros(len(ids), dtype=np.bool_)
    spanned[of_posix[rows.posix.count("POSIX_WRITES") > 0]] = True
    at_top = zip(tables, places, strict=True)
    return sum(exact_sum(np.maximum(_bytes_written(table)[spanned[place]], 0)) for table, place in at_top)


def _bytes_written(table: CounterTable) -> NDArray[np.int64]:
    return table.count(f"{prefix_of(table)}_BYTES_WRITTEN")


@metric(
    "file.read_first",
    "Whether files were read before they were written",
    "word",
    about=About(direction="both"),
    formula="yes where the first read of a file, at the highest layer that has it, begins before its first write "
    "(F_READ_START_TIMESTAMP, F_WRITE_START_TIMESTAMP), and such files hold most of the bytes written; else no",
    needs="a Darshan log with records by file",
)
def read_first(s: Selection) -> Outcome:
    written = first = 0.0
    for rows in s.logs:
        for table in rows.highest:
            if is_partial(rows, table.module):
                continue
            of_all, of_read_first = _written(table)
            written += of_all
            first += of_read_first
    if not written:
        return Absent("no log tells whole records of written files", (DARSHAN,))
    return Value("yes" if first > written / 2 else "no", "inferred")


@cached_per_table
def _written(table: CounterTable) -> tuple[float, float]:
    """Bytes written to all files, and to those that were read before."""
    of_files = sums_by_file(table, f"{prefix_of(table)}_BYTES_WRITTEN").astype(np.float64)
    read, wrote = (_begins(table, way) for way in ("READ", "WRITE"))
    return float(of_files.sum()), float(of_files[np.isfinite(read) & (read < wrote)].sum())


def _begins(table: CounterTable, way: str) -> NDArray[np.float64]:
    """When each file was first read or written, in seconds of the run; infinite where it was not, or nobody says."""
    column = table.seconds(f"{prefix_of(table)}_F_{way}_START_TIMESTAMP")
    found = np.full(len(table.by_id.ids), np.inf)
    np.minimum.at(found, table.by_id.index, np.where(np.isfinite(column) & (column > 0), column, np.inf))
    return found
