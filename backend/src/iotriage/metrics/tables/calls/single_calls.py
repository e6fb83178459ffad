"""Small calls of MPI-IO that ranks make on their own, and whether one rank makes them all."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.tables.calls.size_bins import BIN_WORDS, DIRECTIONS
from iotriage.metrics.tables.counters import sum_counters
from iotriage.metrics.tables.rank_times import rank_bytes
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.evidence.mpiio_stats import Direction

UP_TO_1_KIB = 2
"""The first two bins hold accesses of at most 1,024 bytes: the highest bound below the 4 KiB of a page."""


def bins(prefix: str, direction: Direction) -> tuple[str, ...]:
    return tuple(f"{prefix}_SIZE_{direction.upper()}_AGG_{word}" for word in BIN_WORDS[:UP_TO_1_KIB])


MOST = 0.5
"""From this share of a file's small independent calls one rank makes them, and the others hardly any."""

LEAST, LARGEST = (1, 101), 1024
"""Bytes of an access of each bin at least, and of any at most."""


def small_independent(table: CounterTable, direction: Direction) -> NDArray[np.int64]:
    """Independent MPI-IO calls of each record, at most as many as its accesses of up to 1 KiB."""
    alone = np.maximum(table.count(f"MPIIO_INDEP_{direction.upper()}S"), 0)
    found: NDArray[np.int64] = np.minimum(alone, small(table, "MPIIO", direction))
    return found


def small(table: CounterTable, prefix: str, direction: Direction) -> NDArray[np.int64]:
    """Accesses of up to 1 KiB of each record."""
    found = np.zeros(len(table), np.int64)
    for name in bins(prefix, direction):
        found += np.maximum(table.count(name), 0)
    return found


def alone_in_reduced(table: CounterTable, accesses: int, ranks: int) -> bool:
    """Whether the slowest rank moved as much more than the mean as its small calls can have moved, and no other
    rank lies as far from the mean: then data and metadata of the others are alike."""
    moved, theirs = float(rank_bytes(table)[0]), float(table.count("MPIIO_SLOWEST_RANK_BYTES")[0])
    variance = float(table.seconds("MPIIO_F_VARIANCE_RANK_BYTES")[0])
    surplus = theirs - moved / ranks
    # Of the bins of both directions: those of data sets are among them, so that the least is in proportion.
    small = [sum_counters(table, *(bins("MPIIO", way)[at] for way in DIRECTIONS)) for at in range(len(LEAST))]
    counts = sum(small)
    least = sum(n * size for n, size in zip(small, LEAST, strict=True)) * accesses / counts if counts else 0.0
    if not np.isfinite(variance) or not MOST * least <= surplus <= accesses * LARGEST or surplus <= 0:
        return False
    return surplus * surplus >= MOST * ranks * variance
