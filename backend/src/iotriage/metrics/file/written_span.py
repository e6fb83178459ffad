"""How far apart the written bytes of a file lie: the span from its beginning to the last of them."""

from __future__ import annotations

import numpy as np

from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.outcomes import joined, quotient
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.counters import is_partial, no_table


@metric(
    "file.written_span",
    "Span of the bytes written",
    "B",
    formula="of each file, the largest POSIX_MAX_BYTE_WRITTEN of its records + 1, added up over the files with writes",
    needs="a Darshan log with POSIX records by file",
)
def written_span(s: Selection) -> Outcome:
    tables = s.tables("POSIX")
    if not tables:
        return no_table(s, "POSIX")
    if any(is_partial(rows, "POSIX") for rows, _ in tables):
        return Absent("records are missing, so that nobody knows how far the writes reached")
    span = 0
    for _, table in tables:
        ends = np.zeros(len(table.by_id.ids), dtype=np.int64)
        wrote = table.count("POSIX_WRITES") > 0
        last = np.where(wrote, table.count("POSIX_MAX_BYTE_WRITTEN") + 1, 0)
        np.maximum.at(ends, table.by_id.index, last)
        span += sum(ends.tolist())
    if not span:
        return Absent("no POSIX writes")
    return Value(span, where=joined(*(rows.where(t, "POSIX_MAX_BYTE_WRITTEN") for rows, t in tables)))


@metric(
    "file.written_span_over_bytes",
    "Span of the bytes written over these bytes",
    "ratio",
    formula="file.written_span / io.bytes_written: above 1 the file has holes, below 1 bytes were written again",
    needs="a Darshan log with POSIX records by file",
)
def span_over_bytes(s: Selection) -> Outcome:
    return quotient(outcome(s, "file.written_span"), outcome(s, "io.bytes_written"), zero="no bytes were written")
