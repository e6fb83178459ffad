"""What the calls in a part of the timeline add up to. A call counts whole where any part of it lies within."""

from __future__ import annotations

import numpy as np

from iotriage.analysis.document.charts.activity import TracedLayer
from iotriage.analysis.views.heatmap import Window
from iotriage.analysis.views.timeline import CallList, Filter, Rows, call_list, in_view
from iotriage.analysis.views.trace import Calls, TracedLog
from iotriage_parsers.evidence.darshan import Float64s
from iotriage_parsers.frozen import frozen

MOST_LISTED = 10
"""Calls that are listed, the longest first."""


@frozen
class CallTimes:
    """Seconds of a call: each is that of one of the calls, the smallest that so large a share of them does not
    exceed."""

    least: float
    median: float
    p90: float
    p99: float
    most: float


@frozen
class SelectedCalls:
    """The calls of one layer in a window. `busy_s` are the seconds in which at least one of them runs, whoever's, and
    `in_calls_s` those of all ranks together. `osts` hold their bytes but for `bytes_without_ost`; None where no layout
    is known. `from_s` to `to_s` is from the first beginning to the last end, and that and `call_s` are None where there
    are no calls. `longest` are listed in order of their start."""

    layer: TracedLayer
    reads: int
    writes: int
    bytes_read: int
    bytes_written: int
    ranks: int
    files: int
    osts: int | None
    bytes_without_ost: int | None
    from_s: float | None
    to_s: float | None
    busy_s: float
    in_calls_s: float
    call_s: CallTimes | None
    longest: CallList


def selected_calls(log: TracedLog, chosen: Filter, asked: Window, down: Rows | None) -> SelectedCalls | None:
    """None where the log has no trace of this layer."""
    every = log.calls(chosen.layer)
    if every is None:
        return None
    calls = in_view(every, chosen, log.placement, asked, down)
    seconds = calls.end - calls.start
    writes = int(calls.write.sum())
    written = int(calls.length[calls.write].sum())
    osts, without = _osts(log, calls)
    longest = np.argsort(-seconds, kind="stable")[:MOST_LISTED]
    return SelectedCalls(
        layer=calls.layer,
        reads=len(calls) - writes,
        writes=writes,
        bytes_read=int(calls.length.sum()) - written,
        bytes_written=written,
        ranks=len(np.unique(calls.rank)),
        files=len(np.unique(calls.record)),
        osts=osts,
        bytes_without_ost=without,
        from_s=float(calls.start.min()) if len(calls) else None,
        to_s=float(calls.end.max()) if len(calls) else None,
        busy_s=_busy_s(calls),
        in_calls_s=float(seconds.sum()),
        call_s=_times(seconds),
        longest=call_list(calls.where(longest), log),
    )


def _osts(log: TracedLog, calls: Calls) -> tuple[int | None, int | None]:
    """How many OSTs hold the calls' bytes, and the bytes of which none is known."""
    if not log.placement:
        return None, None
    held = log.placement.laid(calls.accesses).held
    return len(np.unique(log.placement.ost[held > 0])), int(calls.length.sum()) - int(held.sum())


def _busy_s(calls: Calls) -> float:
    order = calls.by_start
    start, end = calls.start[order], calls.end[order]
    before = np.concatenate(([-np.inf], np.maximum.accumulate(end)[:-1])) if len(end) else end
    return float(np.maximum(0.0, end - np.maximum(start, before)).sum())


def _times(seconds: Float64s) -> CallTimes | None:
    if not len(seconds):
        return None
    least, median, p90, p99, most = np.percentile(seconds, [0, 50, 90, 99, 100], method="inverted_cdf").tolist()
    return CallTimes(least, median, p90, p99, most)
