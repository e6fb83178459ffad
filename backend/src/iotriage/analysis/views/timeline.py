"""The calls of a trace, as they are drawn: themselves where few are in view, and pixels where there are many.

A pixel says what was done in it by the calls that touch it, however short they are, and how much of its time the
busiest of its ranks spent inside calls.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from iotriage.analysis.views.heatmap import Window, grid_of
from iotriage.analysis.views.pixels import (
    Bins,
    Float64s,
    Int64s,
    Mask,
    Packed,
    RankRows,
    packed,
    touched,
    touched_boxes,
)
from iotriage.analysis.views.trace import Calls, Operation, TracedLayer, TracedLog
from iotriage.by_kind import ByKind
from iotriage.metrics.tables.osts.placement import Placement
from iotriage_parsers.frozen import frozen

MOST_CALLS = 20_000
"""Calls that travel one by one; more are drawn as pixels."""

MOST_CLASSES = 8
"""Files or OSTs that have a colour of their own."""

NO_CLASS = 255
UNKNOWN_OST = 2**32 - 1

Colour = Literal["operation", "file", "ost", "layer"]
Layers = Literal["POSIX", "MPIIO", "both"]
READ, WRITE, BOTH = 0, 1, 2
POSIX, MPIIO = 0, 1


@frozen
class Filter:
    """What of the trace is shown. `record` is Darshan's id of a file; of an `ost` the calls that have bytes on it. None
    stands for all."""

    layers: Layers
    operation: Operation | None
    record: int | None
    ost: int | None = None


@frozen
class Offsets:
    """The bytes of one file that are in view, `high` not included."""

    low: int
    high: int


@frozen
class CallList:
    """The calls in view, in order of their start; offsets and lengths in bytes, offset −1 where it was not recorded.
    `operation` 0 read, 1 write; `layer` 0 POSIX, 1 MPI-IO; `file` and `ost` are classes, see `TraceSummary`; 255: none
    of those. `record` indexes `records`. `ost` is of the call's first byte, as is `first_ost`, its index in Lustre;
    4294967295 where it is not known."""

    calls: int
    rank: Packed
    operation: Packed
    layer: Packed
    record: Packed
    records: tuple[str, ...]
    offset: Packed
    length: Packed
    start_s: Packed
    end_s: Packed
    file: Packed
    ost: Packed
    first_ost: Packed
    kind: Literal["calls"] = "calls"


@frozen
class CallPixels:
    """(rows, columns) uint8 each. `fill`: 0 where no call touches the pixel, else how much of its time the busiest rank
    spent inside calls, 1 to 255; of offsets, the more calls the more. `code` is what most of it belongs to: 0 read,
    1 write, 2 both; 0 POSIX, 1 MPI-IO; the class of a file or an OST, 255 none of those."""

    calls: int
    rows: int
    columns: int
    fill: Packed
    code: Packed
    kind: Literal["pixels"] = "pixels"


@frozen
class TimelineView:
    """A window of the timeline, and what is in it. `low_offset` and `high_offset` where rows are offsets of a file."""

    from_s: float
    to_s: float
    first_rank: int
    last_rank: int
    low_offset: int | None
    high_offset: int | None
    marks: Annotated[CallList | CallPixels, ByKind()]


def filtered(calls: Calls, chosen: Filter, placement: Placement) -> Mask:
    mask: Mask = np.ones(len(calls), dtype=np.bool_)
    if chosen.operation is not None:
        mask &= calls.write == (chosen.operation == "write")
    if chosen.record is not None:
        mask &= calls.record == np.uint64(chosen.record)
    if chosen.ost is not None:
        mask &= placement.on(calls.accesses, chosen.ost)
    return mask


def timeline_view(
    log: TracedLog, chosen: Filter, colour: Colour, asked: Window, offsets: Offsets | None
) -> TimelineView | None:
    """The window of what is chosen; None where the log has no trace of these layers."""
    layers = [c for name in _layers(chosen.layers) if (c := log.calls(name)) is not None]
    if not layers:
        return None
    time = Bins(asked.from_s, asked.to_s, asked.columns)
    seen = [_in_view(calls, chosen, log.placement, time, asked, offsets) for calls in layers]
    if sum(map(len, seen)) <= MOST_CALLS:
        marks: CallList | CallPixels = _list(seen, log)
    elif offsets is None:
        marks = _rank_pixels(seen, log, colour, time, RankRows.of(asked.first_rank, asked.last_rank, asked.rows))
    else:
        marks = _offset_pixels(seen, log, colour, time, offsets, asked.rows)
    low, high = (None, None) if offsets is None else (offsets.low, offsets.high)
    return TimelineView(asked.from_s, asked.to_s, asked.first_rank, asked.last_rank, low, high, marks)


def _layers(layers: Layers) -> tuple[TracedLayer, ...]:
    return ("MPIIO", "POSIX") if layers == "both" else (layers,)


def _in_view(
    calls: Calls, chosen: Filter, placement: Placement, time: Bins, asked: Window, offsets: Offsets | None
) -> Calls:
    mask = filtered(calls, chosen, placement) & time.overlapping(calls.start, calls.end)
    mask &= (calls.rank >= asked.first_rank) & (calls.rank <= asked.last_rank)
    if offsets is not None:
        ends = calls.offset + np.maximum(calls.length, 1)
        mask &= (calls.offset >= 0) & (calls.offset < offsets.high) & (ends > offsets.low)
    return calls.where(mask)


def _list(seen: Sequence[Calls], log: TracedLog) -> CallList:
    order = np.argsort(np.concatenate([c.start for c in seen]), kind="stable")

    def joined(columns: list[NDArray[np.generic]]) -> NDArray[np.generic]:
        return np.concatenate(columns)[order]

    records, index = np.unique(np.concatenate([c.record for c in seen]), return_inverse=True)
    return CallList(
        len(order),
        packed(joined([c.rank for c in seen]), "uint32"),
        packed(joined([c.write for c in seen]), "uint8"),
        packed(joined([_codes(c, "layer", log) for c in seen]), "uint8"),
        packed(index[order], "uint32"),
        tuple(str(int(r)) for r in records),
        packed(joined([c.offset for c in seen]), "float64"),
        packed(joined([c.length for c in seen]), "float64"),
        packed(joined([c.start for c in seen]), "float64"),
        packed(joined([c.end for c in seen]), "float64"),
        packed(joined([_codes(c, "file", log) for c in seen]), "uint8"),
        packed(joined([_codes(c, "ost", log) for c in seen]), "uint8"),
        packed(joined([_first_osts(c, log.placement) for c in seen]), "uint32"),
    )


def _rank_pixels(seen: Sequence[Calls], log: TracedLog, colour: Colour, time: Bins, rows: RankRows) -> CallPixels:
    shape = (rows.count, time.count)
    busy = np.zeros(shape)
    counts: dict[int, Int64s] = {}
    for calls in seen:
        codes = _codes(calls, colour, log)
        number = rows.numbers(calls.rank)
        first, last = time.span(calls.start, calls.end)
        np.maximum(busy, grid_of(calls, calls.end - calls.start, time, rows).busiest, out=busy)
        for code in np.unique(codes):
            mine = codes == code
            found = touched(number[mine], first[mine], last[mine], shape)
            counts[int(code)] = counts[int(code)] + found if int(code) in counts else found
    return _pixels(sum(map(len, seen)), busy / time.width, counts, colour, shape)


def _offset_pixels(
    seen: Sequence[Calls], log: TracedLog, colour: Colour, time: Bins, offsets: Offsets, rows: int
) -> CallPixels:
    place = Bins(float(offsets.low), float(offsets.high), rows)
    shape = (rows, time.count)
    counts: dict[int, Int64s] = {}
    for calls in seen:
        codes = _codes(calls, colour, log)
        top, bottom = place.span(calls.offset.astype(np.float64), (calls.offset + calls.length).astype(np.float64))
        first, last = time.span(calls.start, calls.end)
        for code in np.unique(codes):
            mine = codes == code
            found = touched_boxes(top[mine], bottom[mine], first[mine], last[mine], shape)
            counts[int(code)] = counts[int(code)] + found if int(code) in counts else found
    many = sum(counts.values(), np.zeros(shape, dtype=np.int64))
    return _pixels(sum(map(len, seen)), np.minimum(1.0, (1 + np.log2(np.maximum(many, 1))) / 6), counts, colour, shape)


def _pixels(
    calls: int, share: Float64s, counts: dict[int, Int64s], colour: Colour, shape: tuple[int, int]
) -> CallPixels:
    """`counts`: calls that touch each pixel by what they are. What has most calls in a pixel gives it its colour."""
    many = sum(counts.values(), np.zeros(shape, dtype=np.int64))
    most = np.zeros(shape, dtype=np.int64)
    code = np.zeros(shape, dtype=np.uint8)
    for what in sorted(counts):
        more = counts[what] > most
        code[more] = what
        most[more] = counts[what][more]
    if colour == "operation" and READ in counts and WRITE in counts:
        code[(counts[READ] > 0) & (counts[WRITE] > 0)] = BOTH
    if colour == "layer" and POSIX in counts:
        code[counts[POSIX] > 0] = POSIX
    fill = np.where(many > 0, np.clip(np.ceil(share * 255), 1, 255), 0)
    return CallPixels(calls, shape[0], shape[1], packed(fill, "uint8"), packed(code, "uint8"))


def _codes(calls: Calls, colour: Colour, log: TracedLog) -> NDArray[np.uint8]:
    if colour == "operation":
        return calls.write.astype(np.uint8)
    if colour == "layer":
        return np.full(len(calls), POSIX if calls.layer == "POSIX" else MPIIO, dtype=np.uint8)
    if colour == "file":
        return _index_of(calls.record, np.array(log.records[:MOST_CLASSES], dtype=np.uint64))
    slots = log.placement.first_slots(calls.accesses)
    class_of = _index_of(log.placement.ost, np.array([one.ost for one in log.osts[:MOST_CLASSES]], dtype=np.int64))
    # The last is that of a slot which is not known.
    return np.append(class_of, np.uint8(NO_CLASS))[slots]


def _first_osts(calls: Calls, placement: Placement) -> Int64s:
    return np.append(placement.ost, UNKNOWN_OST)[placement.first_slots(calls.accesses)]


def _index_of(values: NDArray[np.generic], known: NDArray[np.generic]) -> NDArray[np.uint8]:
    found = np.full(len(values), NO_CLASS, dtype=np.uint8)
    for i, value in enumerate(known):
        found[values == value] = i
    return found
