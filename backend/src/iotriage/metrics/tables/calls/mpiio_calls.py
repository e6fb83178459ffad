"""How many calls of each kind MPI-IO made, by record."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.core.prefix import access_counters
from iotriage.metrics.tables.calls.size_bins import HIGHS, accesses_by_size, small_and_all
from iotriage.metrics.tables.counters import sum_counters
from iotriage.metrics.tables.rank_times import bytes_in
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.evidence.mpiio_stats import Direction

Kind = Literal["INDEP", "COLL", "SPLIT", "NB"]

NOT_INDEPENDENT: tuple[Kind, ...] = ("COLL", "SPLIT", "NB")
"""Collective calls, in which ranks wait for one another, and nonblocking calls, whose timers end when they are
posted."""


def mpiio_calls(mpiio: CounterTable, *kinds: Kind) -> NDArray[np.int64]:
    """Reads and writes of these kinds together, of shape (records,)."""
    names = [f"MPIIO_{kind}_{way}S" for kind in kinds for way in ("READ", "WRITE")]
    found: NDArray[np.int64] = sum((np.maximum(mpiio.count(n), 0) for n in names), start=np.zeros(len(mpiio), np.int64))
    return found


def calls_made(mpiio: CounterTable, direction: Direction) -> int:
    """Reads, or writes, of whatever kind; of a trace, which does not tell the kinds, as many as its histogram has."""
    return sum_counters(mpiio, *access_counters("MPI-IO", direction)) or small_and_all(mpiio, direction)[1]


def calls_with_bytes(mpiio: CounterTable, direction: Direction) -> int:
    """Calls that are sure to carry bytes. In a collective call each rank takes part, whether it has anything to give or
    not: what stands among the smallest may be empty, and what all of these carry is that of so many at least."""
    made, smallest = calls_made(mpiio, direction), int(accesses_by_size(mpiio, direction)[0])
    if made > smallest:
        return made - smallest
    moved = int(bytes_in(mpiio, direction).sum())
    return min(made, -(-moved // HIGHS[0]))
