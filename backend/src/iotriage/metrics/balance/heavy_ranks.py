"""Some ranks with many times the bytes of the others, which move a good part too.

Of ranks that move all of the bytes, I/O servers or aggregators, the others are left out of the mean (`balance.bytes`).
Where these others move a part of the same files, the bytes are uneven, however many ranks have most of them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from iotriage.metrics.core.about import About
from iotriage.metrics.core.families import MetricsOf
from iotriage.metrics.core.metric import NO_TIME, Absent, Value
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.prefix import PREFIX
from iotriage.metrics.core.selection import LogRows, Selection, unique_inverse
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.tables.rank_times import beyond_mean, rank_bytes, rank_times
from iotriage.metrics.tables.steps import steps_with_io
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.frozen import frozen

HALF = 0.5
"""Of the busiest rank's bytes, from which a rank is one of those with many."""

AS_TWO_KINDS = (0.5, 2.0)
"""The variance of bytes over ranks, over what two kinds of ranks make, where no more than these are taken to be."""


@frozen
class HeavyRanks:
    """Of the files: the `ranks` that have most of the bytes, the busiest's over the mean of all that move any, the
    share that the light ones move, and seconds of the slowest rank and of the mean."""

    ranks: float
    over_mean: float
    light: float
    slowest_s: float
    mean_s: float


@cached_per_selection
def find_heavy_ranks(s: Selection) -> HeavyRanks | Absent:
    found = [one for rows in steps_with_io(s) if (one := _heavy_in_log(rows)) is not None]
    if not found:
        return Absent("the bytes of single ranks are not known", (DARSHAN,))
    return max(found, key=lambda one: one.slowest_s)


def _heavy_in_log(rows: LogRows) -> HeavyRanks | None:
    tables = rows.highest
    if not tables or any(table.module in rows.cut for table in tables) or rows.nprocs is None:
        return None
    reduced = [table.ranks < 0 for table in tables]
    if not any(bool(of.any()) for of in reduced):
        return _of_ranks(tables)
    return _of_reduced(tables, rows.nprocs) if all(bool(of.all()) for of in reduced) else None


def _of_ranks(tables: Sequence[CounterTable]) -> HeavyRanks | None:
    ranks, index = unique_inverse(np.concatenate([table.ranks for table in tables]))
    moved = np.bincount(index, np.concatenate([rank_bytes(table) for table in tables]), minlength=len(ranks))
    took = np.bincount(index, np.concatenate([rank_times(table) for table in tables]), minlength=len(ranks))
    using = moved > 0
    if not using.any() or took.max() < NO_TIME:
        return None
    most = moved >= HALF * moved.max()
    light = float(moved[~most].sum() / moved.sum())
    return HeavyRanks(
        float(most.sum()),
        float(moved.max() / moved[using].mean()),
        light,
        float(took.max()),
        float(took[using].mean()),
    )


def _of_reduced(tables: Sequence[CounterTable], nprocs: int) -> HeavyRanks | None:
    """Of each record its slowest and its fastest rank are known: taken for those of two kinds, where the variance over
    ranks is about what these make."""
    everything = of_busiest = of_light = of_heavy = mean = 0.0
    slowest: dict[int, float] = {}
    for table in tables:
        prefix = PREFIX[table.module]
        if f"{prefix}_F_VARIANCE_RANK_BYTES" not in table.float_names:
            return None
        moved, took = rank_bytes(table), rank_times(table) / nprocs
        ends = [np.maximum(table.count(f"{prefix}_{which}_RANK_BYTES"), 0) for which in ("FASTEST", "SLOWEST")]
        least, most = np.minimum(*ends).astype(np.float64), np.maximum(*ends).astype(np.float64)
        beyond = np.maximum(beyond_mean(table, nprocs), 0.0)
        variance = table.seconds(f"{prefix}_F_VARIANCE_RANK_BYTES")
        for at in np.flatnonzero(moved > 0).tolist():
            apart = float(most[at] - least[at])
            ranks = (float(moved[at]) - nprocs * float(least[at])) / apart if apart > 0 else 0.0
            made = ranks * (nprocs - ranks) * (apart / nprocs) ** 2
            if not 0 < ranks < nprocs or not AS_TWO_KINDS[0] * made <= float(variance[at]) <= AS_TWO_KINDS[1] * made:
                return None
            everything += float(moved[at])
            of_busiest += float(most[at])
            of_light += (nprocs - ranks) * float(least[at])
            of_heavy += ranks * float(moved[at])
        for rank, seconds in zip(table.count(f"{prefix}_SLOWEST_RANK").tolist(), beyond.tolist(), strict=True):
            slowest[rank] = slowest.get(rank, 0.0) + seconds
        mean += float(took.sum())
    if everything <= 0 or mean < NO_TIME:
        return None
    return HeavyRanks(
        of_heavy / everything,
        of_busiest * nprocs / everything,
        of_light / everything,
        mean + max(slowest.values(), default=0.0),
        mean,
    )


_NEEDS = "a Darshan log"
_TWO_KINDS = "; of reduced records by their slowest and fastest rank, where the variance of bytes is that of two kinds"


_metrics_of_heavy_ranks = MetricsOf(find_heavy_ranks, needs=_NEEDS)
_metrics_of_heavy_ranks.value(
    "balance.heavy_ranks",
    "Ranks that have most of the bytes",
    "ranks",
    lambda found: Value(found.ranks, "inferred"),
    formula=f"ranks with at least {HALF:.0%} of the busiest's bytes, at the highest layer{_TWO_KINDS}",
)
_metrics_of_heavy_ranks.value(
    "balance.heavy_bytes",
    "Bytes of the busiest rank over the mean of all that move any",
    "ratio",
    lambda found: Value(found.over_mean, "inferred"),
    about=About(time=False),
    formula=f"largest bytes of one rank / mean over all ranks that move any{_TWO_KINDS}",
)
_metrics_of_heavy_ranks.value(
    "balance.light_fraction",
    "Share of the bytes moved by the ranks that have few",
    "share",
    lambda found: Value(found.light, "inferred"),
    about=About(time=False),
    formula="bytes of the ranks that are none of balance.heavy_ranks / all bytes",
)
_metrics_of_heavy_ranks.value(
    "balance.heavy_time",
    "I/O time of the slowest rank over the mean of all that move bytes",
    "ratio",
    lambda found: (
        Value(found.slowest_s / found.mean_s, "inferred") if found.mean_s > 0 else Absent("the timers show no time")
    ),
    about=About(time=True),
    formula="slowest rank's seconds / mean over all ranks that move any bytes, at the highest layer",
)
_metrics_of_heavy_ranks.value(
    "balance.heavy_beyond_mean",
    "I/O time of the slowest rank beyond the mean of all that move bytes",
    "s",
    lambda found: Value(max(0.0, found.slowest_s - found.mean_s), "inferred"),
    formula="slowest rank's seconds − mean, both as in balance.heavy_time",
)
