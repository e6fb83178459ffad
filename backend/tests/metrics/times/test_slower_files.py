"""Whether files that all ranks write one after the other take longer later: which, how much, and from when on."""

from __future__ import annotations

from itertools import accumulate

import pytest
from evidence_by_hand import job, log, table, value

from iotriage.metrics.core.selection import Selection

SIZE = 2**30


def written(*seconds: float) -> Selection:
    """Files that eight ranks write together, each for so long, one after the other."""
    begins = [0.0, *accumulate(seconds)]
    records = [
        (
            number + 1,
            -1,
            {
                "POSIX_BYTES_WRITTEN": SIZE,
                "POSIX_WRITES": 1024,
                "POSIX_F_SLOWEST_RANK_TIME": took,
                "POSIX_F_WRITE_TIME": 8 * took,
                "POSIX_F_WRITE_START_TIMESTAMP": 10.0 + begin,
                "POSIX_F_WRITE_END_TIMESTAMP": 10.0 + begin + took,
            },
        )
        for number, (took, begin) in enumerate(zip(seconds, begins, strict=False))
    ]
    names = {number + 1: f"/scratch/out.{number:03}" for number in range(len(seconds))}
    return job(log(table("POSIX", *records), names=names, runtime_s=1000.0))


def test_from_one_file_on_all_take_longer() -> None:
    files = written(2.0, 2.0, 2.0, 2.0, 10.0, 10.0, 10.0, 10.0)
    assert value(files, "group.files_in_turn") == 8
    assert (value(files, "group.later_way"), value(files, "group.later_times")) == ("from one on", 5.0)
    assert (value(files, "group.early_file_time"), value(files, "group.late_file_time")) == (2.0, 10.0)
    assert (value(files, "group.slower_file"), value(files, "group.slower_since")) == ("out.004", 18.0)
    assert value(files, "group.later_beyond") == pytest.approx(32.0)


def test_files_that_take_longer_and_longer_end_with_the_last() -> None:
    files = written(*(1.0 + number for number in range(12)))
    assert value(files, "group.later_way") == "longer and longer"
    assert value(files, "group.slower_file") == "out.011"


def test_files_that_take_as_long_are_not_slower() -> None:
    files = written(*[2.0] * 8)
    assert (value(files, "group.files_in_turn"), value(files, "group.later_times")) == (8, 1.0)
    assert value(files, "group.slower_file") is None
