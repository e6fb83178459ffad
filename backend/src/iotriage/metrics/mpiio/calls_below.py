"""How the library takes the program's calls apart below."""

from __future__ import annotations

from iotriage.metrics.core.about import About
from iotriage.metrics.core.metric import Outcome, Value
from iotriage.metrics.core.outcomes import joined, quotient
from iotriage.metrics.core.prefix import access_counters
from iotriage.metrics.core.registry import metric
from iotriage.metrics.tables.calls.mpiio_calls import calls_made
from iotriage.metrics.tables.counters import sum_counters
from iotriage.metrics.tables.files.pairs import Pair, file_pairs

MPIIO_WRITES = access_counters("MPI-IO", "write")


@metric(
    "mpiio.system_writes_per_call",
    "POSIX writes per MPI-IO write",
    "ratio",
    about=About(time=False, direction="write"),
    formula="POSIX_WRITES / (MPIIO_INDEP_WRITES + _COLL_WRITES + _SPLIT_WRITES + _NB_WRITES) of the same files",
    needs="a Darshan log whose MPI-IO and POSIX modules are whole",
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
