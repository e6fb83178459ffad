"""Whether one rank of so many, each with as much, does the I/O of some files for all others, beside what all do.

So do libraries that keep each rank's checkpoint on its node and have one rank of each node copy it (VeloC, SCR), or
send the data there meanwhile (ADIOS2). That such a rank moves more than the others is what it is for.
"""

from __future__ import annotations

from iotriage.metrics.balance.few_movers import NEEDS, movers_alike
from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.rank_spread import slowest_beyond_mean
from iotriage.metrics.tables.steps import slowest_step

FEWEST = 4
"""Two or three may lie evenly by chance."""
APART = 1.5
"""Largest distance from one to the next over the mean: as `few-writers` has it."""
AS_LONG = 1.5
"""Times their mean that the slowest of them takes, below which none is slow: as `straggler-rank` has it of ranks with
as much to do."""
PIECE = 2**20
"""Bytes of an access, from which its size takes none of the time: who gathers in small pieces is told of these."""
MOST = 0.5
"""Of what the slowest rank takes beyond the mean, in these files."""


@metric(
    "balance.gathered_evenly",
    "Whether a few ranks, evenly spread, do the I/O of some files for all, beside what all do",
    "word",
    formula=f"yes where balance.movers_alike are {FEWEST} or more, balance.movers_apart is no more than {APART}, "
    f"balance.movers_alike_piece is {PIECE:,} or more, the slowest of them takes less than {AS_LONG} times their mean "
    f"in balance.movers_alike_files, and balance.movers_alike_beyond is {MOST:.0%} or more of what the slowest rank "
    "takes beyond the mean; unknown where there is no log",
    needs=NEEDS,
    scopes=["job"],
)
def gathered_evenly(s: Selection) -> Outcome:
    s = slowest_step(s)
    if not s.logs:
        return Value("unknown", "inferred")
    found = movers_alike(s)
    if isinstance(found, Absent):
        return Value("no", "inferred")
    evenly = found.ranks >= FEWEST and found.apart <= APART and found.longest_s < AS_LONG * found.mean_s
    evenly = evenly and found.moved >= PIECE * found.calls
    beside = found.files is not None and found.beyond_s >= MOST * slowest_beyond_mean(s.logs[0])
    return Value("yes" if evenly and beside else "no", "inferred")
