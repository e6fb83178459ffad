"""What home takes of a job's seconds beside other files, and what it leaves to them."""

from __future__ import annotations

import pytest
from described import KIB, MIB, Part, Work, document, osts, own, seconds_of, uneven


def test_home_takes_what_passes_there_and_nothing_of_streams_elsewhere() -> None:
    traces = Part("/home/u/trace.{}", range(512), writes=2000, size=8192, write_s=100.0)
    lines = Part("/scratch/log.{}", range(512), "STDIO", writes=30_000, size=200, write_s=150.0, syncs=30_000)
    assert seconds_of(Work((traces, lines), 512, 1000.0)) == {"sync-heavy": 150.0, "wrong-filesystem": 100.0}


TABLES_AT_HOME = tuple(
    Part(f"/home/u/{{}}/tab_{k:02}.dat", range(256), reads=2048, size=4 * KIB, read_s=7.0) for k in range(10)
)


def field(directory: str, seconds: float) -> tuple[Part, Part]:
    """Written with collective calls by one aggregator in nearly all of the time."""
    size = 4 * MIB
    return (
        Part(f"{directory}/f.h5", range(256), "MPI-IO", writes=100, size=size, write_s=seconds, collective=True),
        Part(f"{directory}/f.h5", range(1), writes=25_600, size=size, write_s=seconds * 0.96, osts=osts(1)),
    )


def test_home_takes_nothing_of_the_exchange_of_files_elsewhere() -> None:
    taken = seconds_of(Work((*TABLES_AT_HOME, *field("/scratch", 110.0)), 256, 1000.0))
    assert taken["wrong-filesystem"] == pytest.approx(70, abs=0.5)
    assert taken["single-aggregator"] == pytest.approx(110, abs=0.5)


def test_home_takes_the_exchange_of_files_there() -> None:
    taken = seconds_of(Work((*TABLES_AT_HOME, *field("/home/u", 110.0)), 256, 1000.0))
    assert taken["wrong-filesystem"] == pytest.approx(180, abs=0.5)


@pytest.mark.parametrize(
    ("at_home", "elsewhere", "waits_for_home"),
    [
        # The rank that is slow at home is waited for, as far as another is not waited for elsewhere.
        ({0: 60.0}, {}, 60.0),
        ({0: 60.0}, {0: 60.0}, 60.0),
        ({0: 60.0}, {1: 60.0}, 0.0),
        ({0: 60.0}, {1: 20.0}, 40.0),
        ({}, {0: 60.0}, 0.0),
    ],
)
def test_home_takes_of_the_waiting_what_would_not_be_without_its_files(
    at_home: dict[int, float], elsewhere: dict[int, float], waits_for_home: float
) -> None:
    def own_files(directory: str, longer: dict[int, float]) -> Part:
        took = tuple(20.0 + longer.get(rank, 0.0) for rank in range(256))
        return Part(f"{directory}/o.{{}}", range(256), writes=400, write_s=took, osts=own(256))

    found = document(Work((own_files("/home/u", at_home), own_files("/scratch", elsewhere)), 256, 1000.0))
    assert found.account is not None
    part = found.metrics["file.home_imbalance_fraction"].value
    assert isinstance(part, float)
    waited = part * found.account.cells.imbalance
    assert waited == pytest.approx(waits_for_home, abs=0.5)


def saves(work: Work, rule: str) -> float | None:
    return next(f.could_save_s for f in document(work).findings if f.rule == rule and f.verdict == "triggered")


LINES_AT_HOME = Part(
    "/home/u/out.{}.log", range(64), "STDIO", writes=30_000, size=110, write_s=120.0, syncs=30_000, meta_s=0.02
)


def test_lines_that_are_flushed_at_home_wait_for_the_flushes() -> None:
    """On another file system a flush takes its time too, and no rate of large pieces says how long."""
    work = Work((LINES_AT_HOME,), 64, 600.0)
    assert seconds_of(work) == {"sync-heavy": 120.0}
    assert saves(work, "wrong-filesystem") is None


def test_data_at_home_keeps_its_seconds_beside_lines_that_are_flushed_there() -> None:
    data = Part("/home/u/out.{}.dat", range(64), writes=800, size=4 * MIB, write_s=60.0)
    assert seconds_of(Work((LINES_AT_HOME, data), 64, 600.0)) == {"sync-heavy": 120.0, "wrong-filesystem": 60.0}


def test_data_at_home_that_is_synced_in_large_pieces_is_slow_for_its_home() -> None:
    data = Part("/home/u/out.{}.dat", range(64), writes=800, size=MIB, write_s=120.0, syncs=800)
    work = Work((data,), 64, 600.0)
    assert seconds_of(work) == {"wrong-filesystem": 120.0}
    assert saves(work, "wrong-filesystem") is None


def test_lines_at_home_that_the_library_gathers_move_at_a_documented_rate_elsewhere() -> None:
    lines = Part("/home/u/out.{}.txt", range(64), "STDIO", writes=3_000_000, size=110, write_s=120.0)
    work = Work((lines,), 64, 600.0)
    assert seconds_of(work)["wrong-filesystem"] == 120.0
    assert saves(work, "wrong-filesystem") is not None


@pytest.mark.parametrize(("at_home", "elsewhere"), [("a", "b"), ("b", "a")])
def test_small_accesses_elsewhere_are_no_matter_of_home(at_home: str, elsewhere: str) -> None:
    home = Part(f"/home/u/{at_home}.{{}}", range(128), writes=500, size=64 * KIB, write_s=50.0)
    records = Part(f"/scratch/{elsewhere}.{{}}", range(128), writes=200_000, size=KIB, write_s=150.0, osts=own(128))
    work = Work((home, records), 128, 500.0)

    assert document(work).headline.rule == "small-io"
    assert seconds_of(work) == {"small-io": 150.0, "wrong-filesystem": 50.0}


def test_small_accesses_on_home_are() -> None:
    work = Work((Part("/home/u/a.{}", range(128), writes=500, size=64 * KIB, write_s=150.0),), 128, 500.0)

    assert seconds_of(work) == {"wrong-filesystem": 150.0}


def test_small_accesses_on_home_are_a_matter_of_home_beside_large_ones_elsewhere() -> None:
    home = Part("/home/u/a.{}", range(128), writes=500, size=64 * KIB, write_s=150.0)
    elsewhere = Part("/scratch/b.{}", range(128), writes=50, size=64 * MIB, write_s=30.0, osts=own(128))

    assert seconds_of(Work((home, elsewhere), 128, 500.0)) == {"wrong-filesystem": 150.0}


@pytest.mark.parametrize("beside", [0.0, 100.0])
def test_a_log_that_all_ranks_write_is_no_faster_elsewhere(beside: float) -> None:
    """What else is at home is: the log has its seconds first."""
    log = Part(
        "/home/u/run.log", range(128), writes=20_000, size=100, write_s=uneven(128, 150.0), in_order=0.0, forward=1.0,
        aligned=False,
    )  # fmt: skip
    data = Part("/home/u/d.{}", range(128), writes=500, size=4 * MIB, write_s=beside)
    found = seconds_of(Work((log, data), 128, 400.0, nodes=2))

    assert found == {"shared-log": pytest.approx(165.0, rel=0.02)} | ({"wrong-filesystem": beside} if beside else {})


def test_ranks_that_are_each_the_slowest_in_another_file_are_not_one_after_the_other() -> None:
    """Each of 64 tables at home keeps another rank for 2 s, all others for 50 ms: 5 s of each, beside 100 s."""
    tables = tuple(
        Part(
            f"/home/u/table.{k}",
            range(64),
            reads=1,
            size=4 * MIB,
            read_s=tuple(2.0 if r == k else 0.05 for r in range(64)),
        )
        for k in range(64)
    )
    output = Part("/scratch/out.{}", range(64), writes=1024, write_s=100.0, osts=own(64))
    found = document(Work((*tables, output), 64, 400.0))
    assert found.metrics["file.home_time_fraction"].value == pytest.approx(0.05, abs=0.005)
    assert "passes on /home" not in found.headline.said + (found.headline.action or "")
