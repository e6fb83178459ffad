"""Independent against collective: how the program calls MPI-IO.

Darshan counts the calls of every rank; so does MPICH_MPIIO_STATS. Darshan's figures cover all files and are taken
where its MPI-IO module is whole; else those of the STATS blocks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from iotriage.metrics.metric import Absent, Outcome, Value
from iotriage.metrics.registry import metric
from iotriage.metrics.selection import Selection
from iotriage.metrics.settle import DARSHAN, STATS
from iotriage.metrics.size_bins import MPIIO_BINS, bin_counts
from iotriage.metrics.stats_fields import stats_total
from iotriage.metrics.totals import counted, plus, quotient, total
from iotriage_parsers.evidence import CounterTable

Direction = Literal["read", "write"]


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
    if isinstance(of_darshan, Absent) and not s.logs:
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
        "1",
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
        "1",
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
        formula=f"MPIIO_BYTES over all MPI-IO {direction} calls (independent, collective, split, nonblocking)",
        needs="a Darshan log with MPI-IO records",
    )
    def average(s: Selection) -> Outcome:
        moved = total(s, "MPI-IO", "MPIIO_BYTES_WRITTEN" if direction == "write" else "MPIIO_BYTES_READ")
        made = total(s, "MPI-IO", *(f"MPIIO_{kind}_{counter}" for kind in ("INDEP", "COLL", "SPLIT", "NB")))
        return quotient(moved, made, zero=f"no MPI-IO {direction}s were made")


_declare("write")
_declare("read")


@metric(
    "mpiio.collective_fraction",
    "Collective share of all MPI-IO calls",
    "1",
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
    "1",
    formula="a lower bound: the collective calls of each record are given its largest accesses, "
    "sized by the bins of MPIIO_SIZE_*_AGG_*",
    needs="a Darshan log with MPI-IO records (Darshan counts calls by class, never bytes)",
)
def independent_bytes_lower_fraction(s: Selection) -> Outcome:
    return _independent_bytes(s, upper=False)


@metric(
    "mpiio.independent_bytes_upper_fraction",
    "Share of the bytes that independent calls can have carried",
    "1",
    formula="an upper bound: the independent calls of each record are given its largest accesses, "
    "sized by the bins of MPIIO_SIZE_*_AGG_*",
    needs="a Darshan log with MPI-IO records (Darshan counts calls by class, never bytes)",
)
def independent_bytes_upper_fraction(s: Selection) -> Outcome:
    return _independent_bytes(s, upper=True)


def _independent_bytes(s: Selection, *, upper: bool) -> Outcome:
    tables = s.tables("MPI-IO")
    if not tables:
        return total(s, "MPI-IO", "MPIIO_BYTES_WRITTEN")
    all_bytes = sum(counted(t, "MPIIO_BYTES_WRITTEN", "MPIIO_BYTES_READ") for _, t in tables)
    if not all_bytes:
        return Absent("no bytes moved at the MPI-IO layer")
    carried = sum(independent_bytes(t, direction, upper=upper) for _, t in tables for direction in ("write", "read"))
    where = tuple(
        w for rows, t in tables for w in rows.where(t, "MPIIO_INDEP_WRITES", "MPIIO_INDEP_READS", *_first_bins())
    )
    return Value(carried / all_bytes, "inferred", where)


def _first_bins() -> tuple[str, ...]:
    return (MPIIO_BINS["write"].names[0], MPIIO_BINS["read"].names[0])


def independent_bytes(table: CounterTable, direction: Literal["write", "read"], *, upper: bool) -> int:
    """Bytes, summed over the records, that independent calls must (or, `upper`, can) have carried."""
    way = direction.upper()
    moved = np.maximum(table.count("MPIIO_BYTES_WRITTEN" if way == "WRITE" else "MPIIO_BYTES_READ"), 0)
    alone = np.maximum(table.count(f"MPIIO_INDEP_{way}S"), 0)
    others = np.stack([np.maximum(table.count(f"MPIIO_{kind}_{way}S"), 0) for kind in ("COLL", "SPLIT", "NB")]).sum(0)
    counts = bin_counts(table, MPIIO_BINS[direction])
    found = 0
    for row in np.flatnonzero((alone > 0) & (moved > 0)).tolist():
        if int(others[row]) == 0:
            found += int(moved[row])
            continue
        sized = counts[row].tolist()
        if upper:
            rest = _smallest(sized, int(others[row]), MPIIO_BINS[direction].lows)
            found += max(0, int(moved[row]) - rest)
        else:
            least = _smallest(sized, int(alone[row]), MPIIO_BINS[direction].lows)
            most_of_others = _largest(sized, int(others[row]), MPIIO_BINS[direction].highs)
            remaining = 0 if most_of_others is None else int(moved[row]) - most_of_others
            found += min(int(moved[row]), max(least, remaining, 0))
    return found


def _smallest(counts: list[int], n: int, lows: tuple[int, ...]) -> int:
    """The least bytes that the `n` smallest accesses of the histogram can have moved."""
    found = 0
    for count, low in zip(counts, lows, strict=True):
        taken = min(n, count)
        found, n = found + taken * low, n - taken
    return found


def _largest(counts: list[int], n: int, highs: tuple[int | None, ...]) -> int | None:
    """The most bytes that the `n` largest accesses can have moved; None where the open bin leaves it unbounded."""
    found = 0
    for count, high in zip(reversed(counts), reversed(highs), strict=True):
        taken = min(n, count)
        if taken and high is None:
            return None
        found, n = found + taken * (high or 0), n - taken
    return found
