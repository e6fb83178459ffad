"""Where two readings differ: which values, how many, and what is said of it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from darshan_writer import Counters, Job, Log, build, record_id
from second_opinions import second_opinions

from iotriage.verification.agreement import compare
from iotriage.verification.known_reasons import CUT
from iotriage.verification.reading import PydarshanReading
from iotriage_parsers.detect import read
from iotriage_parsers.evidence import DarshanLog

SHARED, A, B, PART = (record_id(name) for name in ("/shared", "/a", "/b", "/part"))
NAMES = {SHARED: "/shared", A: "/a", B: "/b", PART: "/part"}


def own(file, rank, read=0, write=0, meta=0.0, reading=0.0, writing=0.0, **more):
    return {
        "id": file,
        "rank": rank,
        "POSIX_BYTES_READ": read,
        "POSIX_BYTES_WRITTEN": write,
        "POSIX_F_META_TIME": meta,
        "POSIX_F_READ_TIME": reading,
        "POSIX_F_WRITE_TIME": writing,
    } | more


ROWS = (
    own(SHARED, -1, write=6000, meta=99.0, writing=99.0, POSIX_F_SLOWEST_RANK_TIME=3.0),
    own(A, 0, write=1000, meta=0.5, writing=1.0),
    own(B, 1, read=500, write=500, meta=0.5, reading=1.0, writing=1.5),
    own(PART, 1, read=200, reading=0.25),
    own(PART, 2, read=300, reading=4.0),
)


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    path = tmp_path_factory.mktemp("logs") / "five.darshan"
    path.write_bytes(build(Log(job=Job(nprocs=4), names=NAMES, modules=(Counters.of("POSIX", *ROWS),))))
    (theirs,) = second_opinions([path]).values()
    assert isinstance(theirs, PydarshanReading)
    with path.open("rb") as stream:
        (ours,) = read(stream).of(DarshanLog)
    return ours, theirs


def part_of(ours, theirs, name):
    return next(part for part in compare(ours, (), theirs) if part.part == name)


def changed(theirs, **fields):
    """The same reading with another POSIX table."""
    (table,) = theirs.tables
    return replace(theirs, tables=(replace(table, **fields),))


def test_the_derived_figures_are_those_that_one_adds_up_by_hand(both):
    _, theirs = both
    (derived,) = theirs.derived
    assert (derived.total_bytes, derived.files) == (8500, 4)
    assert (derived.bytes_read, derived.bytes_written) == (1000, 7500)
    assert derived.agg_time_by_slowest_s == 7.0
    assert derived.agg_perf_by_slowest == pytest.approx(8500 / 7.0 / 2**20)
    assert part_of(*both, "derived from POSIX").agreed == 6
    assert all(not part.differences for part in compare(both[0], (), both[1]))


def test_a_counter_that_differs_is_named_with_its_record_and_how_often(both):
    ours, theirs = both
    (table,) = theirs.tables
    at = table.int_names.index("POSIX_OPENS")
    ints = tuple((*row[:at], 7, *row[at + 1 :]) if i in (1, 3) else row for i, row in enumerate(table.ints))
    found = part_of(ours, changed(theirs, ints=ints), "POSIX")
    (difference,) = found.differences
    assert (difference.what, difference.values, difference.ours, difference.theirs) == ("POSIX_OPENS", 2, 0, 7)
    assert (difference.record, difference.rank, difference.reason) == (A, 0, None)
    assert found.agreed == part_of(ours, theirs, "POSIX").agreed - 2


def test_the_mark_for_not_available_added_up_over_ranks_is_known(both):
    ours, theirs = both
    at = ours.posix.int_names.index("POSIX_MMAPS")
    marked = ours.posix.ints.copy()
    marked[:, at] = -1
    mine = replace(ours, posix=replace(ours.posix, ints=marked))
    (table,) = theirs.tables
    for added, known in ((-4, True), (-5, False), (3, False)):
        ints = tuple((*row[:at], added, *row[at + 1 :]) for row in table.ints)
        (difference,) = part_of(mine, changed(theirs, ints=ints), "POSIX").differences
        assert ("added up" in (difference.reason or "")) == known, added


def test_a_time_that_we_keep_out_is_known(both):
    ours, theirs = both
    times = ours.posix.floats.copy()
    times[2, ours.posix.float_names.index("POSIX_F_WRITE_TIME")] = float("nan")
    mine = replace(ours, posix=replace(ours.posix, floats=times))
    (difference,) = part_of(mine, theirs, "POSIX").differences
    assert (difference.ours, difference.theirs, difference.values) == (None, 1.5, 1)
    assert "kept out" in difference.reason
    derived = part_of(mine, theirs, "derived from POSIX")
    assert {d.reason for d in derived.differences} <= {"it follows from the counters above that differ"}


def test_a_timer_that_is_not_available_is_left_out_of_our_time(both):
    ours, theirs = both
    times = ours.posix.floats.copy()
    times[ours.posix.ranks == 2] = -1.0
    times[ours.posix.ranks == 1] = float("nan")
    found = part_of(replace(ours, posix=replace(ours.posix, floats=times)), theirs, "derived from POSIX")
    of = {difference.what: difference for difference in found.differences}
    # What is left: 3 s of the shared file's slowest rank, and rank 0's own 1.5 s.
    assert (of["agg_time_by_slowest (s)"].ours, of["agg_time_by_slowest (s)"].theirs) == (4.5, 7.0)
    assert of["agg_perf_by_slowest (MiB/s)"].ours == pytest.approx(8500 / 4.5 / 2**20)


def test_records_that_one_side_lacks_are_counted_and_the_others_compared(both):
    ours, theirs = both
    (table,) = theirs.tables
    rows = (0, 1, 3, 4)
    picked = {name: tuple(getattr(table, name)[i] for i in rows) for name in ("ids", "ranks", "ints", "floats")}
    found = part_of(ours, changed(theirs, **picked), "POSIX")
    (difference,) = found.differences
    assert (difference.what, difference.values, difference.ours, difference.theirs) == ("records", 1, 5, 4)
    assert difference.reason is None
    damaged = tuple(replace(m, status="partly-read") for m in ours.modules)
    assert part_of(replace(ours, modules=damaged), changed(theirs, **picked), "POSIX").differences[0].reason == CUT


def test_a_table_that_we_do_not_have_differs_whole(both):
    ours, theirs = both
    found = part_of(replace(ours, posix=None), theirs, "POSIX")
    assert (found.agreed, found.differing) == (0, 5)


@pytest.mark.parametrize(
    ("part", "field", "value"),
    [
        ("job", "executable", "another"),
        ("metadata", "metadata", (("lib_ver", "9.9"),)),
        ("mounts", "mounts", (("/elsewhere", "lustre"),)),
        ("names", "names", ((A, "/b"), (B, "/b"), (SHARED, "/shared"), (PART, "/part"))),
        ("modules", "modules", ()),
        ("nodes", "nodes", ((0, "nid1"),)),
    ],
)
def test_every_part_can_differ(both, part, field, value):
    ours, theirs = both
    found = part_of(ours, replace(theirs, **{field: value}), part)
    assert found.differences
    assert all(difference.ours != difference.theirs for difference in found.differences)
