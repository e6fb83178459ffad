"""In which pattern the files were used."""

from __future__ import annotations

from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import Selection


@metric(
    "io.pattern",
    "Access pattern",
    "word",
    formula="of the group that moved most bytes: serial, file-per-process, file-per-node, shared-independent, "
    "shared-collective or subfiling, from the ranks that opened each file and the share of its bytes that collective "
    "calls can have carried",
    needs="a Darshan log, MPICH_MPIIO_STATS, or a CrayPAT report",
)
def pattern(s: Selection) -> Outcome:
    if not s.pattern and s.logs and _moved_nothing(s):
        return Absent("no read or write was seen")
    if not s.pattern:
        return Absent("the evidence does not say which ranks used the files", (DARSHAN,))
    return Value(s.pattern, "inferred")


def _moved_nothing(s: Selection) -> bool:
    moved = outcome(s, "io.bytes")
    return isinstance(moved, Value) and moved.value == 0 and moved.bound is None
