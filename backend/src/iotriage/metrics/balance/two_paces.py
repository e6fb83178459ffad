"""Whether the ranks that move the bytes of files of their own are of two kinds, quick and slow, with as much to do.

What the slow ones have in common, their servers or their nodes, the counters do not tell.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.core.about import About
from iotriage.metrics.core.metric import NO_TIME, Absent, Outcome, Value
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection, unique_inverse
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.tables.outliers import ALIKE, FEWEST_OF_A_KIND, slow_kind
from iotriage.metrics.tables.rank_times import rank_bytes, rank_times
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.frozen import frozen

OF_THEIRS = 0.9
"""Of the bytes, what lies in files of which a record names the rank."""
NEEDS = "a Darshan log with POSIX records, one a rank"


@frozen
class TwoPaces:
    """Seconds: `least_s` of the quickest of the `slow` ranks, `others_s` of the slowest of the others."""

    slow: int
    least_s: float
    others_s: float


@cached_per_selection
def two_paces(s: Selection) -> TwoPaces | Absent:
    tables = s.tables("POSIX")
    if len(tables) != 1:
        return Absent("there is no single log with POSIX records")
    took, moved = _of_ranks(tables[0][1])
    if not len(moved) or moved.sum() < OF_THEIRS * float(rank_bytes(tables[0][1]).sum()):
        return Absent("most bytes lie in files whose records do not name the rank")
    movers = moved >= ALIKE * moved.max()
    took, moved = took[movers], moved[movers]
    slow = slow_kind(took, [moved])
    if isinstance(slow, Absent):
        return slow
    if took[~slow].max() < NO_TIME:
        return Absent("the others show no time")
    return TwoPaces(int(slow.sum()), float(took[slow].min()), float(took[~slow].max()))


def _of_ranks(table: CounterTable) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Seconds and bytes of each rank that has records of its own, (n,) each."""
    own = table.ranks >= 0
    ranks, index = unique_inverse(table.ranks[own])
    return (
        np.bincount(index, rank_times(table)[own], len(ranks)).astype(np.float64),
        np.bincount(index, rank_bytes(table)[own], len(ranks)).astype(np.float64),
    )


@metric(
    "balance.two_paces",
    "Time of the slow ranks with files of their own over that of the other such ranks",
    "ratio",
    about=About(time=True),
    formula="of the ranks with at least half of the most bytes in files with a record a rank, where these have nearly "
    f"all bytes, {FEWEST_OF_A_KIND} or more are nearer to the slowest than to the quickest and as many are not, and "
    "both have as many bytes: the seconds of the quickest of these / those of the slowest of the others",
    needs=NEEDS,
    scopes=["job"],
    of=two_paces,
)
def paces(found: TwoPaces) -> Outcome:
    return Value(found.least_s / found.others_s, "inferred")


@metric(
    "balance.two_paces_slow",
    "Slow ranks among those with files of their own",
    "ranks",
    formula="the slow ones of balance.two_paces",
    needs=NEEDS,
    scopes=["job"],
    of=two_paces,
)
def slow(found: TwoPaces) -> Outcome:
    return Value(found.slow, "inferred")
