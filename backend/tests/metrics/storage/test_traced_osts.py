"""Bytes and seconds by OST from the calls of a trace, by hand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from evidence_by_hand import log, metric, table, value

from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.osts.slowest_ost import SlowestOst, slowest_ost
from iotriage.metrics.tables.osts.traced_osts import ENOUGH_CALLS, OstCalls, traced_osts
from iotriage.metrics.tables.selecting import select_files, select_job
from iotriage_parsers.detect import read
from iotriage_parsers.evidence import SEGMENT, DxtTrace, Evidence, Lines, LustreLayout, StripeComponent, StripeLayout

MIB = 2**20
Row = tuple[int, bool, int, int, float]
"""Record, whether it writes, offset, length, seconds."""


def trace(rows: Sequence[Row], layer: str = "POSIX", partial: bool = False) -> DxtTrace:
    segments = np.zeros(len(rows), dtype=SEGMENT)
    for i, (record, write, offset, length, seconds) in enumerate(rows):
        segments[i] = (record, 0, write, offset, length, 1.0, 1.0 + seconds, 0)
    return DxtTrace(layer, segments, {}, {}, partial)  # type: ignore[arg-type]


def traced(rows: Sequence[Row], *layouts: LustreLayout, partial: bool = False) -> Selection:
    counted: dict[int, dict[str, float]] = {}
    for record, write, _, length, seconds in rows:
        mine = counted.setdefault(record, {})
        way = "WRITTEN" if write else "READ"
        mine[f"POSIX_BYTES_{way}"] = mine.get(f"POSIX_BYTES_{way}", 0) + length
        mine["POSIX_F_WRITE_TIME"] = mine.get("POSIX_F_WRITE_TIME", 0) + seconds
    made = log(table("POSIX", *((record, -1, values) for record, values in counted.items())), lustre=layouts)
    return select_job([(0, made), (0, trace(rows, partial=partial))])


ROWS: list[Row] = [
    (1, True, 0, MIB, 1.0),
    (1, True, MIB // 2, MIB, 2.0),
    (1, False, 2 * MIB, 4 * MIB, 4.0),
    (2, True, 0, 10, 8.0),
]
LAYOUT = LustreLayout(1, MIB, 2, (4, 9), 12)


def test_bytes_are_exact_and_only_calls_on_one_ost_give_it_their_time() -> None:
    """1 MiB on OST 4 in 1 s; 1 MiB half and half; 4 MiB read from both in turn; file 2 has no layout."""
    (found,) = traced_osts(traced(ROWS, LAYOUT))
    assert found.sums.by_ost() == (
        OstCalls(4, 2 * MIB, MIB + MIB // 2, 1, MIB, 1.0),
        OstCalls(9, 2 * MIB, MIB // 2, 0, 0, 0.0),
    )
    assert found.by_file() == {1: {one.ost: one for one in found.sums.by_ost()}}


def test_an_ost_that_stands_twice_in_a_list_has_both_its_stripes() -> None:
    rows: list[Row] = [(1, True, 0, MIB, 1.0), (1, True, 2 * MIB, MIB, 2.0)]
    (found,) = traced_osts(traced(rows, LustreLayout(1, MIB, 3, (4, 9, 4), 12)))
    assert found.by_file() == {1: {4: OstCalls(4, 0, 2 * MIB, 2, 2 * MIB, 3.0)}}


def test_the_share_whose_ost_is_known() -> None:
    found = traced(ROWS, LAYOUT)
    assert value(found, "ost.traced_bytes") == 6 * MIB
    assert value(found, "ost.traced_share") == pytest.approx(6 * MIB / (6 * MIB + 10))
    other = select_files(found, {0: np.array([2], np.uint64)}, ("/scratch/file2",), "own", 1)
    assert value(other, "ost.traced_bytes") == 0
    assert metric(traced(ROWS, LAYOUT, partial=True), "ost.traced_bytes").bound == "lower"


def test_without_a_layout_or_with_calls_of_mpiio_alone_no_ost_is_known() -> None:
    assert value(traced(ROWS), "ost.traced_bytes") is None
    made = log(table("POSIX", (1, -1, {"POSIX_BYTES_WRITTEN": MIB})), lustre=(LAYOUT,))
    assert value(select_job([(0, made), (0, trace(ROWS, "MPIIO"))]), "ost.traced_bytes") is None


def test_lfs_getstripe_tells_the_osts_where_the_log_does_not() -> None:
    made = log(table("POSIX", (1, -1, {"POSIX_BYTES_WRITTEN": MIB})), names={1: "/lus/out.dat"})
    printed = StripeLayout(
        "plain",
        "/lus/out.dat",
        1,
        Lines(1, 9),
        True,
        (StripeComponent(2, stripe_count=2, stripe_size_bytes=MIB, osts=(7, 3)),),
    )
    found = select_job([(0, made), (0, trace([(1, True, MIB - 10, 30, 1.0)])), (1, printed)])
    (of_log,) = traced_osts(found)
    assert [(o.ost, o.bytes_written) for o in of_log.sums.by_ost()] == [(3, 20), (7, 10)]


def striped(slow: int, factor: float, calls: int = ENOUGH_CALLS, length: int = MIB) -> Selection:
    """One shared file over five OSTs, each stripe one call; those on the OST `slow` take `factor` times as long."""
    rows = [
        (1, True, stripe * MIB, length, 0.01 * (factor if stripe % 5 == slow else 1.0)) for stripe in range(5 * calls)
    ]
    return traced(rows, LustreLayout(1, MIB, 5, (10, 11, 12, 13, 14), 12))


def test_a_slow_ost_of_a_shared_file_is_found_by_its_calls() -> None:
    found = slowest_ost(striped(3, 8.0))
    assert isinstance(found, SlowestOst)
    assert (found.ost, found.files, found.calls, found.compared) == (13, 1, ENOUGH_CALLS, 5)
    assert value(striped(3, 8.0), "ost.slowness") == pytest.approx(8.0)
    assert value(striped(3, 8.0), "ost.slowest_calls") == ENOUGH_CALLS


def test_what_ranks_then_wait_for_one_another_is_told_by_calls_on_one_ost_alone() -> None:
    uneven = "ost.uneven_without_slow"
    of_one_rank = striped(3, 8.0)
    assert value(of_one_rank, uneven) == pytest.approx(5 * ENOUGH_CALLS * 0.01 * (1 - 1 / (of_one_rank.nprocs or 0)))
    assert value(striped(3, 8.0), uneven) == pytest.approx(value(striped(3, 1.0), uneven))
    assert value(striped(3, 8.0, calls=ENOUGH_CALLS - 1), uneven) is None


def test_few_calls_and_small_calls_say_nothing_of_an_ost() -> None:
    assert value(striped(3, 8.0, calls=ENOUGH_CALLS - 1), "ost.slowness") is None
    assert value(striped(3, 8.0, length=2**16 - 1), "ost.slowness") is None


def test_one_call_that_waits_does_not_make_its_ost_slow() -> None:
    rows: list[Row] = [(1, True, n * MIB, MIB, 5.0 if n == 3 else 0.01) for n in range(5 * ENOUGH_CALLS)]
    found = traced(rows, LustreLayout(1, MIB, 5, (10, 11, 12, 13, 14), 12))
    assert value(found, "ost.slowness") == pytest.approx(1.0)


SAMPLE = Path(__file__).resolve().parents[4] / "sample-logs/darshan_log/lustre-traced-slow-ost"


def test_the_osts_of_a_sample_have_the_bytes_and_the_seconds_that_it_was_written_with() -> None:
    """36 steps of 256 writes of 1 MiB, a stripe each, over 12 OSTs; 3 MiB of the table from OST 2, 3, 2 by every rank
    in two calls of 1.5 MiB, which no OST has alone."""
    with (SAMPLE / "lustre-traced-slow-ost.darshan").open("rb") as stream:
        found = read(stream)
    assert isinstance(found, Evidence)
    s = select_job([(0, part) for part in found.parts])
    (of_log,) = traced_osts(s)
    osts = {one.ost: one for one in of_log.sums.by_ost()}
    assert {ost: one.bytes_written for ost, one in osts.items()} == dict.fromkeys(range(12), 36 * 256 // 12 * MIB)
    assert {ost: one.bytes_read for ost, one in osts.items() if one.bytes_read} == {2: 512 * MIB, 3: 256 * MIB}
    assert {one.alone_calls for one in osts.values()} == {36 * 256 // 12}
    (trace,) = found.of(DxtTrace)
    slow = osts.pop(9)
    assert slow.alone_s == pytest.approx(6 * osts[5].alone_s, rel=0.01)
    every = slow.alone_s + sum(one.alone_s for one in osts.values())
    writes = trace.segments[trace.segments["write"]]
    assert every == pytest.approx(float((writes["end"] - writes["start"]).sum()))
    assert value(s, "ost.traced_share") == 1.0
    assert value(s, "ost.slowest") == 9
