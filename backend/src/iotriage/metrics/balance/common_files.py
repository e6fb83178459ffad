"""What each rank takes in files of its own of which many ranks have some of the same kind: what a few write for all
beside them, and what passes in files that all share, neither makes a rank slow there nor hides that one is."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.balance.few_movers import FEW_OF
from iotriage.metrics.balance.slow_ranks import OwnRecords, own_records_beside_shared
from iotriage.metrics.core.about import About
from iotriage.metrics.core.families import MetricsOf
from iotriage.metrics.core.metric import NO_TIME, Absent, Outcome, Value
from iotriage.metrics.core.outcomes import quotient
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import LogRows, Selection
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.tables.files.kinds import file_kinds
from iotriage.metrics.tables.outliers import median, slow_cutoff
from iotriage.metrics.tables.rank_spread import slowest_beyond_mean
from iotriage.metrics.tables.rank_times import rank_bytes, rank_times
from iotriage.metrics.tables.stages import over_stages
from iotriage.metrics.tables.steps import slowest_step, steps_of
from iotriage.metrics.tables.unstated_ranks import ranks_not_stated

NEEDS = "a Darshan log with one record a rank"


@cached_per_selection
def in_common_files(s: Selection) -> OwnRecords | Absent:
    """The ranks' own records but those of files that few have; absent where these are all that they do."""
    if (unknown := ranks_not_stated(s)) is not None:
        return unknown
    s = slowest_step(s)
    every = own_records_beside_shared(s)
    if isinstance(every, Absent):
        return every
    found = _without_files_of_few(s.logs[0], every)
    of_all = any(bool((t.ranks < 0).any()) for t in s.logs[0].highest)
    if found.seconds.sum() >= every.seconds.sum() and not of_all:
        return Absent("the ranks do nothing beside these files")
    if found.seconds.max(initial=0.0) < NO_TIME or not found.bytes.any():
        return Absent("the ranks have no files in common with many others")
    return found


def _without_files_of_few(rows: LogRows, every: OwnRecords) -> OwnRecords:
    tables = rows.highest
    rank = np.concatenate([t.ranks for t in tables])
    took, moved = (np.concatenate([of(t) for t in tables]) for of in (rank_times, rank_bytes))
    kinds = file_kinds(rows)
    few = kinds.number_of_ranks <= max(1, (rows.nprocs or 1) // FEW_OF)
    mine: NDArray[np.bool_] = ~few[kinds.of(tables)] & (rank >= 0)
    place = np.searchsorted(every.ranks, rank[mine])
    seconds, amounts = (np.bincount(place, of[mine], len(every.ranks)) for of in (took, moved))
    return OwnRecords(every.ranks, seconds.astype(np.float64), amounts.astype(np.float64))


_metrics_of_common_files = MetricsOf(in_common_files, needs=NEEDS, scopes=["job"])
_metrics_of_common_files.value(
    "balance.common_time",
    "I/O time of the slowest rank over the mean, in files of which many have some",
    "ratio",
    lambda found: Value(float(found.seconds.max() / found.seconds.mean()), "inferred"),
    about=About(time=True),
    formula="seconds of the slowest rank / mean over the ranks, in files of one rank each of whose kind, by their "
    f"names but for numbers, more than one of {FEW_OF} ranks have some; where the ranks use other files, too",
)
_metrics_of_common_files.value(
    "balance.common_bytes",
    "Bytes of the slowest rank over the mean, in files of which many have some",
    "ratio",
    lambda found: Value(float(found.bytes[found.seconds.argmax()] / found.bytes.mean()), "inferred"),
    about=About(time=False),
    formula="bytes of the slowest rank of balance.common_time / mean over the ranks, in the same files",
)


@_metrics_of_common_files(
    "balance.common_slow_ranks",
    "Ranks about as slow as the slowest, in files of which many have some",
    "ranks",
    formula="ranks whose seconds in the files of balance.common_time lie nearer to the slowest rank's than to the "
    "median",
)
def common_slow_ranks(found: OwnRecords) -> Outcome:
    least = slow_cutoff(float(found.seconds.max()), median(found.seconds))
    return Value(int((found.seconds >= least).sum()), "inferred")


@metric(
    "balance.common_beyond_mean",
    "I/O time beyond the mean that the slowest rank takes in files of which many have some",
    "s",
    formula="balance.time_beyond_mean, but what the slowest rank of all takes longer than that of balance.common_time "
    "there; at most what this takes beyond the mean there",
    needs=NEEDS,
    scopes=["job"],
)
def common_beyond_mean(s: Selection) -> Outcome:
    of_slowest = _beyond_in_step(slowest_step(s))
    if isinstance(of_slowest, Absent):
        return of_slowest
    of_each = ((step.logs[0], _beyond_in_step(step)) for step in steps_of(s))
    return Value(over_stages(s, [(rows, of) for rows, of in of_each if not isinstance(of, Absent)]), "inferred")


def _beyond_in_step(s: Selection) -> float | Absent:
    found, every = in_common_files(s), own_records_beside_shared(s)
    if isinstance(found, Absent):
        return found
    if isinstance(every, Absent):
        return every
    slowest = float(found.seconds.max())
    beyond = slowest_beyond_mean(s.logs[0]) - (float(every.seconds.max()) - slowest)
    return max(0.0, min(beyond, slowest - float(found.seconds.mean())))


@metric(
    "balance.common_share",
    "Share of what the slowest rank takes beyond the mean that passes in files of which many have some",
    "share",
    about=About(time=True),
    formula="balance.common_beyond_mean / balance.time_beyond_mean, at most 1",
    needs=NEEDS,
    scopes=["job"],
)
def common_share(s: Selection) -> Outcome:
    of = "no rank takes longer than the mean"
    return quotient(
        outcome(s, "balance.common_beyond_mean"), outcome(s, "balance.time_beyond_mean"), zero=of, at_most=1.0
    )
