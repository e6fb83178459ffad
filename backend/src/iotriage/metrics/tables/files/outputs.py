"""The outputs of a run, one after the other: files that all ranks share, or of which each rank has one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.core.selection import unique
from iotriage.metrics.core.table_cache import cached_per_table
from iotriage.metrics.tables.files.alike import calls_of, first_moved, near_median
from iotriage.metrics.tables.rank_times import rank_bytes, rank_times
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.evidence.darshan import Float64s
from iotriage_parsers.frozen import frozen_identity

SEVERAL_RANKS = 4
"""Ranks that each have a file of an output, from which they are slow together and not by chance."""


@frozen_identity
class Outputs:
    """One after the other, shape (n,) each: the record that took longest, the seconds of the slowest rank and of the
    mean one, and when each began. Where each is a file of every rank, `every` has the places of these in the table, in
    an order of the ranks, shape (ranks, n); None where all share it."""

    records: NDArray[np.uint64]
    slowest: Float64s
    mean: Float64s
    began: Float64s
    every: NDArray[np.intp] | None = None


@cached_per_table
def outputs_of_ranks(table: CounterTable, fewest: int) -> Outputs | None:
    """The outputs that are a file of each rank: the first of all ranks, the second, and so on, where no rank begins one
    before all have begun the one before; None of less than `fewest`."""
    places = np.flatnonzero(table.ranks >= 0)
    if len(places) < SEVERAL_RANKS * fewest:
        return None
    own = table.rows(places)
    alike = near_median(rank_bytes(own)) & near_median(calls_of(own)) & np.isfinite(first_moved(own))
    places, own = places[alike], own.rows(alike)
    ranks = len(unique(own.ranks))
    each = len(own) // max(1, ranks)
    if ranks < SEVERAL_RANKS or each < fewest or each * ranks != len(own):
        return None
    order = np.lexsort((first_moved(own), own.ranks)).reshape(ranks, each)
    if bool((own.ranks[order] != own.ranks[order[:, :1]]).any()):
        return None
    began, took = first_moved(own)[order], rank_times(own)[order]
    if bool((began[:, :-1].max(axis=0) > began[:, 1:].min(axis=0)).any()):
        return None
    longest = own.ids[order[took.argmax(axis=0), np.arange(each)]]
    return Outputs(longest, took.max(axis=0), took.mean(axis=0), began.min(axis=0), places[order])
