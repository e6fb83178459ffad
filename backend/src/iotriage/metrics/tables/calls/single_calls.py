"""Small calls that ranks make on their own, and whether one rank makes them all."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.core.prefix import access_counters
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
"""Share of a file's small independent calls from which one rank is taken to make all of them."""

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


def other_calls(table: CounterTable, alone: int) -> int:
    """Reads and writes of MPI-IO beside these, a collective one once for each rank that takes part."""
    return max(0, sum_counters(table, *(name for way in DIRECTIONS for name in access_counters("MPI-IO", way))) - alone)


def alone_in_reduced(table: CounterTable, accesses: int, ranks: int) -> bool:
    """Whether the slowest rank moved as much more than the mean as its small calls can have moved, and no other
    rank lies as far from the mean: then data and metadata of the others are alike."""
    surplus = _surplus(table, "MPIIO", ranks)
    # Of the bins of both directions: those of data sets are among them, so that the least is in proportion.
    small = [sum_counters(table, *(bins("MPIIO", way)[at] for way in DIRECTIONS)) for at in range(len(LEAST))]
    counts = sum(small)
    least = sum(n * size for n, size in zip(small, LEAST, strict=True)) * accesses / counts if counts else 0.0
    if not MOST * least <= surplus <= accesses * LARGEST or _of_larger_calls(table, accesses, ranks) >= MOST * surplus:
        return False
    return _no_other_is_as_far(table, "MPIIO", ranks, surplus)


def _of_larger_calls(table: CounterTable, accesses: int, ranks: int) -> float:
    """Bytes that the other calls can make of what one rank moves beyond the mean: of those that are left when each rank
    has as many."""
    others = other_calls(table, accesses)
    return float(rank_bytes(table)[0]) / others * (others % ranks) if others else 0.0


UP_TO_100_KIB, HUNDRED_KIB = 4, 100 * 1024
"""The bins of accesses that are small beside the data of all ranks, and their largest."""

KEPT = 4
"""Number of the most frequent sizes for which Darshan counts accesses separately."""

NEAR = 1.25
"""Up to which the bytes that a rank has beyond the mean are those of the small accesses."""


def small_of_slowest(table: CounterTable, ranks: int) -> int | None:
    """Accesses of up to 100 KiB of a reduced record of POSIX, where the slowest rank makes them all: by their commonest
    sizes they have the bytes that it moves beyond the mean, and no other rank lies as far from it."""
    words = BIN_WORDS[:UP_TO_100_KIB]
    accesses = sum_counters(table, *(f"POSIX_SIZE_{way.upper()}_{word}" for way in DIRECTIONS for word in words))
    common = [
        (_only_count(table, f"POSIX_ACCESS{i}_ACCESS"), _only_count(table, f"POSIX_ACCESS{i}_COUNT"))
        for i in range(1, KEPT + 1)
    ]
    known = [(size, count) for size, count in common if 0 < size <= HUNDRED_KIB and count > 0]
    counted, surplus = sum(count for _, count in known), _surplus(table, "POSIX", ranks)
    if not counted or counted < MOST * accesses:
        return None
    beyond = accesses * sum(size * count for size, count in known) / counted * (1 - 1 / ranks)
    if not beyond <= NEAR * surplus or not surplus <= NEAR * beyond:
        return None
    return int(accesses) if _no_other_is_as_far(table, "POSIX", ranks, surplus) else None


def _only_count(table: CounterTable, name: str) -> int:
    return int(table.count(name)[0])


def _surplus(table: CounterTable, prefix: str, ranks: int) -> float:
    """Bytes that the slowest rank of a reduced record moves beyond the mean."""
    return float(table.count(f"{prefix}_SLOWEST_RANK_BYTES")[0]) - float(rank_bytes(table)[0]) / ranks


def _no_other_is_as_far(table: CounterTable, prefix: str, ranks: int, surplus: float) -> bool:
    variance = float(table.seconds(f"{prefix}_F_VARIANCE_RANK_BYTES")[0])
    return bool(np.isfinite(variance)) and surplus > 0 and surplus * surplus >= MOST * ranks * variance
