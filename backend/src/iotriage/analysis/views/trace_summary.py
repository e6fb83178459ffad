"""What a trace says in words and short lists: files, busiest ranks, phases in which many ranks are inside calls
together, and who comes out of them late.

DXT does not tell collective calls from independent ones: a phase is inferred from calls that overlap in time.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from iotriage.analysis.document.charts.activity import HeatKind, HeatLayer, TracedLayer
from iotriage.analysis.views.heatmap import heat_kind
from iotriage.analysis.views.trace import HEAT_LAYERS, Calls, TracedLog
from iotriage.metrics.tables.osts.traced_osts import OstCalls
from iotriage.metrics.tables.outliers import first_of_longest
from iotriage_parsers.evidence.darshan import Float64s, Int64s
from iotriage_parsers.frozen import frozen

MOST_FILES = 500
MOST_OSTS = 500
MOST_RANKS = 20
MOST_PHASES = 40

TOGETHER = 0.5
"""Share of the layer's ranks that are inside calls at the same time in a phase. Ours: no document states one."""

GAP = 0.002
"""Share of the run by which two phases are apart; ours, half a pixel of a wide screen."""

LATE = 0.1
"""Share of a phase by which its last rank ends after the middle one to be called a straggler; ours."""


@frozen
class TracedFile:
    """One file of the trace; bytes, calls and seconds in calls are of the layer that moved most of it."""

    record: str
    path: str
    bytes_read: int
    bytes_written: int
    calls: int
    time_s: float
    low_offset: int | None
    high_offset: int | None
    osts: int | None


@frozen
class RankTime:
    """Seconds that a rank spent in calls, its bytes, and when its last call ended."""

    rank: int
    host: str | None
    time_s: float
    bytes_read: int
    bytes_written: int
    last_end_s: float


@frozen
class Together:
    """A phase: at least half of the layer's ranks are inside calls together. `late_s` is how long after the middle
    rank the `last_rank` came out of its last call; `straggler` where that is a tenth of the phase or more."""

    from_s: float
    to_s: float
    ranks: int
    calls: int
    bytes: int
    last_rank: int
    late_s: float
    straggler: bool


@frozen
class Idle:
    from_s: float
    to_s: float


@frozen
class LayerTrace:
    """The calls of one layer in short. `ranks` made calls; `slowest` are the ranks that spent the most time in calls,
    longest first, `median_time_s` the middle one's. `phases_total` counts them all, `phases` has the longest, in order
    of time; `longest_idle` is the longest stretch without any call between the first and the last. `largest_bytes` is
    what the largest call moved. Of a `partial` trace nothing is known after its last call, and before it calls may be
    missing: Darshan keeps each rank's calls until its memory for them is full."""

    layer: TracedLayer
    calls: int
    partial: bool
    ranks: int
    bytes_read: int
    bytes_written: int
    largest_bytes: int
    first_start_s: float
    last_end_s: float
    slowest: tuple[RankTime, ...]
    median_time_s: float
    latest: RankTime
    phases: tuple[Together, ...]
    phases_total: int
    longest_idle: Idle | None


@frozen
class HeatSource:
    layer: HeatLayer
    kind: HeatKind


@frozen
class TraceSummary:
    """What the timeline of one log needs to begin with. `files` stand with most bytes first, `osts` with most time in
    calls on each alone; the first eight of each are the classes 0 to 7 of the colours. `heatmaps` are the layers of
    which bytes by rank and time are known. The OSTs are those of the calls of `ost_layer`; on none that is known lie
    `bytes_without_ost` of these."""

    nprocs: int
    extent_s: float
    layers: tuple[LayerTrace, ...]
    heatmaps: tuple[HeatSource, ...]
    files: tuple[TracedFile, ...]
    files_total: int
    osts: tuple[OstCalls, ...]
    osts_total: int
    ost_layer: TracedLayer
    bytes_without_ost: int


_SUMMARIES: WeakKeyDictionary[TracedLog, TraceSummary] = WeakKeyDictionary()


def trace_summary(log: TracedLog) -> TraceSummary:
    """Made once and kept for as long as the log is."""
    if log not in _SUMMARIES:
        _SUMMARIES[log] = _summary(log)
    return _SUMMARIES[log]


def _summary(log: TracedLog) -> TraceSummary:
    by_name = {c.layer: c for c in log.all_calls}
    moved = int(by_name[log.layer_of_osts].length.sum()) if by_name else 0
    return TraceSummary(
        nprocs=log.nprocs,
        extent_s=log.extent_s,
        layers=tuple(_layer(log, by_name[name]) for name in ("MPIIO", "POSIX") if name in by_name),
        heatmaps=tuple(HeatSource(name, kind) for name in HEAT_LAYERS if (kind := heat_kind(log, name)) is not None),
        files=_files(log),
        files_total=len(log.records),
        osts=log.osts[:MOST_OSTS],
        osts_total=len(log.osts),
        ost_layer=log.layer_of_osts,
        bytes_without_ost=moved - sum(one.bytes_read + one.bytes_written for one in log.osts),
    )


def _files(log: TracedLog) -> tuple[TracedFile, ...]:
    osts = {x.record: len({*x.osts, *(ost for c in x.components for ost in c.osts)}) for x in log.lustre if x.osts}
    of_layers = [_files_of_layer(calls) for calls in log.all_calls]
    found = []
    for record in log.records[:MOST_FILES]:
        uses = [layer[record] for layer in of_layers if record in layer]
        use = max(uses, key=lambda u: u.read + u.written)
        lows = [u.low for u in uses if u.low is not None]
        highs = [u.high for u in uses if u.high is not None]
        found.append(
            TracedFile(
                *(str(record), log.name_of(record), use.read, use.written, use.calls, use.time_s),
                *(min(lows, default=None), max(highs, default=None), osts.get(record)),
            )
        )
    return tuple(found)


@frozen
class _FileUse:
    """One file at one layer; `low` and `high` are its offsets, None where none was recorded."""

    read: int
    written: int
    calls: int
    time_s: float
    low: int | None
    high: int | None


def _files_of_layer(calls: Calls) -> dict[int, _FileUse]:
    records, index = calls.files
    count = len(records)
    read = np.bincount(index, weights=np.where(calls.write, 0, calls.length), minlength=count)
    written = np.bincount(index, weights=np.where(calls.write, calls.length, 0), minlength=count)
    number = np.bincount(index, minlength=count)
    time_s = np.bincount(index, weights=calls.end - calls.start, minlength=count)
    low, high = np.full(count, np.iinfo(np.int64).max), np.full(count, -1, dtype=np.int64)
    placed = calls.offset >= 0
    np.minimum.at(low, index[placed], calls.offset[placed])
    np.maximum.at(high, index[placed], (calls.offset + calls.length)[placed])
    return {
        int(record): _FileUse(
            *(int(read[i]), int(written[i]), int(number[i]), float(time_s[i])),
            *((int(low[i]), int(high[i])) if high[i] >= 0 else (None, None)),
        )
        for i, record in enumerate(records)
    }


def _layer(log: TracedLog, calls: Calls) -> LayerTrace:
    name = calls.layer
    partial = any(t.partial for t in log.traces if t.layer == name)
    ranks, index = np.unique(calls.rank, return_inverse=True)
    seconds = np.bincount(index, weights=calls.end - calls.start).astype(np.float64)
    last = _largest(index, calls.end, len(ranks))
    read = np.bincount(index, weights=np.where(calls.write, 0, calls.length))
    written = np.bincount(index, weights=np.where(calls.write, calls.length, 0))
    hosts = log.hostnames

    def of(i: int) -> RankTime:
        rank = int(ranks[i])
        moved = int(read[i]), int(written[i])
        return RankTime(rank, hosts.get(rank), float(seconds[i]), *moved, float(last[i]))

    found = together(calls)
    longest = sorted(sorted(found, key=lambda p: p.from_s - p.to_s)[:MOST_PHASES], key=lambda p: p.from_s)
    return LayerTrace(
        layer=name,
        calls=len(calls),
        partial=partial,
        ranks=len(ranks),
        bytes_read=int(calls.length[~calls.write].sum()),
        bytes_written=int(calls.length[calls.write].sum()),
        largest_bytes=int(calls.length.max()),
        first_start_s=float(calls.start.min()),
        last_end_s=float(calls.end.max()),
        slowest=tuple(of(int(i)) for i in _longest_first(seconds)[:MOST_RANKS]),
        median_time_s=float(np.median(seconds)),
        latest=of(int(np.argmax(last))),
        phases=tuple(longest),
        phases_total=len(found),
        longest_idle=_longest_idle(calls),
    )


def _longest_first(seconds: Float64s) -> Int64s:
    """Of those that tie for the longest, the first rank leads, as it does in the case."""
    first = first_of_longest(seconds)
    order = np.argsort(-seconds, kind="stable")
    return np.concatenate([[first], order[order != first]])


def _largest(index: Int64s, values: Float64s, count: int) -> Float64s:
    found = np.full(count, -np.inf)
    np.maximum.at(found, index, values)
    return found


def together(calls: Calls) -> list[Together]:
    """The phases in which at least half of the ranks that make calls are inside one at the same time, in order. Calls
    of one rank that overlap, as those of threads, are one rank inside; one rank alone has no phases."""
    ranks = len(np.unique(calls.rank))
    if ranks < 2:
        return []
    needed = max(2, int(np.ceil(ranks * TOGETHER)))
    starts, entered, left = calls.start[calls.by_start], *_stays(calls)
    # Ends first: who leaves as another enters is not inside with it.
    events = np.concatenate([left, entered])
    order = np.argsort(events, kind="stable")
    inside = np.cumsum(np.where(order < len(left), -1, 1))
    times = events[order]
    on = inside >= needed
    before = np.concatenate([[False], on[:-1]])
    begins, leaves = np.flatnonzero(on & ~before), np.flatnonzero(~on & before)
    gap = GAP * float(calls.end.max() - calls.start.min())
    spans: list[tuple[float, float]] = []
    for start, end in zip(times[begins].tolist(), times[leaves].tolist(), strict=True):
        if spans and start - spans[-1][1] <= gap:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    reached = np.maximum.accumulate(calls.end[calls.by_start])
    found = []
    for low, high in spans:
        first, last = int(np.searchsorted(reached, low, side="right")), int(np.searchsorted(starts, high, side="left"))
        some = calls.by_start[first:last]
        found.append(_phase(calls.where(some[calls.end[some] > low])))
    return found


def _stays(calls: Calls) -> tuple[Float64s, Float64s]:
    """When a rank went into calls, and when it came out of the last of those that overlap, in no order."""
    order = np.lexsort((calls.start, calls.rank))
    rank, start, end = calls.rank[order], calls.start[order], calls.end[order]
    # Each rank's times behind those of the rank before, so that the latest end so far is one of its own.
    behind = np.unique(rank, return_inverse=True)[1] * (float(end.max()) - float(start.min()) + 1.0)
    reached = np.maximum.accumulate(end + behind)
    enters = np.flatnonzero(np.concatenate([[True], (start + behind)[1:] > reached[:-1]]))
    return start[enters], np.maximum.reduceat(end, enters)


def _phase(calls: Calls) -> Together:
    """The phase made of the calls that overlap the stretch in which enough ranks are inside."""
    ranks, index = np.unique(calls.rank, return_inverse=True)
    out = _largest(index, calls.end, len(ranks))
    begin, end = float(calls.start.min()), float(out.max())
    late = end - float(np.median(out))
    last = int(ranks[int(np.argmax(out))])
    is_late = end > begin and late >= LATE * (end - begin)
    return Together(
        from_s=begin,
        to_s=end,
        ranks=len(ranks),
        calls=len(calls),
        bytes=int(calls.length.sum()),
        last_rank=last,
        late_s=late,
        straggler=is_late,
    )


def _longest_idle(calls: Calls) -> Idle | None:
    order = calls.by_start
    reached = np.maximum.accumulate(calls.end[order])[:-1]
    gaps = calls.start[order][1:] - reached
    if not len(gaps) or float(gaps.max()) <= 0:
        return None
    at = int(np.argmax(gaps))
    return Idle(float(reached[at]), float(calls.start[order][at + 1]))
