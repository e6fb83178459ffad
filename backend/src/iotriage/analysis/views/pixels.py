"""Calls and bins put onto a grid of pixels, so that no row and no burst disappears: what is spread over several pixels
keeps its sum, and whatever touches a pixel is counted in it, however short it is."""

from __future__ import annotations

import base64
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from iotriage.analysis.document.charts.packed import Packed
from iotriage_parsers.evidence.darshan import Bools, Float64s, Int64s
from iotriage_parsers.frozen import frozen

CELLS_AT_ONCE = 2**22
"""Cells of rank and time bin held at a time while rows of many ranks are made: 32 MiB of float64."""


def packed(values: NDArray[np.generic], type: Literal["float64", "float32", "uint8", "uint32"]) -> Packed:
    as_bytes = np.ascontiguousarray(values).astype(np.dtype(type).newbyteorder("<"), copy=False).tobytes()
    return Packed(type, base64.b64encode(as_bytes).decode("ascii"))


@frozen
class Bins:
    """`count` equal bins over [low, high), numbered from 0. Requires high > low."""

    low: float
    high: float
    count: int

    @property
    def width(self) -> float:
        return (self.high - self.low) / self.count

    def positions(self, values: Float64s) -> Float64s:
        """Where the values lie, in bins; outside values at the nearest end."""
        at: Float64s = np.clip((values - self.low) / self.width, 0.0, float(self.count))
        return at

    def numbers(self, values: Float64s) -> Int64s:
        """The bin of each value; outside values in the first or the last."""
        return np.minimum(self.positions(values).astype(np.int64), self.count - 1)

    def overlapping(self, start: Float64s, end: Float64s) -> Bools:
        """Which intervals lie at least partly within; one without length counts where it stands."""
        within: Bools = (start < self.high) & ((end > self.low) | ((end == start) & (end >= self.low)))
        return within

    def span(self, start: Float64s, end: Float64s) -> tuple[Int64s, Int64s]:
        """First and last bin of each interval that overlaps. One that ends on an edge does not touch the bin after."""
        first = self.numbers(start)
        last = np.ceil(self.positions(end)).astype(np.int64) - 1
        return first, np.clip(last, first, self.count - 1)


@frozen
class RankRows:
    """The ranks `first` to `last`, both included, in `count` rows as equal as can be; no row is empty."""

    first: int
    last: int
    count: int

    @classmethod
    def of(cls, first: int, last: int, most_rows: int) -> RankRows:
        return cls(first, last, max(1, min(most_rows, last - first + 1)))

    @property
    def ranks(self) -> int:
        return self.last - self.first + 1

    def numbers(self, ranks: Int64s) -> Int64s:
        return (ranks - self.first) * self.count // self.ranks

    @property
    def joined(self) -> bool:
        """Whether a row may have several ranks."""
        return self.count < self.ranks


def touched(rows: Int64s, first: Int64s, last: Int64s, shape: tuple[int, int]) -> Int64s:
    """How many intervals touch each pixel: interval i the columns `first[i]` to `last[i]` of row `rows[i]`. Exact."""
    height, width = shape
    stride = width + 1
    edges = np.bincount(rows * stride + first, minlength=height * stride)
    edges = edges - np.bincount(rows * stride + last + 1, minlength=height * stride)
    return np.cumsum(edges.reshape(height, stride), axis=1)[:, :width]


def touched_boxes(top: Int64s, bottom: Int64s, first: Int64s, last: Int64s, shape: tuple[int, int]) -> Int64s:
    """How many boxes touch each pixel: box i the rows `top[i]` to `bottom[i]` and columns `first[i]` to `last[i]`."""
    height, width = shape
    stride, size = width + 1, (height + 1) * (width + 1)
    edges = np.bincount(top * stride + first, minlength=size) - np.bincount(top * stride + last + 1, minlength=size)
    edges -= np.bincount((bottom + 1) * stride + first, minlength=size)
    edges += np.bincount((bottom + 1) * stride + last + 1, minlength=size)
    return np.cumsum(np.cumsum(edges.reshape(height + 1, stride), axis=0), axis=1)[:height, :width]


def spread(rows: Int64s, start: Float64s, end: Float64s, amount: Float64s, time: Bins, height: int) -> Float64s:
    """The amount of each interval laid evenly over its time, shape (height, time.count); only what lies within the bins
    is there. All intervals must overlap them. An interval without length gives all to one bin."""
    width = time.count
    stride = width + 1
    size = height * stride
    first, last = time.span(start, end)
    lasts, steady = _steady(start, end, amount, time)
    head = np.where(lasts, (np.minimum(first + 1, time.positions(end)) - time.positions(start)) * steady, amount)
    grid = np.bincount(rows * stride + first, weights=head, minlength=size).astype(np.float64, copy=False)
    long = last > first
    if long.any():
        at, one, other, rate = rows[long] * stride, first[long], last[long], steady[long]
        tail = (time.positions(end[long]) - other) * rate
        grid += np.bincount(at + other, weights=tail, minlength=size)
        between = np.bincount(at + one + 1, weights=rate, minlength=size)
        between -= np.bincount(at + other, weights=rate, minlength=size)
        grid += np.cumsum(between.reshape(height, stride), axis=1).ravel()
    found = np.maximum(grid.reshape(height, stride)[:, :width], 0.0)
    if long.any():
        # A running sum of doubles leaves a trace where it should be back at 0.
        found[touched(rows, first, last, (height, width)) == 0] = 0.0
    return found


def _steady(start: Float64s, end: Float64s, amount: Float64s, time: Bins) -> tuple[Bools, Float64s]:
    """Which intervals have a length beside a bin's, and what each of these gives to a whole bin: of a shorter one that
    would be beyond all numbers."""
    length = end - start
    lasts = length > 1e-9 * time.width
    return lasts, np.divide(amount * time.width, length, out=np.zeros_like(amount), where=lasts)


def entries(first: Int64s, last: Int64s) -> int:
    """How many pixels the intervals touch, one by one."""
    return int((last - first + 1).sum())


def spread_apart(
    rows: Int64s, start: Float64s, end: Float64s, amount: Float64s, time: Bins
) -> tuple[Int64s, Int64s, Float64s]:
    """`spread` for many rows of which most are empty: only the pixels that are touched, as row, column and amount,
    shape (m,) each. Takes memory by `entries`."""
    first, last = time.span(start, end)
    columns = last - first + 1
    owner = np.repeat(np.arange(len(rows)), columns)
    column = np.arange(len(owner)) - np.repeat(np.cumsum(columns) - columns, columns) + first[owner]
    lasts, steady = _steady(start, end, amount, time)
    within = np.minimum(column + 1, time.positions(end)[owner]) - np.maximum(column, time.positions(start)[owner])
    each = np.where(lasts[owner], within * steady[owner], amount[owner])
    key = rows[owner] * time.count + column
    order = np.argsort(key, kind="stable")
    pixels, begins = np.unique(key[order], return_index=True)
    sums = np.add.reduceat(each[order], begins) if len(begins) else np.zeros(0)
    return pixels // time.count, pixels % time.count, sums
