"""Which layer the program calls, and how the library takes its calls apart below."""

from __future__ import annotations

from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.io.volume import leading_module
from iotriage.metrics.mpiio.read_modify_write import file_pairs
from iotriage.metrics.tables import printed_totals as summaries
from iotriage.metrics.tables.counters import counted, joined, quotient

MPIIO_WRITES = ("MPIIO_INDEP_WRITES", "MPIIO_COLL_WRITES", "MPIIO_SPLIT_WRITES", "MPIIO_NB_WRITES")


@metric(
    "io.layer",
    "Layer that carries most bytes",
    "word",
    formula="MPI-IO, POSIX, STDIO, DFS or DAOS: the highest layer that saw each file, by bytes",
    needs="a Darshan log or MPICH_MPIIO_STATS",
)
def layer(s: Selection) -> Outcome:
    if not s.logs and not summaries.totals_of(s):
        return Value("MPI-IO") if s.stats else Absent("no source shows which layer was called", (DARSHAN,))
    leading = leading_module(s)
    if leading is None:
        return Absent("no bytes were moved")
    return Value(leading, "measured" if s.logs else "inferred")


@metric(
    "mpiio.system_writes_per_call",
    "POSIX writes for each MPI-IO write",
    "ratio",
    formula="POSIX_WRITES / (MPIIO_INDEP_WRITES + _COLL_WRITES + _SPLIT_WRITES + _NB_WRITES) of the same files",
    needs="a Darshan log whose MPI-IO and POSIX modules are whole",
)
def system_writes_per_call(s: Selection) -> Outcome:
    pairs = file_pairs(s)
    if isinstance(pairs, Absent):
        return pairs
    above = Value(
        sum(counted(a, *MPIIO_WRITES) for _, a, _ in pairs),
        where=joined(*(rows.where(a, *MPIIO_WRITES) for rows, a, _ in pairs)),
    )
    below = Value(
        sum(counted(b, "POSIX_WRITES") for _, _, b in pairs),
        where=joined(*(rows.where(b, "POSIX_WRITES") for rows, _, b in pairs)),
    )
    return quotient(below, above, zero="no MPI-IO writes")
