"""Which records are of files that are used alike, judged by what was done with them and not by how long it took."""

from __future__ import annotations

import numpy as np

from iotriage.metrics.core.prefix import KINDS, access_counters, prefix_of
from iotriage.metrics.tables.outliers import median
from iotriage.metrics.tables.timestamps import first_at, last_at
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.evidence.darshan import Bools, Float64s

ALIKE = 1.25
"""Factor by which bytes and calls may differ from the median among files that are alike."""
PART_OF_CALLS = 0.05
"""Share of a file's calls by which a count may differ from the median as well: a few extra calls of a library do not
make another pattern."""

PATTERN = ("OPENS", "SEEKS", "STATS", "FSYNCS", "FDSYNCS", "SYNCS", "FLUSHES", "VIEWS", "RW_SWITCHES")
"""Counters that describe how a file is used, beside bytes and calls by size."""
IN_ORDER = ("CONSEC_READS", "CONSEC_WRITES", "SEQ_READS", "SEQ_WRITES", "FILE_NOT_ALIGNED")


def near_median(values: Float64s) -> Bools:
    """Which values, of at least one, are positive and near the median."""
    middle = median(values)
    near: Bools = (values > 0) & (values <= ALIKE * middle) & (values * ALIKE >= middle)
    return near


def calls_of(table: CounterTable) -> Float64s:
    """Reads and writes of each record, of whatever kind."""
    found = np.zeros(len(table))
    for counter in access_counters(table.module, "read", "write"):
        if counter in table.int_names:
            found += np.maximum(table.count(counter), 0)
    return found


def pattern_counters(table: CounterTable) -> tuple[str, ...]:
    """The counters by which two files of the table are used in one way."""
    prefix = prefix_of(table)
    kinds = [f"{kind}{way}" for kind in KINDS["MPI-IO"] for way in ("OPENS", "READS", "WRITES")]
    named = {f"{prefix}_{name}" for name in (*PATTERN, *IN_ORDER, *kinds)}
    sizes = (f"{prefix}_SIZE_READ_", f"{prefix}_SIZE_WRITE_")
    return tuple(name for name in table.int_names if name in named or name.startswith(sizes))


def same_count(counts: Float64s, of: Float64s) -> Bools:
    """Which of at least one are near the middle one, or differ from it by a small part `of` another amount."""
    middle = median(counts)
    near: Bools = np.abs(counts - middle) <= (ALIKE - 1) * middle + PART_OF_CALLS * of
    return near


def first_moved(table: CounterTable) -> Float64s:
    """Seconds from the start to the first byte of each record, infinite where the log does not say."""
    return first_at(table, "READ_START", "WRITE_START")


def last_moved(table: CounterTable) -> Float64s:
    """Seconds from the start to the last byte of each record, 0 where the log does not say."""
    return last_at(table, "READ_END", "WRITE_END")
