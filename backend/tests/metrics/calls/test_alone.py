"""What the slowest rank does in files that no other rank uses."""

from collections.abc import Mapping
from dataclasses import replace

import pytest
from evidence_by_hand import job, log, metric, table, value

from iotriage.metrics.core.selection import Selection
from iotriage_parsers.evidence import Mount

MIB, GIB = 2**20, 2**30


def written(start: float, end: float) -> Mapping[str, float]:
    return {
        "POSIX_BYTES_WRITTEN": GIB,
        "POSIX_WRITES": 1024,
        "POSIX_F_WRITE_TIME": 10.0,
        "POSIX_F_WRITE_START_TIMESTAMP": start,
        "POSIX_F_WRITE_END_TIMESTAMP": end,
    }


def steps(*of_rank_0: Mapping[str, float], others: Mapping[str, float]) -> Selection:
    """Rank 0 writes a file a step; every other rank has an input file of its own."""
    records = [(1 + step, 0, counters) for step, counters in enumerate(of_rank_0)]
    records += [(100 + rank, rank, others) for rank in range(1, 8)]
    names = {1 + step: f"/scratch/step.{step}" for step in range(len(of_rank_0))}
    return job(log(table("POSIX", *records), names=names | {100 + rank: f"/scratch/in.{rank}" for rank in range(1, 8)}))


READ = {"POSIX_BYTES_READ": 100 * GIB, "POSIX_READS": 1024, "POSIX_F_READ_TIME": 1.0}


@pytest.mark.parametrize(
    ("spans", "pauses"),
    [
        (((0.5, 10.5), (40.5, 50.5), (90.5, 100.5)), 0.7),
        (((0.5, 10.5), (10.5, 20.5), (20.5, 30.5)), 0.0),
        (((0.5, 90.5), (10.5, 20.5), (80.5, 100.5)), 0.0),
    ],
    ids=["a step each", "one after another", "at once"],
)
def test_files_are_used_in_turn_where_none_is_in_use_between(spans, pauses):
    s = steps(*(written(*span) for span in spans), others=READ)
    assert value(s, "balance.alone_files") == pytest.approx(3)
    assert value(s, "balance.alone_pauses") == pytest.approx(pauses)


@pytest.mark.parametrize(("busy_s", "pauses"), [(9.5, 0.05), (1.0, 0.5)], ids=["copied one by one", "beside a log"])
def test_a_rank_that_is_busy_with_other_files_between_two_has_no_pause(busy_s: float, pauses: float) -> None:
    """It reads another rank's file before it writes its own copy of it; a log stays open and takes no time."""
    mine = [(1 + k, 0, written(10.5 + 20 * k, 20.5 + 20 * k)) for k in range(4)]
    between = {
        "POSIX_BYTES_READ": GIB,
        "POSIX_READS": 256,
        "POSIX_F_READ_TIME": busy_s,
    }
    others = [
        (
            100 + k,
            rank,
            between | {"POSIX_F_READ_START_TIMESTAMP": 20.5 + 20 * k, "POSIX_F_READ_END_TIMESTAMP": 30.5 + 20 * k},
        )
        for k in range(3)
        for rank in (0, 5)
    ]
    names = {1 + k: f"/scratch/copy.{k}" for k in range(4)} | {100 + k: f"/bb/r.{k}" for k in range(3)}
    s = job(log(table("POSIX", *mine, *others), names=names))
    assert value(s, "balance.alone_pauses") == pytest.approx(pauses if busy_s < 5 else 0.0, abs=0.08)


def test_one_file_has_no_pauses_and_times_that_are_missing_say_nothing():
    assert "one file" in metric(steps(written(1.0, 11.0), others=READ), "balance.alone_pauses").reason
    without = {name: n for name, n in written(1.0, 11.0).items() if "TIMESTAMP" not in name}
    assert value(steps(written(50.0, 60.0), without, others=READ), "balance.alone_pauses") is None


def test_what_the_rank_does_is_told_of_its_files_and_not_of_the_job():
    s = steps(written(1.0, 11.0), written(50.0, 60.0), others=READ)
    assert value(s, "io.bytes_read") > value(s, "io.bytes_written")
    assert value(s, "balance.alone_way") == "writes"
    both = steps(written(1.0, 11.0) | {"POSIX_BYTES_READ": GIB // 2}, others={})
    assert value(both, "balance.alone_way") == "reads and writes"


def test_the_mount_of_the_file_is_told():
    s = steps(written(1.0, 11.0), others=READ)
    assert value(s, "balance.alone_mount") is None
    given = s.logs[0].log
    mounted = replace(given, job=replace(given.job, mounts=(Mount("/", "ext4"), Mount("/scratch", "lustre"))))
    assert value(job(mounted), "balance.alone_mount") == "lustre"
