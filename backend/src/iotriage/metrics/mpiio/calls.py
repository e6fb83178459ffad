"""Independent against collective: how the program calls MPI-IO.

Darshan counts the calls of every rank, and those of MPICH_MPIIO_STATS are taken so (`collective_calls`). Darshan's
figures cover all files and are taken where its MPI-IO module is whole; else those of the STATS blocks.
"""

from __future__ import annotations

from typing import Literal

from iotriage.metrics.core.about import About
from iotriage.metrics.core.families import metrics_unless
from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN, STATS
from iotriage.metrics.core.outcomes import plus, quotient
from iotriage.metrics.core.prefix import access_counters
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.calls.collective_calls import with_rank_calls
from iotriage.metrics.tables.calls.size_bins import DIRECTIONS
from iotriage.metrics.tables.calls.small_accesses import average_size
from iotriage.metrics.tables.calls.typical_sizes import formula_of, typical_size
from iotriage.metrics.tables.counters import no_records_of, total
from iotriage.metrics.tables.texts.printed_totals import totals_of
from iotriage.metrics.tables.texts.stats_fields import stats_total
from iotriage_parsers.evidence.mpiio_stats import Direction
from iotriage_parsers.frozen import frozen


@frozen
class Calls:
    """Darshan's counters and the STATS field of one kind of call in one direction."""

    counters: tuple[str, ...]
    label: str
    collective: bool


KINDS = {
    ("write", "independent"): Calls(("MPIIO_INDEP_WRITES",), "independent accesses", collective=False),
    ("read", "independent"): Calls(("MPIIO_INDEP_READS",), "independent accesses", collective=False),
    ("write", "collective"): Calls(("MPIIO_COLL_WRITES", "MPIIO_SPLIT_WRITES"), "collective accesses", collective=True),
    ("read", "collective"): Calls(("MPIIO_COLL_READS", "MPIIO_SPLIT_READS"), "collective accesses", collective=True),
}


def _counted(s: Selection, direction: Direction, kind: Literal["independent", "collective"]) -> Outcome:
    """Calls summed over ranks, from Darshan where its MPI-IO module is whole, else from STATS, else the lower bound."""
    named = KINDS[direction, kind]
    of_darshan = total(s, "MPI-IO", *named.counters)
    if isinstance(of_darshan, Value) and of_darshan.bound is None:
        return of_darshan
    blocks = s.writes if direction == "write" else s.reads
    summed = with_rank_calls(s, blocks) if named.collective else blocks
    of_stats = stats_total(
        summed,
        named.label,
        lambda b: b.collective_accesses if named.collective else b.independent_accesses,
        direction,
    )
    if isinstance(of_stats, Value):
        return of_stats
    if isinstance(of_darshan, Absent) and not s.logs and not totals_of(s):
        printed = s.writes or s.reads
        return of_stats if printed else Absent("no source counts the MPI-IO calls", (DARSHAN, STATS))
    return of_darshan


_metric_of_calls = metrics_unless(
    no_records_of("MPI-IO"), needs="a Darshan log with MPI-IO records, or MPICH_MPIIO_STATS"
)


def _declare_counts(direction: Direction) -> None:
    counter = f"{direction.upper()}S"

    @_metric_of_calls(
        f"mpiio.independent_{direction}s",
        f"Independent MPI-IO {direction}s",
        "calls",
        about=About(direction=direction),
        formula=f"MPIIO_INDEP_{counter} summed over ranks; without it, `independent {direction}s` of the STATS blocks",
    )
    def independent(s: Selection) -> Outcome:
        return _counted(s, direction, "independent")

    @_metric_of_calls(
        f"mpiio.collective_{direction}s",
        f"Collective MPI-IO {direction}s",
        "calls",
        about=About(direction=direction),
        formula=f"MPIIO_COLL_{counter} + MPIIO_SPLIT_{counter} summed over ranks; "
        f"without them, `collective {direction}s` of the STATS blocks, times the ranks where those count a call once",
    )
    def collective(s: Selection) -> Outcome:
        return _counted(s, direction, "collective")

    @metric(
        f"mpiio.nonblocking_{direction}s",
        f"Nonblocking MPI-IO {direction}s",
        "calls",
        about=About(direction=direction),
        formula=f"MPIIO_NB_{counter} summed over ranks; independent or collective is not recorded",
        needs="a Darshan log with MPI-IO records",
        unless=no_records_of("MPI-IO"),
    )
    def nonblocking(s: Selection) -> Outcome:
        return total(s, "MPI-IO", f"MPIIO_NB_{counter}")


def _declare_ratios(direction: Direction) -> None:
    @metric(
        f"mpiio.independent_{direction}_fraction",
        f"Independent share of MPI-IO {direction}s",
        "share",
        about=About(time=False, direction=direction),
        formula=f"mpiio.independent_{direction}s / (independent + collective), nonblocking calls left out",
        needs="a Darshan log with MPI-IO records, or MPICH_MPIIO_STATS",
    )
    def fraction(s: Selection) -> Outcome:
        alone = outcome(s, f"mpiio.independent_{direction}s")
        together = outcome(s, f"mpiio.collective_{direction}s")
        if isinstance(together, Absent):
            return together
        return quotient(alone, plus(alone, together), zero=f"no blocking MPI-IO {direction}s were made")

    @metric(
        f"mpiio.independent_to_collective_{direction}s",
        f"Independent {direction}s per collective {direction}",
        "ratio",
        about=About(time=False, direction=direction),
        formula=f"mpiio.independent_{direction}s / mpiio.collective_{direction}s",
        needs="a Darshan log with MPI-IO records, or MPICH_MPIIO_STATS",
    )
    def ratio(s: Selection) -> Outcome:
        return quotient(
            outcome(s, f"mpiio.independent_{direction}s"),
            outcome(s, f"mpiio.collective_{direction}s"),
            zero=f"no collective {direction}s were made: the ratio has no denominator",
        )


def _declare_average(direction: Direction) -> None:
    @_metric_of_calls(
        f"mpiio.average_{direction}_size",
        f"Average MPI-IO {direction}",
        "B",
        about=About(direction=direction),
        formula=f"MPIIO_BYTES over all MPI-IO {direction} calls (independent, collective, split, nonblocking); "
        "of a trace, all that it has; "
        f"without Darshan, total bytes over independent + collective {direction}s of the STATS blocks",
    )
    def average(s: Selection) -> Outcome:
        if not s.tables("MPI-IO") and not totals_of(s) and (s.writes if direction == "write" else s.reads):
            both = plus(outcome(s, f"mpiio.independent_{direction}s"), outcome(s, f"mpiio.collective_{direction}s"))
            return quotient(_stats_bytes(s, direction), both, zero=f"no MPI-IO {direction}s were made")
        if any("MPI-IO" in rows.traced for rows, _ in s.tables("MPI-IO")):
            return average_size(s, "MPI-IO", direction)
        moved = total(s, "MPI-IO", "MPIIO_BYTES_WRITTEN" if direction == "write" else "MPIIO_BYTES_READ")
        made = total(s, "MPI-IO", *access_counters("MPI-IO", direction))
        return quotient(moved, made, zero=f"no MPI-IO {direction}s were made")


def _declare_typical(direction: Direction) -> None:
    @_metric_of_calls(
        f"mpiio.typical_{direction}_size",
        f"Typical MPI-IO {direction}",
        "B",
        about=About(direction=direction),
        formula=formula_of("MPI-IO", direction),
    )
    def typical(s: Selection) -> Outcome:
        return typical_size(s, "MPI-IO", direction, outcome(s, f"mpiio.average_{direction}_size"))


for _direction in DIRECTIONS:
    _declare_counts(_direction)
    _declare_ratios(_direction)
    _declare_average(_direction)
    _declare_typical(_direction)


@metric(
    "mpiio.collective_fraction",
    "Collective share of all MPI-IO calls",
    "share",
    about=About(time=False),
    formula="collective reads and writes / all blocking reads and writes",
    needs="a Darshan log with MPI-IO records, or MPICH_MPIIO_STATS",
)
def collective_fraction(s: Selection) -> Outcome:
    together = plus(outcome(s, "mpiio.collective_writes"), outcome(s, "mpiio.collective_reads"))
    alone = plus(outcome(s, "mpiio.independent_writes"), outcome(s, "mpiio.independent_reads"))
    return quotient(together, plus(together, alone), zero="no blocking MPI-IO calls were made")


def _stats_bytes(s: Selection, direction: Direction) -> Outcome:
    blocks = s.writes if direction == "write" else s.reads
    return stats_total(blocks, "total bytes", lambda b: b.total_bytes, direction)
