"""What the POSIX calls of a DXT trace put on each OST and took from it, where the striping of their files is known.

The bytes are exact. Time is not divisible: of a call on several OSTs nothing says which one it waited for, so an OST
has the seconds only of the calls that lie on it alone. Where there are none, since all calls are shifted against the
stripes, those on two OSTs stand for both: of an OST that is slow, every one of them is. MPI-IO calls are left out: with
a file view one call is many pieces, and with collective buffering other ranks move the bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.core.selection import LogRows, Selection, unique, unique_inverse
from iotriage.metrics.core.selection_cache import cached_per_job, cached_per_selection
from iotriage.metrics.tables.layouts import stated_layouts
from iotriage.metrics.tables.osts.placement import UNKNOWN, Accesses, Extent, Placement, extents_of
from iotriage.metrics.tables.records.own_traces import traces_of
from iotriage_parsers.evidence.darshan import Bools, Int64s
from iotriage_parsers.evidence.dxt import seconds_of_calls
from iotriage_parsers.frozen import frozen, frozen_identity

LARGE_CALL_BYTES = 2**16
"""Size from which calls are compared between OSTs; ours. The time of smaller calls depends on other things than their
bytes."""

ENOUGH_CALLS = 16
"""Number of large calls from which an OST is compared; ours."""


def ranks_apart(source: int, ranks: Int64s) -> Int64s:
    """Ranks of several logs as one column: each with the source of its log."""
    return ranks + (source << 32)


def source_and_rank(apart: int) -> tuple[int, int]:
    """What `ranks_apart` put together."""
    return apart >> 32, apart & 0xFFFFFFFF


@frozen
class OstCalls:
    """What a trace has of one OST. Bytes are those that lie on it; `alone_calls` lie on it whole, with `alone_bytes`
    and `alone_s` seconds."""

    ost: int
    bytes_read: int
    bytes_written: int
    alone_calls: int
    alone_bytes: int
    alone_s: float

    def with_more(self, other: OstCalls | None) -> OstCalls:
        """Both together, of the same OST."""
        if other is None:
            return self
        return OstCalls(
            self.ost,
            self.bytes_read + other.bytes_read,
            self.bytes_written + other.bytes_written,
            self.alone_calls + other.alone_calls,
            self.alone_bytes + other.alone_bytes,
            self.alone_s + other.alone_s,
        )


@frozen_identity
class OstSums:
    """Calls summed up by slot of `placement`, shape (slots,) each."""

    placement: Placement
    read: Int64s
    written: Int64s
    alone_calls: Int64s
    alone_bytes: Int64s
    alone_s: NDArray[np.float64]

    def by_ost(self) -> tuple[OstCalls, ...]:
        """Those with bytes, in order of their index."""
        osts, index = unique_inverse(self.placement.ost)

        def summed(values: Int64s) -> list[int]:
            found = np.zeros(len(osts), dtype=np.int64)
            np.add.at(found, index, values)
            return found.tolist()

        seconds = np.bincount(index, weights=self.alone_s, minlength=len(osts)).tolist()
        counts = (self.read, self.written, self.alone_calls, self.alone_bytes)
        rows = zip(osts.tolist(), *map(summed, counts), seconds, strict=True)
        return tuple(one for row in rows if (one := OstCalls(*row)).bytes_read + one.bytes_written)


def sums_of(
    placement: Placement, calls: Accesses, write: Bools, seconds: NDArray[np.float64]
) -> tuple[OstSums, Int64s]:
    """The calls by slot, and of each the slot on which it lies alone (−1: none, see `Placement.laid`)."""
    slots = len(placement.ost)
    only = np.full(len(calls), -1, dtype=np.int64)
    held = {}
    for way in (False, True):
        mine = write == way
        laid = placement.laid(Accesses(calls.record[mine], calls.offset[mine], calls.length[mine]))
        held[way], only[mine] = laid.held, laid.only
    alone = only >= 0
    at = only[alone]
    alone_bytes = np.zeros(slots, dtype=np.int64)
    np.add.at(alone_bytes, at, calls.length[alone])
    number = np.bincount(at, minlength=slots).astype(np.int64)
    took = np.zeros(slots)
    np.add.at(took, at, np.maximum(seconds[alone], 0.0))
    return OstSums(placement, held[False], held[True], number, alone_bytes, took), only


@frozen_identity
class LargeCalls:
    """Large calls by their OST, as columns of shape (n,), OST after OST."""

    record: NDArray[np.uint64]
    rank: Int64s
    ost: Int64s
    write: Bools
    length: Int64s
    seconds: NDArray[np.float64]

    @classmethod
    def joined(cls, of_sources: Sequence[tuple[int, LargeCalls]]) -> LargeCalls:
        """The calls of several traces, each with its source. Ranks of different sources are different ones."""
        parts = [part for _, part in of_sources]
        return cls(
            np.concatenate([part.record for part in parts]),
            np.concatenate([ranks_apart(source, part.rank) for source, part in of_sources]),
            np.concatenate([part.ost for part in parts]),
            np.concatenate([part.write for part in parts]),
            np.concatenate([part.length for part in parts]),
            np.concatenate([part.seconds for part in parts]),
        )

    def on(self, ost: Int64s, calls: NDArray[np.intp]) -> LargeCalls:
        """These `calls`, by the OST that `ost` names of each."""
        order = np.argsort(ost, kind="stable")
        return replace(self.rows(calls[order]), ost=ost[order])

    def rows(self, mine: Bools | NDArray[np.intp]) -> LargeCalls:
        return LargeCalls(
            self.record[mine],
            self.rank[mine],
            self.ost[mine],
            self.write[mine],
            self.length[mine],
            self.seconds[mine],
        )

    def of_files(self, records: NDArray[np.uint64] | None) -> LargeCalls:
        return self if records is None else self.rows(np.isin(self.record, records))


@frozen_identity
class TracedOsts:
    """One source. `moved` are the bytes read and written by file, wherever they lie; `large` the calls that lie on one
    OST alone, `crossing` those on two, once for each."""

    source: int
    sums: OstSums
    moved: Mapping[int, tuple[int, int]]
    large: LargeCalls
    crossing: LargeCalls

    def known_of(self, records: NDArray[np.uint64] | None) -> int:
        """Bytes whose OST is known; of all files, with None."""
        held = self.sums.read + self.sums.written
        return int(held.sum() if records is None else held[np.isin(self.sums.placement.record, records)].sum())

    def moved_of(self, records: NDArray[np.uint64] | None) -> int:
        wanted = self.moved if records is None else (set(records.tolist()) & self.moved.keys())
        return sum(sum(self.moved[record]) for record in wanted)

    def by_file(self) -> dict[int, dict[int, OstCalls]]:
        """The calls by file and OST, of files whose every byte has an OST."""
        found: dict[int, dict[int, OstCalls]] = {}
        sums = self.sums
        columns = (sums.placement.ost, sums.read, sums.written, sums.alone_calls, sums.alone_bytes, sums.alone_s)
        rows = zip(sums.placement.record.tolist(), *(column.tolist() for column in columns), strict=True)
        for record, *row in rows:
            one = OstCalls(*row)
            if one.bytes_read + one.bytes_written:
                here = found.setdefault(record, {})
                here[one.ost] = one.with_more(here.get(one.ost))
        return {record: osts for record, osts in found.items() if moved(osts) == self.moved[record]}


def moved(osts: Mapping[int, OstCalls]) -> tuple[int, int]:
    """Bytes read and written on all of them."""
    return sum(one.bytes_read for one in osts.values()), sum(one.bytes_written for one in osts.values())


@cached_per_job
def traced_osts(job: Selection) -> tuple[TracedOsts, ...]:
    """Of every log with a POSIX trace and at least one file whose OSTs are known."""
    return tuple(found for rows in job.logs if (found := _found(job, rows)) is not None)


def _found(job: Selection, rows: LogRows) -> TracedOsts | None:
    parts = [trace.segments for trace in traces_of(job, rows) if trace.layer == "POSIX"]
    segments = np.concatenate(parts) if len(parts) > 1 else parts[0] if parts else None
    if segments is None or not len(segments):
        return None
    records = unique(segments["record"])
    placement = _placement(job, rows, records)
    return _of_log(rows.source, placement, segments, records) if placement else None


def _placement(job: Selection, rows: LogRows, records: NDArray[np.uint64]) -> Placement:
    """By the log's own layouts; of files that have none there, by what `lfs getstripe` and CrayPAT say about them."""
    recorded = {layout.record: layout for layout in rows.lustre}
    stated = stated_layouts(job)
    files: dict[int, tuple[Extent, ...]] = {}
    for record in records.tolist():
        layout = recorded.get(record)
        extents = extents_of(layout) if layout is not None else ()
        if not extents and stated and (name := rows.name_of(record)) is not None:
            extents = stated.extents(name)
        if extents:
            files[record] = extents
    return Placement(files)


def _of_log(source: int, placement: Placement, segments: NDArray[np.void], records: NDArray[np.uint64]) -> TracedOsts:
    record, write = np.ascontiguousarray(segments["record"]), np.ascontiguousarray(segments["write"])
    rank, length = np.ascontiguousarray(segments["rank"]).astype(np.int64), np.maximum(segments["length"], 0)
    seconds = np.nan_to_num(seconds_of_calls(segments))
    sums, only = sums_of(placement, Accesses(record, np.ascontiguousarray(segments["offset"]), length), write, seconds)
    at = np.searchsorted(records, record)
    moved = np.zeros((2, len(records)), dtype=np.int64)
    np.add.at(moved, (write.astype(np.int64), at), length)
    judged = (length >= LARGE_CALL_BYTES) & (seconds > 0)
    crossing = np.flatnonzero((only < 0) & judged)
    pairs = placement.pairs(Accesses(record[crossing], segments["offset"][crossing], length[crossing]))
    calls = LargeCalls(record, rank, np.full(len(record), UNKNOWN, dtype=np.int64), write, length, seconds)
    large = np.flatnonzero((only >= 0) & judged)
    on_two = pairs[0] >= 0
    return TracedOsts(
        source,
        sums,
        {record: (read, written) for record, read, written in zip(records.tolist(), *moved.tolist(), strict=True)},
        calls.on(placement.ost[only[large]], large),
        calls.on(placement.ost[np.concatenate(pairs)[np.tile(on_two, 2)]], np.tile(crossing[on_two], 2)),
    )


@frozen
class ComparedCalls:
    """`calls` lie on one OST alone, or else stand for each of the two they `cross`."""

    calls: LargeCalls
    cross: bool


@cached_per_selection
def compared_calls(s: Selection) -> ComparedCalls | None:
    """The large calls on one OST alone, in the direction that took most time, of the OSTs that have enough of them;
    where these are fewer than two OSTs, the calls on two. None without a trace of files whose OSTs are known."""
    traced = [(t, files_in_log(s, t.source)) for t in traced_osts(s)]
    if not traced:
        return None
    alone = _enough([(t.source, t.large.of_files(records)) for t, records in traced])
    if len(unique(alone.ost)) >= 2:
        return ComparedCalls(alone, cross=False)
    return ComparedCalls(_enough([(t.source, t.crossing.of_files(records)) for t, records in traced]), cross=True)


def _enough(chosen: Sequence[tuple[int, LargeCalls]]) -> LargeCalls:
    took = [sum(float(c.seconds[c.write == way].sum()) for _, c in chosen) for way in (False, True)]
    mine = [(source, c.rows(c.write == (took[True] >= took[False]))) for source, c in chosen]
    osts, calls = np.unique(np.concatenate([c.ost for _, c in mine]), return_counts=True)
    return LargeCalls.joined([(source, c.rows(np.isin(c.ost, osts[calls >= ENOUGH_CALLS]))) for source, c in mine])


def files_in_log(s: Selection, source: int) -> NDArray[np.uint64] | None:
    """The files of the selection in one log; None for all."""
    if s.scope == "job":
        return None
    of_log = [t.ids for rows in s.logs if rows.source == source and (t := rows.posix) is not None]
    return np.concatenate(of_log) if of_log else np.zeros(0, dtype=np.uint64)
