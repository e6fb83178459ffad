"""Whether later files took longer, by what MPICH_MPIIO_TIMERS printed when each was closed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from iotriage.metrics.core.metric import Absent
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.files.alike import near_median
from iotriage.metrics.tables.files.slower import FEWEST, SlowerFiles, of_storage, slower, slower_files
from iotriage.metrics.tables.texts.phases import TimersBlock, all_rank_blocks, seconds_of, share_of_total

Timed = tuple[TimersBlock, float, float]
"""A close, its seconds, and those of the ranks that read or write."""


def closes_alike(s: Selection) -> list[Timed]:
    """Of the files of one output that were each closed once, in the order of their closes: those of as many bytes and
    calls, on as many stripes, by as many aggregators."""
    closes = [timed for block in all_rank_blocks(s) if (timed := _timed(block, s)) is not None]
    names = [block.file for block, *_ in closes]
    if len(set(names)) < len(names) or len({(b.source, b.block.direction) for b, *_ in closes}) != 1:
        return []
    return _alike(closes)


def slower_by_timers(s: Selection) -> SlowerFiles | None:
    """Whether later closes took longer; None where there are too few of them."""
    closes = closes_alike(s)
    if len(closes) < FEWEST:
        return None
    took, access = (np.array([timed[i] for timed in closes], np.float64) for i in (1, 2))
    found = slower(took)
    if found is not None and not of_storage(took, access, found):
        found = None
    files = slower_files(took, found)
    return replace(files, name=closes[files.first_slow][0].file)


def _timed(block: TimersBlock, s: Selection) -> Timed | None:
    access = block.block.phase("file access")
    share = None if access is None else share_of_total(block, access)
    seconds = seconds_of(block, s)
    if block.stats is None or share is None or block.of_one_rank or isinstance(seconds, Absent) or seconds.seconds <= 0:
        return None
    return block, seconds.seconds, seconds.seconds * share


def _alike(closes: list[Timed]) -> list[Timed]:
    if not closes:
        return []
    stats = [block.stats.block for block, *_ in closes if block.stats is not None]
    moved = np.array([b.total_bytes or 0 for b in stats], np.float64)
    calls = np.array([(b.independent_accesses or 0) + (b.collective_accesses or 0) for b in stats], np.float64)
    system = np.array([b.system_accesses or 0 for b in stats], np.float64)
    same = near_median(moved) & near_median(calls) & near_median(system)
    laid_out = [(b.stripe_count, b.stripe_size_bytes, b.aggregators) for b in stats]
    most = max(laid_out, key=laid_out.count)
    return [one for one, near, where in zip(closes, same.tolist(), laid_out, strict=True) if near and where == most]
