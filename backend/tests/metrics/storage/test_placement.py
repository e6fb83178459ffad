"""Which OST each byte lies on: by hand at the stripes' boundaries, against byte by byte, and as Darshan's own parser
names the OSTs of every call."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from iotriage.metrics.tables.osts.placement import END, UNKNOWN, Accesses, Extent, Placement, extents_of, extents_stated
from iotriage_parsers.detect import read
from iotriage_parsers.evidence import (
    DxtTrace,
    Evidence,
    Lines,
    LustreComponent,
    LustreLayout,
    StripeComponent,
    StripeLayout,
)

MIB = 2**20
Call = tuple[int, int, int]
"""Record, offset, length."""


def accesses(calls: Sequence[Call]) -> Accesses:
    columns = [list(column) for column in zip(*calls, strict=True)] or [[], [], []]
    return Accesses(
        np.array(columns[0], dtype=np.uint64),
        np.array(columns[1], dtype=np.int64),
        np.array(columns[2], dtype=np.int64),
    )


def bytes_on(placement: Placement, *calls: Call) -> dict[int, int]:
    found: Counter[int] = Counter()
    for ost, size in zip(placement.ost.tolist(), placement.laid(accesses(calls)).held.tolist(), strict=True):
        found[ost] += size
    return {ost: size for ost, size in found.items() if size}


def plain(stripe_bytes: int, *osts: int) -> Placement:
    return Placement({1: (Extent(0, END, stripe_bytes, osts),)})


@pytest.mark.parametrize(
    ("offset", "length", "expected"),
    [
        (0, 100, {7: 100}),
        (99, 1, {7: 1}),
        (100, 1, {4: 1}),
        (50, 100, {7: 50, 4: 50}),
        (250, 100, {9: 50, 7: 50}),
        (0, 300, {7: 100, 4: 100, 9: 100}),
        # One round and 150 more, from the middle of OST 4: 50 + 100, 100 + 50, 100 + 50 …
        (150, 450, {4: 150, 9: 200, 7: 100}),
        # Stripe 10 is OST 4's; two whole rounds around it.
        (1000, 610, {4: 200 + 10, 9: 200, 7: 200}),
        (0, 0, {}),
        (-1, 100, {}),
    ],
)
def test_bytes_are_split_at_the_stripes(offset: int, length: int, expected: dict[int, int]) -> None:
    assert bytes_on(plain(100, 7, 4, 9), (1, offset, length)) == expected


def test_a_progressive_layout_goes_by_the_component_of_each_byte() -> None:
    """Stripes are counted from the file's beginning, not the component's: byte 400 is in stripe 2 of 200 bytes."""
    layout = LustreLayout(
        1,
        200,
        3,
        (4, 5, 6),
        composite=True,
        extent_start=400,
        components=(
            LustreComponent(0, 400, 100, (3,)),
            LustreComponent(400, 2000, 200, (4, 5, 6)),
            LustreComponent(2000, None, 400, ()),
        ),
    )
    placement = Placement({1: extents_of(layout)})
    assert bytes_on(placement, (1, 0, 400)) == {3: 400}
    assert bytes_on(placement, (1, 350, 300)) == {3: 50, 6: 200, 4: 50}
    # Where a component has no objects, nothing is known.
    assert bytes_on(placement, (1, 1900, 500)) == {4: 100}
    some = accesses([(1, 350, 300), (1, 500, 50), (1, 1900, 500), (1, 0, 400)])
    slots = placement.laid(some).only
    assert [UNKNOWN if s < 0 else int(placement.ost[s]) for s in slots.tolist()] == [UNKNOWN, 6, UNKNOWN, 3]


def test_a_composite_layout_without_its_components_is_not_known() -> None:
    assert extents_of(LustreLayout(1, MIB, 4, (1, 2, 3, 4), composite=True)) == ()


def test_of_mirrors_nothing_says_which_one_a_call_went_to() -> None:
    both = (LustreComponent(0, None, MIB, (1,)), LustreComponent(0, None, MIB, (2,)))
    assert extents_of(LustreLayout(1, MIB, 1, (1,), composite=True, components=both)) == ()


def test_what_lfs_getstripe_printed_counts_where_it_lists_every_stripe() -> None:
    def said(**component: object) -> StripeLayout:
        return StripeLayout("plain", "/lus/a", 1, Lines(1, 9), True, (StripeComponent(2, **component),))  # type: ignore[arg-type]

    assert extents_stated(said(stripe_count=2, stripe_size_bytes=MIB, osts=(4, 9))) == (Extent(0, END, MIB, (4, 9)),)
    assert extents_stated(said(stripe_count=4, stripe_size_bytes=MIB, osts=(4, 9))) == ()
    assert extents_stated(said(stripe_count=2, stripe_size_bytes=MIB)) == ()


layouts = st.lists(
    st.tuples(st.integers(1, 7), st.lists(st.integers(0, 5), min_size=1, max_size=4), st.integers(1, 40)),
    min_size=1,
    max_size=3,
)
calls_of_files = st.lists(st.tuples(st.integers(0, 3), st.integers(-1, 120), st.integers(0, 90)), max_size=12)


def extents(parts: Sequence[tuple[int, Sequence[int], int]], open_end: bool) -> tuple[Extent, ...]:
    found, begin = [], 0
    for number, (stripe, osts, width) in enumerate(parts):
        last = open_end and number == len(parts) - 1
        found.append(Extent(begin, END if last else begin + width, stripe, tuple(osts)))
        begin += width
    return tuple(found)


def osts_of_bytes(files: dict[int, tuple[Extent, ...]], call: Call) -> list[int]:
    """The OST of each byte, one by one."""
    record, offset, length = call
    if offset < 0:
        return []
    return [
        extent.osts[byte // extent.stripe_bytes % len(extent.osts)]
        for byte in range(offset, offset + length)
        for extent in files.get(record, ())
        if extent.start_bytes <= byte < extent.end_bytes
    ]


@given(st.dictionaries(st.integers(0, 2), st.tuples(layouts, st.booleans()), max_size=3), calls_of_files)
def test_every_byte_lies_where_it_would_be_looked_for(
    made: dict[int, tuple[list[tuple[int, list[int], int]], bool]], calls: list[Call]
) -> None:
    files = {record: extents(*of_file) for record, of_file in made.items()}
    placement = Placement(files)
    each = [osts_of_bytes(files, call) for call in calls]
    assert bytes_on(placement, *calls) == dict(Counter(ost for one in each for ost in one))
    some = accesses(calls)
    for ost in range(6):
        assert placement.on(some, ost).tolist() == [ost in one for one in each]
    for slot, one, call in zip(placement.laid(some).only.tolist(), each, calls, strict=True):
        if slot != UNKNOWN:
            assert one == [placement.ost[slot]] * call[2]
    for slot, (record, offset, _) in zip(placement.first_slots(some).tolist(), calls, strict=True):
        first = osts_of_bytes(files, (record, offset, 1))
        assert ([] if slot == UNKNOWN else [placement.ost[slot]]) == first


@given(
    st.integers(1, 2**62),
    st.integers(1, 9),
    st.lists(st.tuples(st.just(1), st.integers(0, 2**61), st.integers(0, 2**58))),
)
def test_the_osts_sum_up_to_the_bytes_of_the_calls(stripe: int, osts: int, calls: list[Call]) -> None:
    moved = bytes_on(plain(stripe, *range(osts)), *calls[:8])
    assert sum(moved.values()) == sum(length for _, _, length in calls[:8])
    assert all(size > 0 for size in moved.values())


def test_numbers_that_cannot_be_true_do_no_harm() -> None:
    most = 2**63 - 1
    found = bytes_on(plain(1, 0, 1), (1, most - 3, most), (1, 0, most))
    assert sum(found.values()) == 3 + most


TEXTS = Path(__file__).parents[5] / "shared" / "samples" / "text"
ROW = re.compile(rb" *X_POSIX +\d+ +(?:write|read) +\d+ +(\d+) +(\d+) +\S+ +\S+ *((?:\[ *\d+\] *)*)")


@pytest.mark.skipif(not TEXTS.exists(), reason="needs the texts of others")
@pytest.mark.parametrize(
    "name", ["55-darshan-dxt-parser-3.3.1-lustre-ost-head.txt", "56-darshan-dxt-parser-main-same-log-head.txt"]
)
def test_the_osts_are_those_that_darshan_names_beside_every_call(name: str) -> None:
    text = (TEXTS / name).read_bytes()
    found = read(io.BytesIO(text))
    assert isinstance(found, Evidence)
    (trace,) = found.of(DxtTrace)
    placement = Placement({x.record: extents_of(x) for x in trace.lustre})
    checked = 0
    for row in ROW.finditer(text):
        named = {int(ost) for ost in re.findall(rb"\d+", row[3])}
        call = (trace.lustre[0].record, int(row[1]), int(row[2]))
        assert set(bytes_on(placement, call)) == named, row[0]
        checked += bool(named)
    assert checked > 300
