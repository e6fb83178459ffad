"""Which OST each byte of a call lies on: Lustre lays a file's stripes round and round over its list of OSTs.

Stripe k of a component, counted from the beginning of the file, lies on the OST at k modulo the component's stripes
(lov_stripe_number of Lustre; darshan-dxt-parser names the OSTs of a POSIX call in the same way).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from iotriage_parsers.evidence import LustreLayout, StripeLayout
from iotriage_parsers.evidence.darshan import Bools, Int64s
from iotriage_parsers.frozen import frozen, frozen_identity

UNKNOWN = -1

END = np.iinfo(np.int64).max

CALLS_AT_ONCE = 2**18


@frozen
class Extent:
    """The bytes of a file from `start_bytes` up to `end_bytes`, not included (END: the file's end), in stripes of
    `stripe_bytes` that go round `osts`."""

    start_bytes: int
    end_bytes: int
    stripe_bytes: int
    osts: tuple[int, ...]


def extents_of(layout: LustreLayout) -> tuple[Extent, ...]:
    """The extents of a recorded layout that have OSTs, by their beginning; none where they overlap, since of mirrors
    nothing says which one a call went to."""
    if not layout.composite:
        return _whole_file(layout.stripe_size, layout.osts)
    found = [_extent(c.start_bytes, c.end_bytes, c.stripe_size, c.osts) for c in layout.components]
    return _without_overlap([extent for extent in found if extent is not None])


def extents_stated(layout: StripeLayout) -> tuple[Extent, ...]:
    """The extents of a layout that `lfs getstripe` printed, by their beginning; none where they overlap. A list of OSTs
    that is shorter than the stripe count is of no use."""
    found = [
        _extent(c.start_bytes, c.end_bytes, c.stripe_size_bytes, c.osts)
        for c in layout.instantiated
        if not c.on_mdt and c.stripe_count in (None, len(c.osts))
    ]
    return _without_overlap([extent for extent in found if extent is not None])


@lru_cache(maxsize=4096)
def _whole_file(stripe_bytes: int | None, osts: tuple[int, ...]) -> tuple[Extent, ...]:
    # Thousands of files may each lie on OSTs of their own, and on the same few.
    extent = _extent(0, None, stripe_bytes, osts)
    return () if extent is None else (extent,)


@lru_cache(maxsize=4096)
def _extent(start: int, end: int | None, stripe_bytes: int | None, osts: tuple[int, ...]) -> Extent | None:
    high = END if end is None else min(end, END)
    if not stripe_bytes or not osts or not 0 <= start < high or stripe_bytes > END:
        return None
    return Extent(start, high, stripe_bytes, osts)


def _without_overlap(extents: list[Extent]) -> tuple[Extent, ...]:
    if len(extents) < 2:
        return tuple(extents)
    found = sorted(extents, key=lambda extent: extent.start_bytes)
    overlap = any(a.end_bytes > b.start_bytes for a, b in zip(found, found[1:], strict=False))
    return () if overlap else tuple(found)


@frozen_identity
class Accesses:
    """Calls as columns, shape (n,) each: Darshan's id of the file, the first byte (−1: not recorded), and bytes."""

    record: NDArray[np.uint64]
    offset: Int64s
    length: Int64s

    def __len__(self) -> int:
        return len(self.record)

    def part(self, begin: int, end: int) -> Accesses:
        return Accesses(self.record[begin:end], self.offset[begin:end], self.length[begin:end])


@frozen_identity
class PlacedBytes:
    """`held`: bytes by slot. `only`: by call the slot that holds all its bytes, which is the OST that it waits for;
    UNKNOWN where several hold them, or none is known."""

    held: Int64s
    only: Int64s


@frozen_identity
class _Pieces:
    """The parts of calls that lie within one extent each: the call's number, the extent's, the bytes from `low` up to
    `high`, and the stripes `first` to `last` that these touch."""

    call: Int64s
    extent: Int64s
    low: Int64s
    high: Int64s
    first: Int64s
    last: Int64s


class Placement:
    """Where the bytes of some files lie. A *slot* is one stripe of one extent's round: `record` and `ost` say of each
    slot whose file's it is and on which OST."""

    def __init__(self, files: Mapping[int, Sequence[Extent]]) -> None:
        known = sorted(record for record, extents in files.items() if extents and 0 <= record < 2**64)
        extents = [extent for record in known for extent in files[record]]
        self._records = np.array(known, dtype=np.uint64)
        self._extents_to = np.cumsum([0, *(len(files[record]) for record in known)], dtype=np.int64)
        self._low = np.array([e.start_bytes for e in extents], dtype=np.int64)
        self._high = np.array([e.end_bytes for e in extents], dtype=np.int64)
        self._stripe = np.array([e.stripe_bytes for e in extents], dtype=np.int64)
        self._stripes = np.array([len(e.osts) for e in extents], dtype=np.int64)
        self._slots_to = np.cumsum([0, *self._stripes], dtype=np.int64)
        self.ost: Int64s = np.array([ost for e in extents for ost in e.osts], dtype=np.int64)
        self.record = np.repeat(np.repeat(self._records, np.diff(self._extents_to)), self._stripes)

    def __bool__(self) -> bool:
        return len(self._records) > 0

    def first_slots(self, calls: Accesses) -> Int64s:
        """The slot on which each call begins; UNKNOWN where layout or offset are not known."""
        found = np.full(len(calls), UNKNOWN, dtype=np.int64)
        for begin, some in _in_parts(calls):
            pieces = self._pieces(Accesses(some.record, some.offset, np.ones_like(some.length)))
            found[begin + pieces.call] = self._slot(pieces.extent, pieces.first)
        return found

    def laid(self, calls: Accesses) -> PlacedBytes:
        """Bytes by slot, split at the stripes' boundaries, and the one slot of each call that has no other."""
        held = np.zeros(len(self.ost), dtype=np.int64)
        covered = np.zeros(len(self._low), dtype=np.int64)
        only = np.full(len(calls), UNKNOWN, dtype=np.int64)
        for begin, some in _in_parts(calls):
            pieces = self._pieces(some)
            self._add_bytes(held, pieces)
            covered += self._covered(some)
            within = (pieces.first == pieces.last) | (self._stripes[pieces.extent] == 1)
            within &= pieces.high - pieces.low == some.length[pieces.call]
            only[begin + pieces.call[within]] = self._slot(pieces.extent[within], pieces.first[within])
        if covered.any():
            once = np.zeros_like(held)
            self._add_bytes(once, self._whole(np.flatnonzero(covered)))
            held += once * np.repeat(covered, self._stripes)
        return PlacedBytes(held, only)

    def pairs(self, calls: Accesses) -> tuple[Int64s, Int64s]:
        """The two slots of each call that lies on two stripes of one extent; UNKNOWN of all others."""
        found = np.full((2, len(calls)), UNKNOWN, dtype=np.int64)
        for begin, some in _in_parts(calls):
            pieces = self._pieces(some)
            two = (pieces.last == pieces.first + 1) & (pieces.high - pieces.low == some.length[pieces.call])
            extent, at = pieces.extent[two], begin + pieces.call[two]
            found[:, at] = self._slot(extent, pieces.first[two]), self._slot(extent, pieces.last[two])
        return found[0], found[1]

    def on(self, calls: Accesses, ost: int) -> Bools:
        """Which calls have bytes on the OST."""
        found: Bools = np.zeros(len(calls), dtype=np.bool_)
        mine = np.flatnonzero(self.ost == ost)
        extent_of = np.searchsorted(self._slots_to, mine, side="right") - 1
        # An OST may stand in one list several times: once round for each time.
        turn = np.zeros(len(mine), dtype=np.int64)
        if len(mine):
            begins = np.flatnonzero(np.diff(extent_of, prepend=-1))
            turn = np.arange(len(mine)) - np.repeat(begins, np.diff([*begins.tolist(), len(mine)]))
        places = []
        for number in range(int(turn.max(initial=-1)) + 1):
            place = np.full(len(self._low), UNKNOWN, dtype=np.int64)
            now = turn == number
            place[extent_of[now]] = mine[now] - self._slots_to[extent_of[now]]
            places.append(place)
        whole = np.zeros(len(self._low) + 1, dtype=np.int64)
        if len(mine):
            finite = np.flatnonzero(self._high < END)
            whole[finite + 1] = self._touches(places, self._whole(finite))
        has_before = np.cumsum(whole)
        for begin, some in _in_parts(calls):
            pieces = self._pieces(some)
            found[begin + pieces.call[self._touches(places, pieces)]] = True
            if self:
                call, first, last = self._touched(some)
                found[begin + call[has_before[last] > has_before[np.minimum(first + 1, last)]]] = True
        return found

    def _touches(self, places: Sequence[Int64s], pieces: _Pieces) -> Bools:
        """Which pieces have bytes on a stripe that has one of these places in the round of its extent."""
        found: Bools = np.zeros(len(pieces.extent), dtype=np.bool_)
        stripes = self._stripes[pieces.extent]
        for place in places:
            at = place[pieces.extent]
            found |= (at >= 0) & ((at - pieces.first) % stripes <= pieces.last - pieces.first)
        return found

    def _slot(self, extent: Int64s, stripe: Int64s) -> Int64s:
        slots: Int64s = self._slots_to[extent] + stripe % self._stripes[extent]
        return slots

    def _pieces(self, calls: Accesses) -> _Pieces:
        if not self:
            none = np.zeros(0, dtype=np.int64)
            return _Pieces(none, none, none, none, none, none)
        call, first, last = self._touched(calls)
        # What lies between the first and the last extent is covered whole: it is counted and not listed (`_covered`),
        # so that a call costs the same however many components a layout has.
        two = first < last
        call, extent = np.concatenate((call, call[two])), np.concatenate((first, last[two]))
        begin = calls.offset[call]
        end = begin + np.minimum(calls.length[call], END - begin)
        low, high = np.maximum(begin, self._low[extent]), np.minimum(end, self._high[extent])
        stripe = self._stripe[extent]
        return _Pieces(call, extent, low, high, low // stripe, (high - 1) // stripe)

    def _touched(self, calls: Accesses) -> tuple[Int64s, Int64s, Int64s]:
        """The calls that have bytes on some extent, and the first and the last extent of each."""
        file = np.minimum(np.searchsorted(self._records, calls.record), len(self._records) - 1)
        known = (self._records[file] == calls.record) & (calls.offset >= 0) & (calls.length > 0)
        call = np.flatnonzero(known)
        begin = calls.offset[call]
        end = begin + np.minimum(calls.length[call], END - begin)
        low, high = self._extents_to[file[call]], self._extents_to[file[call] + 1]
        first = _first_above(self._high, low, high, begin)
        last = _first_above(self._low, low, high, end - 1) - 1
        some = first <= last
        return call[some], first[some], last[some]

    def _covered(self, calls: Accesses) -> Int64s:
        """How many of the calls cover each extent whole, of those that reach beyond it on both sides."""
        if not self:
            return np.zeros(len(self._low), dtype=np.int64)
        _, first, last = self._touched(calls)
        steps = np.zeros(len(self._low) + 1, dtype=np.int64)
        between = first < last
        np.add.at(steps, first[between] + 1, 1)
        np.add.at(steps, last[between], -1)
        return np.cumsum(steps)[:-1]

    def _whole(self, extent: Int64s) -> _Pieces:
        """The extents as pieces of calls that cover them; the call's number is theirs."""
        low, high, stripe = self._low[extent], self._high[extent], self._stripe[extent]
        return _Pieces(extent, extent, low, high, low // stripe, (high - 1) // stripe)

    def _add_bytes(self, found: Int64s, pieces: _Pieces) -> None:
        one = pieces.first == pieces.last
        np.add.at(found, self._slot(pieces.extent[one], pieces.first[one]), (pieces.high - pieces.low)[one])
        if one.all():
            return
        more = ~one
        extent, first, last = pieces.extent[more], pieces.first[more], pieces.last[more]
        stripe, stripes = self._stripe[extent], self._stripes[extent]
        # All stripes that are touched as if whole: whole rounds on every slot, then a run of slots from the first;
        # then less what the first and the last stripe have before and after the call.
        rounds, rest = np.divmod(last - first + 1, stripes)
        whole = np.zeros(len(self._low), dtype=np.int64)
        np.add.at(whole, extent, rounds * stripe)
        found += np.repeat(whole, self._stripes)
        run = np.zeros(len(self.ost) + len(self._low), dtype=np.int64)
        zero = self._slots_to[extent] + extent
        at = first % stripes
        beyond = at + rest > stripes
        np.add.at(run, zero + at, stripe)
        np.add.at(run, zero + np.minimum(at + rest, stripes), -stripe)
        np.add.at(run, zero[beyond], stripe[beyond])
        np.add.at(run, (zero + at + rest - stripes)[beyond], -stripe[beyond])
        slots = np.arange(len(self.ost)) + np.repeat(np.arange(len(self._low)), self._stripes)
        found += np.cumsum(run)[slots]
        np.add.at(found, self._slot(extent, first), first * stripe - pieces.low[more])
        np.add.at(found, self._slot(extent, last), pieces.high[more] - (last + 1) * stripe)


def _first_above(values: Int64s, low: Int64s, high: Int64s, bound: Int64s) -> Int64s:
    """For each element the first place from `low` on whose value is above its bound, `high` where there is none; the
    values are in order between the two."""
    low, high = low.copy(), high.copy()
    while (going := low < high).any():
        middle = (low + high) // 2
        above = values[np.minimum(middle, len(values) - 1)] > bound
        high[going & above] = middle[going & above]
        low[going & ~above] = middle[going & ~above] + 1
    return low


def _in_parts(calls: Accesses) -> Iterator[tuple[int, Accesses]]:
    for begin in range(0, len(calls), CALLS_AT_ONCE):
        yield begin, calls.part(begin, begin + CALLS_AT_ONCE)
