"""Which ranks moved the bytes of MPI-IO files in the calls below MPI-IO, where a source distinguishes ranks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.core.selection import LogRows, Selection, unique_inverse
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.tables.counters import is_partial, sum_counters
from iotriage.metrics.tables.files.shared import NEARLY_ALL
from iotriage.metrics.tables.records.own_traces import traces_of
from iotriage_parsers.evidence import CounterTable

RankBasis = Literal["records", "trace", "heatmap"]


@cached_per_selection
def ranks_below(s: Selection) -> tuple[LogRows, RankBasis, dict[int, int]] | None:
    """The log with most bytes below MPI-IO, and those of each rank by the surest source; None where none tells ranks
    apart."""
    rows = max(s.logs, key=_bytes_below, default=None)
    if rows is None or not _bytes_below(rows):
        return None
    return next(((rows, basis, moved) for basis, moved in _moved_by_rank(s, rows) if moved), None)


def _bytes_below(rows: LogRows) -> int:
    below = rows.posix_below_mpiio
    return 0 if below is None else sum_counters(below, "POSIX_BYTES_READ", "POSIX_BYTES_WRITTEN")


def _moved_by_rank(s: Selection, rows: LogRows) -> Iterator[tuple[RankBasis, dict[int, int]]]:
    below = rows.posix_below_mpiio
    if below is not None:
        yield from moved_by_rank(s, rows, below)


def moved_by_rank(s: Selection, rows: LogRows, table: CounterTable) -> Iterator[tuple[RankBasis, dict[int, int]]]:
    """Bytes of each rank in the files of these POSIX records, the surest source first: the ranks' own records, where
    those of all ranks have next to none of the bytes, a whole trace, and a heatmap, whose bins do not tell files apart,
    where these files have nearly all of its bytes."""
    amounts, own = _moved(table), table.ranks >= 0
    if amounts[own].sum() >= NEARLY_ALL * amounts.sum() and not is_partial(rows, "POSIX"):
        yield "records", _summed(table.ranks[own], amounts[own])
    for trace in traces_of(s, rows):
        if trace.layer == "POSIX" and not trace.partial:
            mine = np.isin(trace.segments["record"], table.ids)
            yield "trace", _summed(trace.segments["rank"][mine], trace.segments["length"][mine].clip(0))
    heat = next((h for h in rows.log.heatmaps if h.layer == "POSIX"), None)
    if heat is not None:
        moved = (heat.read + heat.written).sum(axis=1)
        if amounts.sum() >= NEARLY_ALL * moved.sum():
            yield "heatmap", _summed(heat.ranks, moved)


def _moved(table: CounterTable) -> NDArray[np.int64]:
    read, written = (np.maximum(table.count(f"POSIX_BYTES_{way}"), 0) for way in ("READ", "WRITTEN"))
    moved: NDArray[np.int64] = read + written
    return moved


def _summed(ranks: NDArray[np.int64], moved: NDArray[np.int64]) -> dict[int, int]:
    known, index = unique_inverse(ranks)
    sums = np.zeros(len(known), dtype=np.int64)
    np.add.at(sums, index, moved)
    return {rank: amount for rank, amount in zip(known.tolist(), sums.tolist(), strict=True) if amount > 0}
