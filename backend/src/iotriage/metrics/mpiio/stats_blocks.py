"""Whether statistics that were asked for came, and of how many ranks they are."""

from __future__ import annotations

from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.texts.complaints import NO_TEXT
from iotriage.metrics.tables.texts.opened_by_mpiio import opened_none_by_mpiio
from iotriage.metrics.tables.texts.stats_fields import place


@metric(
    "mpiio.stats_blocks",
    "MPICH_MPIIO_STATS blocks",
    "1",
    formula="trusted blocks of all texts; absent where there are none, and MPI-IO opened no file",
    needs="the job's output",
    scopes=["job"],
)
def stats_blocks(s: Selection) -> Outcome:
    if opened_none_by_mpiio(s):
        return Absent("by the Darshan log MPI-IO opened no file: there was nothing to print statistics of")
    return Value(len(s.stats)) if s.has_more_than_logs else NO_TEXT


@metric(
    "mpiio.opening_ranks",
    "Ranks that opened the file which most opened",
    "ranks",
    formula="the largest `ranks in communicator` of the STATS blocks, where all of them have it",
    needs="MPICH_MPIIO_STATS",
)
def opening_ranks(s: Selection) -> Outcome:
    opened = [n for b in s.stats if (n := b.block.ranks_in_communicator) is not None]
    if not s.stats or len(opened) < len(s.stats):
        return Absent("no block of statistics, or not each, says how many ranks opened the file")
    largest = max(s.stats, key=lambda b: b.block.ranks_in_communicator or 0)
    return Value(max(opened), where=place(largest, "ranks in communicator"))
