"""Bytes that were read more than once: over ranks, over time, or because a stream was moved back.

Darshan records the offset of the last byte read. A file that was read once, whole or in part, gives no more bytes than
reach up to there. A file that the run also writes may have new content each time: what was written may be read once.
"""

from __future__ import annotations

import numpy as np

from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.of_table import of_table
from iotriage.metrics.core.outcomes import joined
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.counters import is_partial, no_table
from iotriage.metrics.tables.files.by_file import sums_by_file
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.evidence.darshan import exact_sum
from iotriage_parsers.frozen import frozen


@frozen
class ReadOnce:
    """Bytes of the files that were read: all of them, those that one reading of each file would be (up to the last byte
    read, or as many as were written), and those beyond that."""

    bytes: int
    reached: int
    again: int


@of_table
def read_of(table: CounterTable, prefix: str) -> ReadOnce:
    read, written = sums_by_file(table, f"{prefix}_BYTES_READ"), sums_by_file(table, f"{prefix}_BYTES_WRITTEN")
    reached = np.zeros(len(read), np.int64)
    np.maximum.at(reached, table.by_id.index, table.count(f"{prefix}_MAX_BYTE_READ") + 1)
    once = np.maximum(reached, written)
    judged = (read > 0) & (reached > 0) & ((written == 0) | (read > once))
    again = np.maximum(read - once, 0)[judged]
    return ReadOnce(exact_sum(read[judged]), exact_sum(once[judged]), exact_sum(again))


def by_reach(value: float, s: Selection, module: str) -> Value:
    """`value`, from the bytes read and how far the reads reached in a module's records."""
    tables = s.tables(module)
    where = joined(*(rows.where(t, f"{module}_BYTES_READ", f"{module}_MAX_BYTE_READ") for rows, t in tables))
    partial = any(is_partial(rows, module) for rows, _ in tables)
    return Value(value, "inferred" if partial else "measured", where)


def times_read(s: Selection, module: str) -> Outcome:
    tables = s.tables(module)
    if not tables:
        return no_table(s, module)
    found = [read_of(t, module) for _, t in tables]
    read, reached = sum(f.bytes for f in found), sum(f.reached for f in found)
    if not reached:
        return Absent("no file was read but what the run wrote, and no more of it than was written")
    return by_reach(read / reached, s, module)
