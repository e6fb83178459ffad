"""Scratch files that one rank each writes over and reads again, step by step."""

from __future__ import annotations

import numpy as np

from iotriage.metrics.core.about import About
from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.outcomes import joined
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection, select_rows
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.core.table_cache import cached_per_table
from iotriage.metrics.tables.counters import is_partial, no_table
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.frozen import frozen

NEEDS = "a Darshan log with one record a rank"


@frozen
class Scratch:
    """Bytes of the files that one rank each wrote and read: moved, and up to the last byte of each."""

    written: int
    read: int
    written_span: int
    read_span: int


@cached_per_table
def _of_table(table: CounterTable) -> Scratch:
    if not table.total("POSIX_BYTES_WRITTEN") or not table.total("POSIX_BYTES_READ"):
        return Scratch(0, 0, 0, 0)
    index, records = table.by_id.index, table.by_id.records
    mine = select_rows(table, (records[index] == 1) & (table.ranks >= 0))
    wrote, read = (np.maximum(mine.count(f"POSIX_BYTES_{way}"), 0) for way in ("WRITTEN", "READ"))
    both = (wrote > 0) & (read > 0)
    spans = (
        np.minimum(mine.count(f"POSIX_MAX_BYTE_{way}") + 1, of) for way, of in (("WRITTEN", wrote), ("READ", read))
    )
    to_write, to_read = (int(np.maximum(span, 0)[both].sum()) for span in spans)
    return Scratch(int(wrote[both].sum()), int(read[both].sum()), to_write, to_read)


@cached_per_selection
def scratch(s: Selection) -> Scratch | Absent:
    tables = s.tables("POSIX")
    if not tables:
        return no_table(s, "POSIX")
    if any(is_partial(rows, "POSIX") for rows, _ in tables):
        return Absent("records are missing, so that nobody knows how far reads and writes reached")
    found = [_of_table(table) for _, table in tables]
    every = Scratch(
        sum(f.written for f in found),
        sum(f.read for f in found),
        sum(f.written_span for f in found),
        sum(f.read_span for f in found),
    )
    if not every.written_span or not every.read_span:
        return Absent("no file that one rank used was both written and read")
    return every


@metric(
    "file.times_rewritten",
    "How many times over the files that were read too were written",
    "ratio",
    about=About(time=False, direction="write"),
    formula="POSIX_BYTES_WRITTEN / (POSIX_MAX_BYTE_WRITTEN + 1), over the files that one rank each wrote and read; "
    "less than the truth where only a part of each was written again",
    needs=NEEDS,
)
def times_rewritten(s: Selection) -> Outcome:
    found = scratch(s)
    if isinstance(found, Absent):
        return found
    where = joined(*(rows.where(t, "POSIX_BYTES_WRITTEN", "POSIX_MAX_BYTE_WRITTEN") for rows, t in s.tables("POSIX")))
    return Value(found.written / found.written_span, where=where)


@metric(
    "file.times_read_back",
    "How many times over the files that were written first were read",
    "ratio",
    about=About(time=False, direction="read"),
    formula="POSIX_BYTES_READ / (POSIX_MAX_BYTE_READ + 1), over the same files",
    needs=NEEDS,
)
def times_read_back(s: Selection) -> Outcome:
    found = scratch(s)
    if isinstance(found, Absent):
        return found
    where = joined(*(rows.where(t, "POSIX_BYTES_READ", "POSIX_MAX_BYTE_READ") for rows, t in s.tables("POSIX")))
    return Value(found.read / found.read_span, where=where)
