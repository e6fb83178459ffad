"""How much a group of files weighs in its job: by time where the timers say, by bytes or calls where they do not."""

from __future__ import annotations

from iotriage.metrics.core.about import About
from iotriage.metrics.core.metric import Outcome, Value
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.bandwidth import only_posted
from iotriage_parsers.evidence import MpiioTimers

MANY = 100
"""System calls of each rank, from which their number may take as long as bytes do."""


@metric(
    "group.weight",
    "Weight of the files in the job's I/O",
    "share",
    about=About(time=True),
    formula="group.io_time_fraction; group.bytes_fraction where there is no time, or where nonblocking MPI-IO calls "
    "leave only their posting in the timers. Where MPICH_MPIIO_TIMERS times other files and not these, their share of "
    f"the system calls, where that is more and each rank makes {MANY} of them or more on average",
    needs="a Darshan log or MPICH_MPIIO_STATS",
    scopes=["group"],
)
def weight(s: Selection) -> Outcome:
    of_time, of_bytes = outcome(s, "group.io_time_fraction"), outcome(s, "group.bytes_fraction")
    shown = outcome(s, "group.io_time")
    # A few nonblocking calls among others leave the seconds as they are.
    nonblocking = isinstance(shown, Value) and only_posted(s, "MPI-IO", float(shown.value)) is not None
    if isinstance(of_time, Value) and not nonblocking:
        return of_time
    of_calls = _of_calls(s)
    if of_calls is None or not isinstance(of_bytes, Value):
        return of_bytes
    return of_calls if float(of_calls.value) > float(of_bytes.value) else of_bytes


def _of_calls(s: Selection) -> Value | None:
    """Small calls take the longer the fewer bytes they move: of files that nothing times, bytes alone say little."""
    if s.logs or s.job is None or not s.whole.of(MpiioTimers) or s.of(MpiioTimers) or s.nprocs is None:
        return None
    own, every = _system_calls(s), _system_calls(s.whole)
    return Value(own / every, "inferred") if every and own >= MANY * s.nprocs else None


def _system_calls(s: Selection) -> float:
    counted = (outcome(s, f"mpiio.system_{way}s") for way in ("write", "read"))
    return sum(float(found.value) for found in counted if isinstance(found, Value))
