"""What a cure could save: at least of what its finding takes, at most of what it reaches and of all the I/O."""

from __future__ import annotations

import pytest
from declared import context

from iotriage.rules import all_rules
from iotriage.rules.core.rule import Impact
from iotriage.rules.core.saving import WHAT_THE_MOST_IS, documented_saving_or_share, slowest_documented


@pytest.mark.parametrize(
    ("impact", "takes", "reaches", "of_io", "runtime", "expected"),
    [
        (Impact("if", 1.0, 1.0, 0.0), 90.0, 90.0, 200.0, None, (81.0, 100.0)),
        (Impact("if", 1.0, 1.0, 20.0), 90.0, 90.0, 200.0, None, (61.0, 100.0)),
        (Impact("if", 0.5, 1.0, 20.0), 90.0, 90.0, 200.0, None, (40.5, 50.0)),
        (Impact("if", 7.0, 9.0, 0.0), 90.0, 90.0, 200.0, None, (81.0, 100.0)),
        (Impact("if", 1.0, 0.25, 0.0), 90.0, 90.0, 200.0, None, (20.25, 100.0)),
        (Impact("if", 1.0, 1.0, 0.0), 45.0, 90.0, 200.0, None, (40.5, 100.0)),
        (Impact("if", 1.0, 1.0, 0.0), 90.0, 90.0, 150.0, 155.0, (81.0, 95.0)),
        (Impact("if", 1.0, 1.0, 0.0), 90.0, 90.0, 150.0, 149.0, (81.0, 90.0)),
        (Impact("if", 1.0, 1.0, 0.0), 90.0, 90.0, 95.0, 900.0, (81.0, 95.0)),
        # What takes nine tenths as long in an equal run leaves nothing that is sure to be saved.
        (Impact("if", 1.0, 1.0, 82.0), 90.0, 90.0, 200.0, None, None),
        (Impact("if", 1.0, 1.0, 90.0), 90.0, 90.0, 200.0, None, None),
        (Impact("if", 1.0, -1.0, 0.0), 90.0, 90.0, 200.0, None, None),
        (Impact("if", 1.0, 1.0, 0.0), 0.0, 90.0, 200.0, None, None),
    ],
)
def test_the_bounds(
    impact: Impact,
    takes: float,
    reaches: float,
    of_io: float,
    runtime: float | None,
    expected: tuple[float, float] | None,
) -> None:
    assert impact.of(takes, reaches, of_io, runtime) == (None if expected is None else pytest.approx(expected))


def test_metadata_calls_on_home_take_as_long_elsewhere_at_least_for_all_that_is_known():
    there = {
        "file.home_bytes": 0.0,
        "file.home_metadata_fraction": 0.5,
        "job.nprocs": 8,
        "posix.metadata_io_fraction": 0.2,
        "posix.metadata_time": 160.0,
    }
    saved = all_rules()["wrong-filesystem"].impact(context(there, file_system="nfs"))
    assert saved is not None
    assert saved.stays_s == pytest.approx(10.0)
    assert "metadata calls take as long as now" in saved.because
    assert saved.because.endswith(f"the slowest that ARCHER's guide has for one OST on Lustre; {WHAT_THE_MOST_IS}")


@pytest.mark.parametrize(
    ("kind", "mount", "compared"),
    [
        ("lustre", None, False),
        ("unknown", None, False),
        ("unknown", "lustre", False),
        ("unknown", "mmfs", True),
        ("gpfs", None, True),
        ("beegfs", "beegfs", True),
        ("nfs", "nfs4", True),
        ("local", "xfs", True),
    ],
)
def test_a_rate_of_lustre_is_a_comparison_where_the_files_lie_on_something_else(kind, mount, compared):
    small = {"io.bytes": 2.0**30, "job.nprocs": 8} | ({} if mount is None else {"file.mount_type": mount})
    saved = all_rules()["small-io"].impact(context(small, file_system=kind))
    assert saved is not None
    assert ("on Lustre (these files are not on Lustre: it is only a comparison)" in saved.because) is compared


@pytest.mark.parametrize(
    ("rule", "metric", "known", "of_it"),
    [
        ("stdio-reread", "stdio.times_read", {"io.layer": "STDIO"}, 0.5),
        ("redundant-reads", "posix.times_read", {"posix.average_read_size": 65536.0}, 0.5),
        ("redundant-reads", "posix.times_read", {"posix.average_read_size": 4 * 2.0**20}, 1.0),
    ],
)
def test_what_is_read_once_in_small_pieces_is_not_taken_to_come_as_fast_as_large_ones(rule, metric, known, of_it):
    read = {metric: 9.0, "io.bytes_read": 9 * 2.0**30, "io.bytes": 9 * 2.0**30, "job.nprocs": 4, "file.osts": 1}
    given = context(known | read, file_system="lustre")
    saved = all_rules()[rule].impact(given)
    assert saved is not None
    assert saved.stays_s == pytest.approx(2.0**30 / (of_it * slowest_documented(given, "file.osts")))


def test_of_files_that_are_opened_again_one_open_of_each_stays():
    saved = all_rules()["reopened-files"].impact(context({"posix.opens": 6400.0, "posix.opens_by_a_rank": 100.0}))
    assert saved is not None
    assert saved.because.endswith("stay and take as long as now; " + WHAT_THE_MOST_IS)
    assert "if 64 of the 6,400 calls stay" in saved.because


@pytest.mark.parametrize(
    ("at_once", "osts", "as_fast_as"),
    [(1.0, "file.osts", 1), (4.0, "file.osts", 4), (8.0, "file.osts", 8), (1.0, "file.stripes_possible", 8)],
    ids=["in turn", "four at a time", "all at once", "after striping"],
)
def test_files_that_are_used_in_turn_have_the_rate_of_the_osts_of_one(at_once, osts, as_fast_as):
    """Eight files of one stripe. What is striped anew has all OSTs."""
    known = {"job.nprocs": 4096, "file.osts": 8, "file.stripes_possible": 8}
    rate = slowest_documented(context(known | {"file.stripes_at_once": at_once}), osts)
    assert rate == slowest_documented(context({"job.nprocs": 4096, "file.osts": as_fast_as}), "file.osts")


@pytest.mark.parametrize(("part", "stays_s", "least"), [(0.74, 74.0, 1.0), (0.76, 0.0, 0.25)])
def test_what_passes_as_fast_as_documented_already_saves_a_share(part: float, stays_s: float, least: float) -> None:
    """A quarter of 100 s is ours; the documented rate would leave that part of them."""
    known = {"job.nprocs": 8, "group.io_time": 100.0}
    moved = part * 100.0 * slowest_documented(context(known), "file.osts")
    saved = documented_saving_or_share(
        context(known | {"io.bytes": moved}), "it were so", least=0.25, why="ours", osts="file.osts"
    )
    assert saved is not None
    assert (saved.stays_s, saved.least_share) == (pytest.approx(stays_s), least)


OWN = {"io.pattern": "file-per-process", "job.nprocs": 128, "file.count": 128, "file.osts": 24}
READ = {
    "io.pattern": "shared-independent",
    "job.nprocs": 128,
    "file.osts": 24,
    "io.bytes": 100.0,
    "io.bytes_read": 95.0,
}


@pytest.mark.parametrize(
    ("known", "mib_s"),
    [
        (OWN, 5929.0),
        (OWN | {"file.osts": 12}, 5929.0 / 2),
        (OWN | {"file.count": 12}, 5929.0 / 2),
        (OWN | {"file.osts": 400}, 2 * 5929.0),
        (READ, 5929.0),
        (READ | {"file.readers": 12}, 5929.0 / 2),
        # On how many OSTs they are nobody says, and then as little is taken as of a shared file.
        (OWN | {"file.osts": None}, 2270.0),
        (READ | {"io.bytes_read": 80.0}, 2270.0),
    ],
)
def test_what_stays_where_nobody_takes_anothers_locks_moves_as_files_of_their_own_do(known, mib_s):
    given = context({id: value for id, value in known.items() if value is not None})
    assert slowest_documented(given, "file.osts", as_now=True) == pytest.approx(mib_s * 2**20)
    assert slowest_documented(given, "file.osts") == pytest.approx(2270.0 * 2**20)


@pytest.mark.parametrize("rule", ["sync-heavy", "small-io", "random-access"])
def test_files_of_each_rank_stay_so_when_they_are_cured(rule):
    moved = 4096.0 * 2**20
    saved = all_rules()[rule].impact(context(OWN | {"io.bytes": moved, "io.bytes_written": moved}))
    assert saved is not None
    assert saved.stays_s == pytest.approx(4096 / 5929)
    assert "for as many OSTs where no process takes another's locks" in saved.because


@pytest.mark.parametrize(("storage", "least"), [(0.6, 0.3), (1.4, 0.5), (None, 1.0)])
def test_the_reads_of_read_modify_writes_go_at_least(storage, least):
    known = {"job.nprocs": 64, "io.bytes": 2.0**42, "io.bytes_written": 2.0**42, "group.io_time": 100.0}
    of_reads = {"mpiio.rmw_time_fraction": 0.5} | ({} if storage is None else {"mpiio.storage_fraction": storage})
    saved = all_rules()["read-modify-write"].impact(context(known | of_reads))
    assert saved is not None
    assert saved.least_share == pytest.approx(least)


@pytest.mark.parametrize(
    ("kind", "known", "mib_s"),
    [
        # One file of many ranks, with one stripe for all that is known: the rate of one OST.
        ("lustre", {"io.pattern": "shared-independent"}, 500.0),
        ("gpfs", {"io.pattern": "shared-independent"}, 5396.0),
        ("lustre", {"io.pattern": "file-per-process", "file.count": 8}, 8 * 815.0 / 4),
    ],
    ids=["may have one stripe", "has none", "own files"],
)
def test_where_no_layout_is_known_the_files_lie_on_the_fewest_osts_they_can(kind, known, mib_s):
    rate = slowest_documented(context({"job.nprocs": 512} | known, file_system=kind), "file.osts")
    assert rate == pytest.approx(mib_s * 2**20)
