"""Which layer the program calls."""

from __future__ import annotations

from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.bandwidth import leading_module
from iotriage.metrics.tables.texts import printed_totals


@metric(
    "io.layer",
    "Layer that carries most bytes",
    "word",
    formula="MPI-IO, POSIX, STDIO, DFS or DAOS: the highest layer that saw each file, by bytes",
    needs="a Darshan log or MPICH_MPIIO_STATS",
)
def layer(s: Selection) -> Outcome:
    if not s.logs and not printed_totals.totals_of(s):
        return Value("MPI-IO") if s.stats else Absent("no source shows which layer was called", (DARSHAN,))
    leading = leading_module(s)
    if leading is None:
        return Absent("no bytes were moved")
    return Value(leading, "measured" if s.logs else "inferred")
