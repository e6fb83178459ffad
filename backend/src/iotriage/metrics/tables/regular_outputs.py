"""What a job writes again and again at regular intervals, as checkpoints and fields are: found in the times of its
writes, from a heatmap, from a trace, or from the files that are written one after the other."""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import median

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.core.prefix import prefix_of
from iotriage.metrics.core.selection import LogRows, Selection
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.tables.records.own_traces import traces_of
from iotriage.metrics.tables.steps import main_step
from iotriage.metrics.tables.timestamps import first_at, last_at
from iotriage_parsers.evidence import DxtTrace
from iotriage_parsers.evidence.darshan import Float64s
from iotriage_parsers.frozen import frozen, frozen_identity

FEWEST = 4
"""Outputs: three intervals that are alike are none by chance."""
ALIKE = 0.2
"""Part of the usual interval, or of the usual bytes, by which an output may differ from the others."""
MOST_ALIKE = 0.8
"""Share of the outputs that do not differ by more: the first and the last often do."""
LIGHT = 0.1
"""Part of the largest output's bytes below which what is written between is none: a log, a line of progress."""
QUIET = 0.1
"""Part of an interval in which nothing is written, from which outputs are told apart."""
LEAST_INTERVAL_S = 10.0
"""Seconds from one to the next, from which somebody would call them outputs and not writes; ours."""
BINS_QUIET = 2
"""Bins of a heatmap without a write that part two outputs: one may lie within."""


@frozen
class RegularOutputs:
    """`count` outputs of `bytes` each, `every_s` seconds from the begin of one to that of the next; of the usual ones,
    since the first and the last may differ."""

    count: int
    every_s: float
    bytes: float


@frozen_identity
class _Writes:
    """When bytes were written, each of shape (n,); `exact_to_s` is how exactly the times are known."""

    begin: Float64s
    end: Float64s
    bytes: Float64s
    exact_to_s: float = 0.0


@cached_per_selection
def regular_outputs(s: Selection) -> RegularOutputs | None:
    """By the first source that shows any, else None; the heatmap first, whose bins are few. Of one step: each has its
    own begin and end."""
    rows = main_step(s)
    if rows is None:
        return None
    return next((found for writes in _sources(s, rows) if (found := _regular(writes)) is not None), None)


def _sources(s: Selection, rows: LogRows) -> Iterator[_Writes]:
    heat = [h for layer in ("POSIX", "STDIO", "DFS", "DAOS") if (h := rows.heatmap(layer)) and h.bin_width_s > 0]
    if heat:
        most = max(heat, key=lambda h: int(h.written.sum()))
        written = most.written.sum(axis=0).astype(np.float64)
        edges = np.arange(len(written) + 1, dtype=np.float64) * most.bin_width_s
        yield _written(_Writes(edges[:-1], edges[1:], written, most.bin_width_s))
    yield from (_of_trace(trace) for trace in traces_of(s, rows) if not trace.partial)
    if sum(map(len, rows.highest)) >= FEWEST:
        yield _of_files(rows)


def _of_trace(trace: DxtTrace) -> _Writes:
    calls = trace.segments[trace.segments["write"]]
    return _written(_Writes(calls["start"], calls["end"], calls["length"].astype(np.float64)))


def _of_files(rows: LogRows) -> _Writes:
    """Each record from its first to its last write: of files that are written at several times no interval shows."""
    tables = rows.highest
    begin = np.concatenate([np.zeros(0), *(first_at(t, "WRITE_START") for t in tables)])
    end = np.concatenate([np.zeros(0), *(last_at(t, "WRITE_END") for t in tables)])
    written = np.concatenate([np.zeros(0), *(t.count(f"{prefix_of(t)}_BYTES_WRITTEN") for t in tables)])
    return _written(_Writes(begin, end, written.astype(np.float64)))


def _written(times: _Writes) -> _Writes:
    """Those in which something was written, in their order."""
    known = (times.bytes > 0) & np.isfinite(times.begin) & (times.end >= times.begin)
    order = np.flatnonzero(known)[np.argsort(times.begin[known], kind="stable")]
    return _Writes(times.begin[order], times.end[order], times.bytes[order], times.exact_to_s)


def _regular(writes: _Writes) -> RegularOutputs | None:
    """Outputs are parted by the long pauses: half as long as the longest, or longer."""
    if len(writes.begin) < FEWEST:
        return None
    pauses = writes.begin[1:] - np.maximum.accumulate(writes.end)[:-1]
    longest = float(pauses.max())
    if longest <= 0 or longest < (BINS_QUIET - 0.5) * writes.exact_to_s:
        return None
    first = np.concatenate(([0], np.flatnonzero(pauses >= longest / 2) + 1))
    moved = np.add.reduceat(writes.bytes, first)
    heavy = moved >= LIGHT * moved.max()
    begins, moved = writes.begin[first][heavy], moved[heavy]
    if len(begins) < FEWEST:
        return None
    intervals = np.diff(begins)
    # np.median imports numpy.ma, which takes longer than a whole diagnosis.
    every, each = float(median(intervals.tolist())), float(median(moved.tolist()))
    near = _near(intervals, every, writes.exact_to_s)
    regular = near.mean() >= MOST_ALIKE and _near(moved, each, 0.0).mean() >= MOST_ALIKE
    if not regular or longest < QUIET * every:
        return None
    every = float(intervals[near].mean())
    if every < LEAST_INTERVAL_S:
        return None
    lasts = float(writes.end.max() - begins[0])
    return RegularOutputs(_count(len(begins), lasts / every, float(moved.sum()) / each), every, each)


def _count(seen: int, by_time: float, by_bytes: float) -> int:
    """One that lasts into the next is parted from it by no pause, but both its time and its bytes are of two."""
    return max(seen, min(math.ceil(by_time), round(by_bytes)))


def _near(values: Float64s, usual: float, exact_to: float) -> NDArray[np.bool_]:
    near: NDArray[np.bool_] = np.abs(values - usual) <= ALIKE * usual + exact_to
    return near
