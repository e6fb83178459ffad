"""Whether the ranks that are slow on one OST are as slow on others: then the cause is not the server. `slowest_pace`
compares a rank with itself on the compared OSTs. This module compares its other files, wherever they lie: striped
files, and those of another group or another file system."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Literal

import numpy as np

from iotriage.metrics.core.selection import LogRows, Selection, unique_inverse
from iotriage.metrics.core.selection_cache import cached_per_log
from iotriage.metrics.tables.osts.one_rank_files import one_rank_files
from iotriage.metrics.tables.outliers import NEARLY_ALL, median, quantile

Elsewhere = Literal["slow", "as others", "unknown"]

SLOW = 1.5
"""Factor over the time that files of one kind usually take from which a rank is slow. Ours: a rank that its node, or
another process on its core, holds up is slow in all that it does, if not by the same factor."""

ENOUGH_RANKS = 4
"""Number of ranks with files of one kind from which a usual time can be stated."""

_NUMBERS = re.compile(r"\d+")


def ranks_elsewhere(s: Selection, slow_osts: Collection[int], ranks: Collection[tuple[int, int]]) -> Elsewhere:
    """How most of `ranks`, each with the source of its log, do on files that lie on none of `slow_osts`, held against
    other ranks on files of one kind. A group may have files in some logs of the job only."""
    of_sources: dict[int, set[int]] = {}
    for source, rank in ranks:
        of_sources.setdefault(source, set()).add(rank)
    logs = ((rows, of_sources.get(rows.source, set())) for rows in s.whole.logs)
    known = [as_slow for rows, mine in logs if mine for as_slow in _of_log(rows, slow_osts, mine)]
    if not known:
        return "unknown"
    return "slow" if sum(known) > len(known) / 2 else "as others"


def _of_log(rows: LogRows, slow_osts: Collection[int], mine: Collection[int]) -> Iterator[bool]:
    ratios = _ratios(rows, frozenset(slow_osts))
    others = np.array([ratio for rank, ratio in ratios.items() if rank not in mine])
    if not len(others):
        return
    from_ratio = max(SLOW, quantile(others, NEARLY_ALL))
    for rank in ratios.keys() & mine:
        yield ratios[rank] >= from_ratio


@cached_per_log
def _ratios(rows: LogRows, slow_osts: frozenset[int]) -> dict[int, float]:
    """By rank, the ratio of its seconds to those that others usually take for as many bytes in files of one kind."""
    every = one_rank_files(rows)
    beside = [slow_osts.isdisjoint(_osts(rows, record)) for record in every.record.tolist()]
    found = every.rows(np.array(beside, dtype=np.bool_))
    rank, moved, took = found.rank, found.moved, found.seconds
    if not len(rank):
        return {}
    names = [_NUMBERS.sub("#", rows.name_of(record) or "") for record in found.record.tolist()]
    kinds = {name: i for i, name in enumerate(dict.fromkeys(names))}
    kind = np.array([kinds[name] for name in names], np.int64)
    usual = np.full(len(kinds), np.nan)
    # Names with letters of their own may be as many kinds as files.
    for of_kind in np.split(np.argsort(kind, kind="stable"), np.cumsum(np.bincount(kind))[:-1]):
        if len(set(rank[of_kind].tolist())) >= ENOUGH_RANKS:
            usual[kind[of_kind[0]]] = median(took[of_kind] / moved[of_kind])
    known = np.isfinite(usual[kind])
    ids, index = unique_inverse(rank[known])
    expected = np.bincount(index, moved[known] * usual[kind[known]], len(ids))
    spent = np.bincount(index, took[known], len(ids))
    return dict(zip(ids.tolist(), (spent / expected).tolist(), strict=True))


def _osts(rows: LogRows, record: int) -> tuple[int, ...]:
    layout = rows.layout_of(record)
    return () if layout is None else layout.osts
