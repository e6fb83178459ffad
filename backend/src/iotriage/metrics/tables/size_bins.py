"""Darshan's histograms of access sizes, and the accesses of exactly one mebibyte inside them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from iotriage_parsers.evidence import CounterTable

MIB = 2**20

BIN_WORDS = (
    "0_100",
    "100_1K",
    "1K_10K",
    "10K_100K",
    "100K_1M",
    "1M_4M",
    "4M_10M",
    "10M_100M",
    "100M_1G",
    "1G_PLUS",
)
LOWS = (0, 101, 1025, 10 * 1024 + 1, 100 * 1024 + 1, MIB + 1, 4 * MIB + 1, 10 * MIB + 1, 100 * MIB + 1, 1024 * MIB + 1)
HIGHS = (100, 1024, 10 * 1024, 100 * 1024, MIB, 4 * MIB, 10 * MIB, 100 * MIB, 1024 * MIB, None)
UP_TO_1_MIB = 5
"""The first five bins hold accesses of at most 1,048,576 bytes; the fifth includes exactly that many."""


@dataclass(frozen=True, slots=True)
class SizeBins:
    """The ten counters of one histogram with their bounds in bytes, both included; the last has no upper bound."""

    names: tuple[str, ...]
    lows: tuple[int, ...] = LOWS
    highs: tuple[int | None, ...] = HIGHS


POSIX_BINS = {
    "read": SizeBins(tuple(f"POSIX_SIZE_READ_{w}" for w in BIN_WORDS)),
    "write": SizeBins(tuple(f"POSIX_SIZE_WRITE_{w}" for w in BIN_WORDS)),
}
MPIIO_BINS = {
    "read": SizeBins(tuple(f"MPIIO_SIZE_READ_AGG_{w}" for w in BIN_WORDS)),
    "write": SizeBins(tuple(f"MPIIO_SIZE_WRITE_AGG_{w}" for w in BIN_WORDS)),
}


def bin_counts(table: CounterTable, bins: SizeBins) -> NDArray[np.int64]:
    """Accesses by record and bin, shape (n, 10); what is not available counts as none."""
    return np.stack([np.maximum(table.count(name), 0) for name in bins.names], axis=1)


def exactly_1_mib(table: CounterTable, direction: Literal["read", "write"]) -> int:
    """Accesses of exactly 1 MiB as far as the four commonest sizes of each record tell.

    The commonest sizes do not say which way they went: on a record that was read and written they are shared out
    in proportion to the two histograms' bins.
    """
    prefix, bins = ("MPIIO", MPIIO_BINS) if table.module == "MPI-IO" else ("POSIX", POSIX_BINS)
    found = np.zeros(len(table), dtype=np.int64)
    for i in (1, 2, 3, 4):
        size, count = table.count(f"{prefix}_ACCESS{i}_ACCESS"), table.count(f"{prefix}_ACCESS{i}_COUNT")
        found += np.where(size == MIB, np.maximum(count, 0), 0)
    fifth = BIN_WORDS.index("100K_1M")
    mine = bin_counts(table, bins[direction])[:, fifth]
    other = bin_counts(table, bins["read" if direction == "write" else "write"])[:, fifth]
    both = mine + other
    share = np.divide(mine, both, out=np.zeros(len(table)), where=both > 0)
    return int(np.minimum(np.rint(found * share).astype(np.int64), mine).sum())


def small_and_all(table: CounterTable, direction: Literal["read", "write"]) -> tuple[int, int]:
    """Accesses below 1 MiB (those of exactly 1 MiB taken out), and all accesses."""
    bins = MPIIO_BINS if table.module == "MPI-IO" else POSIX_BINS
    counts = bin_counts(table, bins[direction])
    return int(counts[:, :UP_TO_1_MIB].sum()) - exactly_1_mib(table, direction), int(counts.sum())
