"""What passes below nonblocking calls of MPI-IO, of which the timers have the posting alone."""

from __future__ import annotations

from math import isinf

from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.outcomes import joined
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.counters import no_records_of, sum_counters
from iotriage.metrics.tables.files.pairs import Pair, file_pairs
from iotriage.metrics.tables.unseen_time import posted_s


@metric(
    "mpiio.posted_time",
    "Time below nonblocking MPI-IO calls",
    "s",
    formula="seconds of the slowest rank in POSIX calls of the files with nonblocking calls, beyond those in MPI-IO",
    needs="a Darshan log whose MPI-IO and POSIX modules are whole, with nonblocking calls",
    scopes=["job"],
    unless=no_records_of("MPI-IO"),
)
def posted_time(s: Selection) -> Outcome:
    pairs = file_pairs(s)
    if isinstance(pairs, Absent):
        return pairs
    posted = [pair for pair in pairs if sum_counters(pair[1], "MPIIO_NB_READS", "MPIIO_NB_WRITES")]
    if not posted:
        return Absent("no nonblocking calls")
    return _beyond_the_posting(s, posted)


def _beyond_the_posting(s: Selection, posted: list[Pair]) -> Outcome:
    beyond = max(map(posted_s, s.logs))
    if isinf(beyond):
        return Absent("no POSIX records of the files with nonblocking calls")
    return Value(beyond, where=joined(*(rows.where(below, "POSIX_F_SLOWEST_RANK_TIME") for rows, _, below in posted)))
