"""What of a trace a page keeps that has no server to ask: all calls where they are few, else the longest of every
stretch of each rank; and the bytes by rank and time.

The calls that are left out are counted: the page says so, and adds up nothing of a part.
"""

from __future__ import annotations

import numpy as np

from iotriage.analysis.document.charts.activity import TracedLayer
from iotriage.analysis.views.heatmap import HeatmapView, Window, heatmap_view
from iotriage.analysis.views.pixels import Bins, RankRows
from iotriage.analysis.views.timeline import CallList, call_list
from iotriage.analysis.views.trace import HEAT_LAYERS, Calls, TracedLog
from iotriage.analysis.views.trace_summary import TraceSummary, trace_summary
from iotriage_parsers.frozen import frozen

MOST_CALLS = 20_000
"""Calls of a layer: about 20 bytes each in the file."""

THINNED_ROWS = 100
"""Rows of ranks in which a longest call is looked for, where calls are left out."""

HEAT_ROWS, HEAT_COLUMNS = 512, 256


@frozen
class EmbeddedCalls:
    """The calls of a layer that are kept, of `total`."""

    layer: TracedLayer
    total: int
    marks: CallList


@frozen
class EmbeddedTrace:
    """What the timeline of one log asks for, answered beforehand."""

    summary: TraceSummary
    calls: tuple[EmbeddedCalls, ...]
    heatmaps: tuple[HeatmapView, ...]


def embedded_trace(log: TracedLog) -> EmbeddedTrace:
    whole = Window(0.0, log.extent_s, 0, log.nprocs - 1, HEAT_ROWS, HEAT_COLUMNS)
    drawn = (heatmap_view(log, layer, whole) for layer in HEAT_LAYERS)
    return EmbeddedTrace(
        trace_summary(log),
        tuple(EmbeddedCalls(c.layer, len(c), call_list(thinned(c, log, MOST_CALLS), log)) for c in log.all_calls),
        tuple(view for view in drawn if view is not None),
    )


def thinned(calls: Calls, log: TracedLog, most: int) -> Calls:
    """At most so many: of the reads, and of the writes, that begin in one stretch of time on one row of ranks, the
    longest."""
    if len(calls) <= most:
        return calls
    rows = RankRows.of(0, log.nprocs - 1, min(THINNED_ROWS, most // 2))
    time = Bins(0.0, log.extent_s, max(1, most // (2 * rows.count)))
    cell = (rows.numbers(calls.rank) * time.count + time.numbers(calls.start)) * 2 + calls.write
    order = np.lexsort((calls.start - calls.end, cell))
    first = np.diff(cell[order], prepend=-1) != 0
    return calls.where(np.sort(order[first]))
