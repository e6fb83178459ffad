"""Darshan's histograms of access sizes: the accesses of exactly one mebibyte inside them, and the bytes that
independent calls of MPI-IO can have carried."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.core.prefix import prefix_of
from iotriage.metrics.core.table_cache import cached_per_table
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.evidence.mpiio_stats import Direction

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


DIRECTIONS: tuple[Direction, ...] = ("read", "write")

SizeBins = tuple[str, ...]
"""The names of the ten counters of one histogram; the last bin has no upper bound."""


def _bins(counters: str) -> dict[str, SizeBins]:
    return {way: tuple(f"{counters.format(way.upper())}_{w}" for w in BIN_WORDS) for way in DIRECTIONS}


_BINS = {
    "MPI-IO": _bins("MPIIO_SIZE_{}_AGG"),
    "POSIX": _bins("POSIX_SIZE_{}"),
    "DFS": _bins("DFS_SIZE_{}"),
    "DAOS": _bins("DAOS_SIZE_{}"),
}


def bins_of_module(module: str) -> dict[str, SizeBins]:
    """The names of the size bins of MPI-IO, POSIX, DFS or DAOS, by direction."""
    return _BINS.get(module, _BINS["POSIX"])


@cached_per_table
def bin_counts(table: CounterTable, bins: SizeBins) -> NDArray[np.int64]:
    """Accesses by record and bin, shape (n, 10); what is not available counts as none."""
    first = table.int_names.index(bins[0])
    if table.int_names[first : first + len(bins)] == bins:
        return np.maximum(table.counts(bins[0], len(bins)), 0)
    return np.stack([np.maximum(table.count(name), 0) for name in bins], axis=1)


def bins_of(table: CounterTable, direction: Literal["read", "write"]) -> SizeBins:
    return bins_of_module(table.module)[direction]


@cached_per_table
def accesses_by_size(table: CounterTable, direction: Literal["read", "write"]) -> NDArray[np.int64]:
    """Accesses of all records by bin, shape (10,)."""
    found: NDArray[np.int64] = bin_counts(table, bins_of(table, direction)).sum(axis=0)
    return found


def common_accesses(table: CounterTable) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The four commonest sizes of each record's accesses, and how many accesses have each, both of shape (n, 4)."""
    prefix = prefix_of(table)
    return table.counts(f"{prefix}_ACCESS1_ACCESS", 4), table.counts(f"{prefix}_ACCESS1_COUNT", 4)


@cached_per_table
def exactly_1_mib(table: CounterTable, direction: Literal["read", "write"]) -> int:
    """Accesses of exactly 1 MiB as far as the four commonest sizes of each record tell."""
    return int(exactly_1_mib_each(table, direction).sum())


@cached_per_table
def exactly_1_mib_each(table: CounterTable, direction: Literal["read", "write"]) -> NDArray[np.int64]:
    """Of each record the accesses of exactly 1 MiB, as far as its four commonest sizes tell, shape (n,).

    The commonest sizes do not say which way they went: on a record that was read and written they are shared out
    in proportion to the two histograms' bins.
    """
    sizes, times = common_accesses(table)
    this_size = sizes == MIB
    if not this_size.any():
        return np.zeros(len(table), dtype=np.int64)
    found = np.where(this_size, np.maximum(times, 0), 0).sum(axis=1)
    fifth = UP_TO_1_MIB - 1
    mine = np.maximum(table.count(bins_of(table, direction)[fifth]), 0)
    other = bins_of(table, "read" if direction == "write" else "write")
    both = mine + np.maximum(table.count(other[fifth]), 0)
    share = np.divide(mine, both, out=np.zeros(len(table)), where=both > 0)
    each: NDArray[np.int64] = np.minimum(np.rint(found * share).astype(np.int64), mine)
    return each


@cached_per_table
def small_and_all(table: CounterTable, direction: Literal["read", "write"]) -> tuple[int, int]:
    """Accesses below 1 MiB (those of exactly 1 MiB taken out), and all accesses."""
    counts = accesses_by_size(table, direction)
    return int(counts[:UP_TO_1_MIB].sum()) - exactly_1_mib(table, direction), int(counts.sum())


@cached_per_table
def independent_bytes(table: CounterTable, direction: Direction, *, upper: bool) -> NDArray[np.float64]:
    """Bytes of each record, shape (n,), that independent calls must (or, `upper`, can) have carried."""
    way = direction.upper()
    alone = np.maximum(table.count(f"MPIIO_INDEP_{way}S"), 0)
    if not alone.any():
        return np.zeros(len(table))
    moved = np.maximum(table.count("MPIIO_BYTES_WRITTEN" if way == "WRITE" else "MPIIO_BYTES_READ"), 0).astype(float)
    others = np.zeros(len(table), dtype=np.int64)
    for kind in ("COLL", "SPLIT", "NB"):
        others += np.maximum(table.count(f"MPIIO_{kind}_{way}S"), 0)
    found = np.where(alone == 0, 0.0, moved)
    mixed = (alone != 0) & (others != 0)
    if mixed.any():
        counts = bin_counts(table, bins_of_module("MPI-IO")[direction])[mixed]
        found[mixed] = _of_mixed(moved[mixed], counts, alone[mixed], others[mixed], upper=upper)
    return found


def _of_mixed(
    moved: NDArray[np.float64],
    counts: NDArray[np.int64],
    alone: NDArray[np.int64],
    others: NDArray[np.int64],
    *,
    upper: bool,
) -> NDArray[np.float64]:
    """The same of records with calls of both kinds."""
    if upper:
        return np.maximum(0.0, moved - _smallest(counts, others))
    remaining = moved - _largest(counts, others)
    return np.minimum(moved, np.maximum(np.maximum(_smallest(counts, alone), remaining), 0.0))


def _smallest(counts: NDArray[np.int64], n: NDArray[np.int64]) -> NDArray[np.float64]:
    """The least bytes that the `n` smallest accesses of each histogram can have moved."""
    least: NDArray[np.float64] = (first_accesses(counts, n) * np.array(LOWS, dtype=np.float64)).sum(axis=1)
    return least


def _largest(counts: NDArray[np.int64], n: NDArray[np.int64]) -> NDArray[np.float64]:
    """The most bytes that the `n` largest accesses can have moved; infinite where one falls in the open bin."""
    taken = first_accesses(counts[:, ::-1], n)[:, ::-1]
    limits = np.array([0 if h is None else h for h in HIGHS], dtype=np.float64)
    unbounded = taken[:, [h is None for h in HIGHS]].sum(axis=1) > 0
    return np.where(unbounded, np.inf, (taken * limits).sum(axis=1))


def first_accesses(counts: NDArray[np.int64], n: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many of the first `n` accesses fall in each bin, the bins in their order."""
    before = np.cumsum(counts, axis=1) - counts
    return np.minimum(np.maximum(n[:, None] - before, 0), counts)
