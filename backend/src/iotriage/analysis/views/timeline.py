"""The calls of a trace, as they are drawn: themselves where few are in view, and pixels where there are many.

A pixel says what was done in it by the calls that touch it, however short they are, and how much of its time the
busiest of its ranks spent inside calls.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from iotriage.analysis.document.charts.activity import TracedLayer
from iotriage.analysis.document.charts.packed import Packed
from iotriage.analysis.views.heatmap import Window, grid_of
from iotriage.analysis.views.pixels import Bins, RankRows, packed, touched, touched_boxes
from iotriage.analysis.views.trace import Calls, Operation, TracedLog
from iotriage.by_type import ByType
from iotriage.metrics.tables.osts.placement import Placement
from iotriage_parsers.evidence.darshan import Bools, Float64s, Int64s
from iotriage_parsers.frozen import frozen

MOST_CALLS = 20_000
"""Calls that travel one by one; more are drawn as pixels."""

MOST_CLASSES = 8
"""Files or OSTs that have a colour of their own."""

NO_CLASS = 255
UNKNOWN_OST = 2**32 - 1

Colour = Literal["operation", "file", "ost"]
Down = Literal["rank", "offset", "size"]
READ, WRITE, BOTH = 0, 1, 2
POSIX, MPIIO = 0, 1


@frozen
class Filter:
    """What of the trace is shown. `record` is Darshan's id of a file; of an `ost` the calls that have bytes on it. None
    stands for all."""

    layer: TracedLayer
    operation: Operation | None
    record: int | None
    ost: int | None = None


@frozen
class Offsets:
    """Rows are the bytes of one file, `high` not included, the first at the top."""

    low: int
    high: int
    down: Literal["offset"] = "offset"


@frozen
class Sizes:
    """Rows are how many bytes a call moves, `high` not included, the largest at the top, on a logarithmic scale. A call
    of no bytes stands with those of one."""

    low: int
    high: int
    down: Literal["size"] = "size"


Rows = Offsets | Sizes
"""What rows are, where they are not ranks."""


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
    spent inside calls, 1 to 255; of offsets and sizes, the more calls the more. `code` is what most of it belongs to:
    0 read, 1 write, 2 both; the class of a file or an OST, 255 none of those."""

    calls: int
    rows: int
    columns: int
    fill: Packed
    code: Packed
    kind: Literal["pixels"] = "pixels"


@frozen
class TimelineView:
    """A window of the timeline, and what is in it. Where rows are offsets of a file or sizes of calls, they go from
    `low` to `high`, in bytes."""

    from_s: float
    to_s: float
    first_rank: int
    last_rank: int
    down: Down
    low: int | None
    high: int | None
    marks: Annotated[CallList | CallPixels, ByType()]


def filtered(calls: Calls, chosen: Filter, placement: Placement) -> Bools:
    """Which of the calls are `chosen`, shape (n,)."""
    mask: Bools = np.ones(len(calls), dtype=np.bool_)
    if chosen.operation is not None:
        mask &= calls.write == (chosen.operation == "write")
    if chosen.record is not None:
        mask &= calls.record == np.uint64(chosen.record)
    if chosen.ost is not None:
        mask &= placement.on(calls.accesses, chosen.ost)
    return mask


def timeline_view(
    log: TracedLog, chosen: Filter, colour: Colour, asked: Window, down: Rows | None
) -> TimelineView | None:
    """The window of what is chosen; None where the log has no trace of this layer."""
    calls = log.calls(chosen.layer)
    if calls is None:
        return None
    time = Bins(asked.from_s, asked.to_s, asked.columns)
    seen = in_view(calls, chosen, log.placement, asked, down)
    if len(seen) <= MOST_CALLS:
        marks: CallList | CallPixels = call_list(seen, log)
    elif down is None:
        marks = _rank_pixels(seen, log, colour, time, RankRows.of(asked.first_rank, asked.last_rank, asked.rows))
    else:
        marks = _byte_pixels(seen, log, colour, time, down, asked.rows)
    rows: tuple[Down, int | None, int | None] = (
        ("rank", None, None) if down is None else (down.down, down.low, down.high)
    )
    return TimelineView(asked.from_s, asked.to_s, asked.first_rank, asked.last_rank, *rows, marks)


def in_view(calls: Calls, chosen: Filter, placement: Placement, asked: Window, down: Rows | None) -> Calls:
    """The calls of what is chosen that lie at least partly within the window."""
    mask = filtered(calls, chosen, placement)
    mask &= Bins(asked.from_s, asked.to_s, asked.columns).overlapping(calls.start, calls.end)
    mask &= (calls.rank >= asked.first_rank) & (calls.rank <= asked.last_rank)
    match down:
        case Offsets(low, high):
            ends = calls.offset + np.maximum(calls.length, 1)
            mask &= (calls.offset >= 0) & (calls.offset < high) & (ends > low)
        case Sizes(low, high):
            mask &= (_sizes(calls) >= low) & (_sizes(calls) < high)
    return calls.where(mask)


def _sizes(calls: Calls) -> Int64s:
    return np.maximum(calls.length, 1)


def call_list(seen: Calls, log: TracedLog) -> CallList:
    """The calls in order of their start."""
    calls = seen.where(np.argsort(seen.start, kind="stable"))
    records, index = np.unique(calls.record, return_inverse=True)
    return CallList(
        calls=len(calls),
        rank=packed(calls.rank, "uint32"),
        operation=packed(calls.write, "uint8"),
        layer=packed(np.full(len(calls), POSIX if calls.layer == "POSIX" else MPIIO), "uint8"),
        record=packed(index, "uint32"),
        records=tuple(str(int(r)) for r in records),
        offset=packed(calls.offset, "float64"),
        length=packed(calls.length, "float64"),
        start_s=packed(calls.start, "float64"),
        end_s=packed(calls.end, "float64"),
        file=packed(_codes(calls, "file", log), "uint8"),
        ost=packed(_codes(calls, "ost", log), "uint8"),
        first_ost=packed(_first_osts(calls, log.placement), "uint32"),
    )


def _rank_pixels(calls: Calls, log: TracedLog, colour: Colour, time: Bins, rows: RankRows) -> CallPixels:
    shape = (rows.count, time.count)
    number = rows.numbers(calls.rank)
    first, last = time.span(calls.start, calls.end)
    busy = grid_of(calls, calls.end - calls.start, time, rows).busiest
    counts = {
        code: touched(number[mine], first[mine], last[mine], shape) for code, mine in _apart(_codes(calls, colour, log))
    }
    return _pixels(len(calls), busy / time.width, counts, colour, shape)


def _byte_pixels(calls: Calls, log: TracedLog, colour: Colour, time: Bins, down: Rows, rows: int) -> CallPixels:
    shape = (rows, time.count)
    top, bottom = _rows_of(calls, down, rows)
    first, last = time.span(calls.start, calls.end)
    counts = {
        code: touched_boxes(top[mine], bottom[mine], first[mine], last[mine], shape)
        for code, mine in _apart(_codes(calls, colour, log))
    }
    many = sum(counts.values(), np.zeros(shape, dtype=np.int64))
    return _pixels(len(calls), np.minimum(1.0, (1 + np.log2(np.maximum(many, 1))) / 6), counts, colour, shape)


def _apart(codes: NDArray[np.uint8]) -> Iterator[tuple[int, Bools]]:
    """Each code, and which calls have it."""
    return ((int(code), codes == code) for code in np.unique(codes))


def _rows_of(calls: Calls, down: Rows, rows: int) -> tuple[Int64s, Int64s]:
    """First and last row of each call."""
    if isinstance(down, Offsets):
        place = Bins(float(down.low), float(down.high), rows)
        return place.span(calls.offset.astype(np.float64), (calls.offset + calls.length).astype(np.float64))
    falling = Bins(-float(np.log2(down.high)), -float(np.log2(max(1, down.low))), rows)
    at = falling.numbers(-np.log2(_sizes(calls).astype(np.float64)))
    return at, at


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
    fill = np.where(many > 0, np.clip(np.ceil(share * 255), 1, 255), 0)
    return CallPixels(calls, shape[0], shape[1], packed(fill, "uint8"), packed(code, "uint8"))


def _codes(calls: Calls, colour: Colour, log: TracedLog) -> NDArray[np.uint8]:
    if colour == "operation":
        return calls.write.astype(np.uint8)
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
