"""How the library takes the program's calls apart below, or makes one access from several of them."""

from __future__ import annotations

from iotriage.metrics.core.about import About
from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.outcomes import joined, quotient
from iotriage.metrics.core.prefix import access_counters
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.calls.mpiio_calls import calls_made, calls_with_bytes
from iotriage.metrics.tables.calls.size_bins import DIRECTIONS
from iotriage.metrics.tables.counters import sum_counters
from iotriage.metrics.tables.files.pairs import Pair, file_pairs
from iotriage_parsers.evidence.mpiio_stats import Direction

MPIIO_WRITES = access_counters("MPI-IO", "write")

WHOLE = "a Darshan log whose MPI-IO and POSIX modules are whole"

MERGED = 0.5
"""System accesses for each call, up to which the library makes one of several: where ranks go to the file themselves,
each of their calls is one access at least."""


@metric(
    "mpiio.system_writes_per_call",
    "POSIX writes per MPI-IO write",
    "ratio",
    about=About(time=False, direction="write"),
    formula="POSIX_WRITES / (MPIIO_INDEP_WRITES + _COLL_WRITES + _SPLIT_WRITES + _NB_WRITES) of the same files",
    needs=WHOLE,
    of=file_pairs,
)
def system_writes_per_call(pairs: tuple[Pair, ...]) -> Outcome:
    above = Value(
        sum(calls_made(a, "write") for _, a, _ in pairs),
        where=joined(*(rows.where(a, *MPIIO_WRITES) for rows, a, _ in pairs)),
    )
    below = Value(
        sum(sum_counters(b, "POSIX_WRITES") for _, _, b in pairs),
        where=joined(*(rows.where(b, "POSIX_WRITES") for rows, _, b in pairs)),
    )
    return quotient(below, above, zero="no MPI-IO writes")


def _declare_merged(direction: Direction) -> None:
    calls = f"POSIX_{direction.upper()}S"

    @metric(
        f"mpiio.merged_{direction}s",
        f"Whether MPI-IO makes one system {direction} of several calls",
        "word",
        about=About(direction=direction),
        formula=f"yes where {calls} of the files that MPI-IO opens are at most {MERGED:.0%} of its {direction}s "
        "(independent, collective, split, nonblocking), those of up to 100 bytes left out, which may be empty; where "
        "all are so small, of as many as their bytes need; else no; unknown where a module is not whole",
        needs=WHOLE,
    )
    def merged(s: Selection) -> Outcome:
        """Whatever number of ranks goes to the file: on one rank a node each may be an aggregator."""
        pairs = file_pairs(s)
        if isinstance(pairs, Absent):
            return Value("unknown", "inferred") if s.tables("MPI-IO") else pairs
        made = sum(calls_with_bytes(above, direction) for _, above, _ in pairs)
        reached = sum(sum_counters(below, calls) for _, _, below in pairs)
        return Value("yes" if 0 < reached <= MERGED * made else "no", "inferred")


for _direction in DIRECTIONS:
    _declare_merged(_direction)
