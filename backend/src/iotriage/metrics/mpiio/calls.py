"""Independent against collective: how the program calls MPI-IO.

Darshan counts the calls of every rank; so does MPICH_MPIIO_STATS. Darshan's figures cover all files and are taken
where its MPI-IO module is whole; else those of the STATS blocks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN, STATS
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.counters import counted, joined, no_table, plus, quotient, total
from iotriage.metrics.tables.printed_totals import totals_of
from iotriage.metrics.tables.size_bins import MPIIO_BINS, bin_counts
from iotriage.metrics.tables.stats_fields import stats_total
from iotriage_parsers.evidence import CounterTable

Direction = Literal["read", "write"]
DIRECTIONS: tuple[Direction, ...] = ("read", "write")


@dataclass(frozen=True, slots=True)
class Calls:
    """Darshan's counters and the STATS field of one kind of call in one direction."""

    counters: tuple[str, ...]
    label: str
    collective: bool


KINDS = {
    ("write", "independent"): Calls(("MPIIO_INDEP_WRITES",), "independent accesses", False),
    ("read", "independent"): Calls(("MPIIO_INDEP_READS",), "independent accesses", False),
    ("write", "collective"): Calls(("MPIIO_COLL_WRITES", "MPIIO_SPLIT_WRITES"), "collective accesses", True),
    ("read", "collective"): Calls(("MPIIO_COLL_READS", "MPIIO_SPLIT_READS"), "collective accesses", True),
}


def calls(s: Selection, direction: Direction, kind: Literal["independent", "collective"]) -> Outcome:
    """Calls summed over ranks, from Darshan where its MPI-IO module is whole, else from STATS, else the lower bound."""
    named = KINDS[direction, kind]
    of_darshan = total(s, "MPI-IO", *named.counters)
    if isinstance(of_darshan, Value) and of_darshan.bound is None:
        return of_darshan
    blocks = s.writes if direction == "write" else s.reads
    of_stats = stats_total(
        blocks,
        named.label,
        lambda b: b.collective_accesses if named.collective else b.independent_accesses,
        direction,
    )
    if isinstance(of_stats, Value):
        return of_stats
    if isinstance(of_darshan, Absent) and not s.logs and not totals_of(s):
        return Absent("no source counts the MPI-IO calls", (DARSHAN, STATS))
    return of_darshan


def _declare(direction: Direction) -> None:
    counter = f"{direction.upper()}S"

    @metric(
        f"mpiio.independent_{direction}s",
        f"Independent MPI-IO {direction}s",
        "calls",
        formula=f"MPIIO_INDEP_{counter} summed over ranks; without it, `independent {direction}s` of the STATS blocks",
        needs="a Darshan log with MPI-IO records, or MPICH_MPIIO_STATS",
    )
    def independent(s: Selection) -> Outcome:
        return calls(s, direction, "independent")

    @metric(
        f"mpiio.collective_{direction}s",
        f"Collective MPI-IO {direction}s",
        "calls",
        formula=f"MPIIO_COLL_{counter} + MPIIO_SPLIT_{counter} summed over ranks; "
        f"without them, `collective {direction}s` of the STATS blocks",
        needs="a Darshan log with MPI-IO records, or MPICH_MPIIO_STATS",
    )
    def collective(s: Selection) -> Outcome:
        return calls(s, direction, "collective")

    @metric(
        f"mpiio.nonblocking_{direction}s",
        f"Nonblocking MPI-IO {direction}s",
        "calls",
        formula=f"MPIIO_NB_{counter} summed over ranks; independent or collective is not recorded",
        needs="a Darshan log with MPI-IO records",
    )
    def nonblocking(s: Selection) -> Outcome:
        return total(s, "MPI-IO", f"MPIIO_NB_{counter}")

    @metric(
        f"mpiio.independent_{direction}_fraction",
        f"Independent share of MPI-IO {direction}s",
        "share",
        formula=f"mpiio.independent_{direction}s / (independent + collective), nonblocking calls left out",
        needs="a Darshan log with MPI-IO records, or MPICH_MPIIO_STATS",
    )
    def fraction(s: Selection) -> Outcome:
        alone = calls(s, direction, "independent")
        together = calls(s, direction, "collective")
        if isinstance(together, Absent):
            return together
        return quotient(alone, plus(alone, together), zero=f"no blocking MPI-IO {direction}s were made")

    @metric(
        f"mpiio.independent_to_collective_{direction}s",
        f"Independent {direction}s per collective {direction}",
        "ratio",
        formula=f"mpiio.independent_{direction}s / mpiio.collective_{direction}s",
        needs="a Darshan log with MPI-IO records, or MPICH_MPIIO_STATS",
    )
    def ratio(s: Selection) -> Outcome:
        return quotient(
            calls(s, direction, "independent"),
            calls(s, direction, "collective"),
            zero=f"no collective {direction}s were made: the ratio has no denominator",
        )

    @metric(
        f"mpiio.average_{direction}_size",
        f"Average MPI-IO {direction}",
        "B",
        formula=f"MPIIO_BYTES over all MPI-IO {direction} calls (independent, collective, split, nonblocking); "
        f"without Darshan, total bytes over independent + collective {direction}s of the STATS blocks",
        needs="a Darshan log with MPI-IO records, or MPICH_MPIIO_STATS",
    )
    def average(s: Selection) -> Outcome:
        if not s.tables("MPI-IO") and not totals_of(s) and (s.writes if direction == "write" else s.reads):
            both = plus(calls(s, direction, "independent"), calls(s, direction, "collective"))
            return quotient(_stats_bytes(s, direction), both, zero=f"no MPI-IO {direction}s were made")
        moved = total(s, "MPI-IO", "MPIIO_BYTES_WRITTEN" if direction == "write" else "MPIIO_BYTES_READ")
        made = total(s, "MPI-IO", *(f"MPIIO_{kind}_{counter}" for kind in ("INDEP", "COLL", "SPLIT", "NB")))
        return quotient(moved, made, zero=f"no MPI-IO {direction}s were made")


_declare("write")
_declare("read")


@metric(
    "mpiio.collective_fraction",
    "Collective share of all MPI-IO calls",
    "share",
    formula="collective reads and writes / all blocking reads and writes",
    needs="a Darshan log with MPI-IO records, or MPICH_MPIIO_STATS",
)
def collective_fraction(s: Selection) -> Outcome:
    together = plus(calls(s, "write", "collective"), calls(s, "read", "collective"))
    alone = plus(calls(s, "write", "independent"), calls(s, "read", "independent"))
    return quotient(together, plus(together, alone), zero="no blocking MPI-IO calls were made")


@metric(
    "mpiio.independent_bytes_lower_fraction",
    "Share of the bytes that independent calls must have carried",
    "share",
    formula="a lower bound: the collective calls of each record are given its largest accesses, "
    "sized by the bins of MPIIO_SIZE_*_AGG_*",
    needs="a Darshan log with MPI-IO records (Darshan counts calls by class, never bytes)",
)
def independent_bytes_lower_fraction(s: Selection) -> Outcome:
    return _independent_bytes(s, upper=False)


@metric(
    "mpiio.independent_bytes_upper_fraction",
    "Share of the bytes that independent calls can have carried",
    "share",
    formula="an upper bound: the independent calls of each record are given its largest accesses, "
    "sized by the bins of MPIIO_SIZE_*_AGG_*",
    needs="a Darshan log with MPI-IO records (Darshan counts calls by class, never bytes)",
)
def independent_bytes_upper_fraction(s: Selection) -> Outcome:
    return _independent_bytes(s, upper=True)


def _independent_bytes(s: Selection, *, upper: bool) -> Outcome:
    tables = s.tables("MPI-IO")
    if not tables:
        return _independent_bytes_of_counts(s) if s.stats or totals_of(s) else no_table(s, "MPI-IO")
    all_bytes = sum(counted(t, "MPIIO_BYTES_WRITTEN", "MPIIO_BYTES_READ") for _, t in tables)
    if not all_bytes:
        return Absent("no bytes moved at the MPI-IO layer")
    carried = sum(float(independent_bytes(t, d, upper=upper).sum()) for _, t in tables for d in DIRECTIONS)
    where = tuple(
        w for rows, t in tables for w in rows.where(t, "MPIIO_INDEP_WRITES", "MPIIO_INDEP_READS", *_first_bins())
    )
    return Value(carried / all_bytes, "inferred", where)


def _independent_bytes_of_counts(s: Selection) -> Outcome:
    """All or none where calls of one kind only are counted; neither STATS nor Darshan's totals split the bytes of mixed
    calls."""
    alone = plus(calls(s, "write", "independent"), calls(s, "read", "independent"))
    together = plus(calls(s, "write", "collective"), calls(s, "read", "collective"))
    if isinstance(alone, Absent) or isinstance(together, Absent):
        return alone if isinstance(alone, Absent) else together
    if alone.value and together.value:
        return Absent("independent and collective calls are counted, not their bytes", (DARSHAN,))
    if not alone.value and not together.value:
        return Absent("no blocking MPI-IO calls were made")
    return Value(1.0 if alone.value else 0.0, where=joined(alone.where, together.where))


def _stats_bytes(s: Selection, direction: Direction) -> Outcome:
    blocks = s.writes if direction == "write" else s.reads
    return stats_total(blocks, "total bytes", lambda b: b.total_bytes, direction)


def _first_bins() -> tuple[str, ...]:
    return (MPIIO_BINS["write"].names[0], MPIIO_BINS["read"].names[0])


def independent_bytes(table: CounterTable, direction: Direction, *, upper: bool) -> NDArray[np.float64]:
    """Bytes of each record, shape (n,), that independent calls must (or, `upper`, can) have carried."""
    way = direction.upper()
    bins = MPIIO_BINS[direction]
    moved = np.maximum(table.count("MPIIO_BYTES_WRITTEN" if way == "WRITE" else "MPIIO_BYTES_READ"), 0).astype(float)
    alone = np.maximum(table.count(f"MPIIO_INDEP_{way}S"), 0)
    others = np.stack([np.maximum(table.count(f"MPIIO_{kind}_{way}S"), 0) for kind in ("COLL", "SPLIT", "NB")]).sum(0)
    counts = bin_counts(table, bins)
    if upper:
        mixed = np.maximum(0.0, moved - _smallest(counts, others, bins.lows))
    else:
        remaining = moved - _largest(counts, others, bins.highs)
        mixed = np.minimum(moved, np.maximum(np.maximum(_smallest(counts, alone, bins.lows), remaining), 0.0))
    return np.where(alone == 0, 0.0, np.where(others == 0, moved, mixed))


def _smallest(counts: NDArray[np.int64], n: NDArray[np.int64], lows: tuple[int, ...]) -> NDArray[np.float64]:
    """The least bytes that the `n` smallest accesses of each histogram can have moved."""
    least: NDArray[np.float64] = (_taken(counts, n) * np.array(lows, dtype=np.float64)).sum(axis=1)
    return least


def _largest(counts: NDArray[np.int64], n: NDArray[np.int64], highs: tuple[int | None, ...]) -> NDArray[np.float64]:
    """The most bytes that the `n` largest accesses can have moved; infinite where one falls in the open bin."""
    taken = _taken(counts[:, ::-1], n)[:, ::-1]
    limits = np.array([0 if h is None else h for h in highs], dtype=np.float64)
    unbounded = taken[:, [h is None for h in highs]].sum(axis=1) > 0
    return np.where(unbounded, np.inf, (taken * limits).sum(axis=1))


def _taken(counts: NDArray[np.int64], n: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many of the first `n` accesses fall in each bin, the bins in their order."""
    before = np.cumsum(counts, axis=1) - counts
    return np.clip(n[:, None] - before, 0, counts)
