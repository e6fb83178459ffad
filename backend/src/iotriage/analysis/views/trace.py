"""The calls of a DXT trace as columns, and which logs and layers of a case have a trace or a heatmap."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Literal
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from iotriage.analysis.document.charts.activity import HeatLayer, TracedLayer
from iotriage.metrics.core.selection import nameless
from iotriage.metrics.tables.osts.placement import Accesses, Placement, extents_of
from iotriage.metrics.tables.osts.traced_osts import OstCalls, sums_of
from iotriage_parsers.evidence import DarshanLog, DxtTrace, Evidence, Heatmap, Job, LustreLayout
from iotriage_parsers.evidence.darshan import Bools, Float64s, Int64s
from iotriage_parsers.frozen import frozen_identity

Operation = Literal["read", "write"]

HEAT_LAYERS: tuple[HeatLayer, ...] = ("MPIIO", "POSIX", "STDIO", "DFS", "DAOS")
MOST_RANKS = 2**24


@frozen_identity
class Calls:
    """The calls of one layer, one array a quantity, shape (n,), in the order of the trace; `offset` −1 where it was not
    recorded."""

    layer: TracedLayer
    rank: Int64s
    write: Bools
    record: NDArray[np.uint64]
    offset: Int64s
    length: Int64s
    start: Float64s
    end: Float64s

    def __len__(self) -> int:
        return len(self.rank)

    @cached_property
    def files(self) -> tuple[NDArray[np.uint64], Int64s]:
        """The records that occur, and for each call which of them is its own."""
        records, index = np.unique(self.record, return_inverse=True)
        return records, index

    @cached_property
    def by_start(self) -> Int64s:
        """The calls' numbers in order of their start."""
        order: Int64s = np.argsort(self.start, kind="stable")
        return order

    @property
    def accesses(self) -> Accesses:
        return Accesses(self.record, self.offset, self.length)

    def where(self, mask: Bools | Int64s) -> Calls:
        return Calls(
            self.layer,
            *(self.rank[mask], self.write[mask], self.record[mask], self.offset[mask], self.length[mask]),
            *(self.start[mask], self.end[mask]),
        )


@frozen_identity
class TracedLog:
    """What one log, or text of a trace, has of time and ranks: the calls and the heatmap of each layer that has one.
    `extent_s` reaches beyond the last call; `nprocs` covers every rank that is seen."""

    traces: tuple[DxtTrace, ...]
    heatmaps: tuple[Heatmap, ...]
    nprocs: int
    extent_s: float
    lustre: tuple[LustreLayout, ...]

    def calls(self, layer: TracedLayer) -> Calls | None:
        trace = next((t for t in self.traces if t.layer == layer), None)
        return None if trace is None else calls_of(trace)

    def heatmap(self, layer: HeatLayer) -> Heatmap | None:
        return next((h for h in self.heatmaps if h.layer == layer), None)

    def name_of(self, record: int) -> str:
        """The path of a file, or what it is called where no name was kept."""
        return next((name for t in self.traces if (name := t.names.get(record))), nameless(record))

    @cached_property
    def records(self) -> tuple[int, ...]:
        """The files of the traces by the bytes of the layer that moved most of each, most first."""
        most: dict[int, float] = {}
        for calls in self.all_calls:
            records, index = calls.files
            moved = np.bincount(index, weights=calls.length, minlength=len(records))
            for record, size in zip(records.tolist(), moved.tolist(), strict=True):
                most[record] = max(most.get(record, 0.0), size)
        return tuple(sorted(most, key=lambda record: (-most[record], self.name_of(record))))

    @cached_property
    def placement(self) -> Placement:
        """Where the bytes of the traced files lie, as far as the log has their layouts."""
        return Placement({layout.record: extents_of(layout) for layout in self.lustre})

    @cached_property
    def osts(self) -> tuple[OstCalls, ...]:
        """The OSTs by the time of the calls on each alone, then by bytes, most first; of the lowest layer that was
        traced. An MPI-IO call is laid down as if it were one piece: with a file view it need not be."""
        calls = self.calls(self.layer_of_osts)
        if calls is None or not self.placement:
            return ()
        sums, _ = sums_of(self.placement, calls.accesses, calls.write, calls.end - calls.start)
        return tuple(sorted(sums.by_ost(), key=lambda one: (-one.alone_s, -(one.bytes_read + one.bytes_written))))

    @property
    def layer_of_osts(self) -> TracedLayer:
        return "POSIX" if self.calls("POSIX") is not None else "MPIIO"

    @property
    def all_calls(self) -> tuple[Calls, ...]:
        return tuple(c for t in self.traces if len(c := calls_of(t)))

    @property
    def hostnames(self) -> dict[int, str]:
        return {rank: host for t in self.traces for rank, host in t.hostnames.items()}


_COLUMNS: WeakKeyDictionary[DxtTrace, Calls] = WeakKeyDictionary()
_LOGS: WeakKeyDictionary[Evidence, TracedLog | None] = WeakKeyDictionary()


def calls_of(trace: DxtTrace) -> Calls:
    """The trace's calls as columns; kept for as long as the trace is, since making them takes longer than most uses.
    Calls of ranks that cannot be are left out."""
    cached = _COLUMNS.get(trace)
    if cached is None:
        segments = trace.segments
        sound = (segments["rank"] >= 0) & (segments["rank"] < MOST_RANKS)
        if not sound.all():
            segments = segments[sound]
        columns = {name: np.ascontiguousarray(segments[name]) for name in segments.dtype.names or ()}
        cached = Calls(
            trace.layer,
            *(columns[name] for name in ("rank", "write", "record", "offset", "length", "start", "end")),
        )
        _COLUMNS[trace] = cached
    return cached


def traced_log(evidence: Evidence) -> TracedLog | None:
    """What one source has, kept for as long as its evidence is; None where there is neither trace nor heatmap. Of a
    source with several logs the first that has either."""
    if evidence not in _LOGS:
        _LOGS[evidence] = _traced_log(evidence)
    return _LOGS[evidence]


def _traced_log(evidence: Evidence) -> TracedLog | None:
    logs = evidence.of(DarshanLog)
    traces = tuple(_one_a_layer(t for t in evidence.of(DxtTrace) if len(calls_of(t))))
    heatmaps = next((log.heatmaps for log in logs if log.heatmaps), ())
    heatmaps = tuple(h for h in heatmaps if len(h.ranks) and h.read.shape[1] and h.bin_width_s > 0)
    if not traces and not heatmaps:
        return None
    jobs = [*(log.job for log in logs), *(t.job for t in traces if t.job is not None)]
    return TracedLog(
        traces,
        heatmaps,
        _nprocs(jobs, traces, heatmaps),
        _extent_s(jobs, traces, heatmaps),
        tuple(layout for log in logs for layout in log.lustre) or tuple(x for t in traces for x in t.lustre),
    )


def _one_a_layer(traces: Iterator[DxtTrace]) -> Iterator[DxtTrace]:
    seen: set[str] = set()
    for trace in traces:
        if trace.layer not in seen:
            seen.add(trace.layer)
            yield trace


def _nprocs(jobs: Sequence[Job], traces: Sequence[DxtTrace], heatmaps: Sequence[Heatmap]) -> int:
    stated = max((job.nprocs or 0 for job in jobs), default=0)
    seen = [int(c.rank.max()) for t in traces if len(c := calls_of(t))]
    seen += [int(h.ranks.max()) for h in heatmaps]
    return min(MOST_RANKS, max([stated, *(rank + 1 for rank in seen)]))


def _extent_s(jobs: Sequence[Job], traces: Sequence[DxtTrace], heatmaps: Sequence[Heatmap]) -> float:
    """From 0 to the end of the run, or beyond the last that is seen where that is later. A heatmap's bins reach further
    than its run: only those with bytes count."""
    run = max((job.runtime_s or 0.0 for job in jobs), default=0.0)
    last = [float(np.nextafter(c.end.max(), np.inf)) for t in traces if len(c := calls_of(t))]
    last += [h.bin_width_s * (int(used[-1]) + 1) for h in heatmaps if len(used := _used_bins(h))]
    return max([run, *last, 1e-6])


def _used_bins(heatmap: Heatmap) -> Int64s:
    return np.flatnonzero((heatmap.read.sum(axis=0) + heatmap.written.sum(axis=0)) > 0)
