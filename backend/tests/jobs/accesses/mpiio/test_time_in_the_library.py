"""Collective calls whose time passes above the file system: what is to be done first, and of whom it is said."""

from __future__ import annotations

import pytest
from described import KIB, MIB, Call, Part, Work, document, osts

from iotriage.analysis.document.account import Unexplained

TRAJECTORY = "/scratch/run/traj.nc"


def first_advice(work: Work) -> str:
    found = next(f for f in document(work).findings if f.rule == "collective-overhead" and f.verdict == "triggered")
    return found.advice[0].text


@pytest.mark.parametrize(
    ("calls", "size", "said"),
    [
        (40_000, 2 * KIB, "Write more with each collective call"),
        (10, 2 * KIB, "Find out what takes the time"),
        (40_000, 2 * MIB, "Find out what takes the time"),
    ],
    ids=["many and small", "few", "large"],
)
def test_many_small_collective_calls_are_gathered_before_anybody_looks_for_what_takes_them(
    calls: int, size: int, said: str
) -> None:
    below = calls * size * 256 // (512 * KIB) // 8
    work = Work(
        (
            Part(TRAJECTORY, range(256), "MPI-IO", writes=calls, size=size, write_s=240.0, collective=True),
            Part(TRAJECTORY, range(0, 256, 32), writes=below, size=512 * KIB, write_s=4.0, osts=osts(8)),
        ),
        nprocs=256,
        runtime_s=600.0,
    )
    assert first_advice(work).startswith(said)


def read_collectively(whole: bool, times: int = 1) -> Work:
    """1,200 MiB by 2,048 ranks, each all of it or its part, so many times; 32 aggregators fetch it each time."""
    ranks, size = range(2048), 2048 * 600 * KIB
    each = size if whole else size // len(ranks)
    calls = 75 if whole else 1
    return Work(
        (
            Part(
                "/scratch/opac.dat", ranks, "MPI-IO", reads=calls * times, size=each // calls, read_s=64.0,
                collective=True,
            ),
            Part(
                "/scratch/opac.dat", ranks[::64], reads=6 * times, size=size // 32 // 6, read_s=1.1, in_order=0.3,
                reach=size, osts=osts(16),
            ),
        ),
        nprocs=2048,
        runtime_s=400.0,
        nodes=32,
    )  # fmt: skip


def test_what_every_rank_reads_whole_is_read_by_one_and_sent_to_all() -> None:
    assert "send it to all with MPI_Bcast" in first_advice(read_collectively(whole=True))


@pytest.mark.parametrize(("times", "said"), [(1, "Find out what takes"), (2048, "Read more with each collective call")])
def test_parts_that_each_rank_reads_however_often_are_not(times: int, said: str) -> None:
    assert first_advice(read_collectively(whole=False, times=times)).startswith(said)


def opened_collectively(opens_s: float, writes_s: float) -> Work:
    above = Part("/scratch/o.h5", range(4096), "MPI-IO", writes=4, write_s=writes_s, meta_s=opens_s, collective=True)
    below = Part("/scratch/o.h5", range(0, 4096, 64), writes=256, write_s=2.0, in_order=0.2, osts=osts(48))
    return Work((above, below), nprocs=4096, runtime_s=200)


def test_time_in_opens_of_mpi_io_is_not_called_exchange() -> None:
    found = document(opened_collectively(45.0, 3.0))
    assert found.headline.rule == "collective-overhead"
    assert found.headline.sentence.startswith("Opening and closing files takes far longer in MPI-IO")
    assert "time a barrier right before the open" in first_advice(opened_collectively(45.0, 3.0))
    assert "sorting of pieces" not in found.findings[0].summary


def test_time_in_the_calls_that_move_data_is() -> None:
    assert first_advice(opened_collectively(3.0, 45.0)).startswith("Find out what takes the time")


def slow_writes(traced: int) -> Unexplained:
    """Writes of 16 MiB that are slow for no reason that counters show, so many of 32 of each rank traced."""
    path = "/gpfs/run/slow.dat"
    calls = tuple(
        Call(path, rank, (32 * rank + i) * 16 * MIB, 16 * MIB, 10.0 + i, 1.0)
        for rank in range(8)
        for i in range(traced)
    )
    work = Work(
        (Part(path, range(8), writes=32, size=16 * MIB, write_s=150.0, in_order=1.0),),
        nprocs=8,
        runtime_s=300.0,
        traced=calls,
    )
    left = document(work).unexplained
    assert left is not None
    return left


def test_who_has_traced_nothing_is_told_to() -> None:
    left = slow_writes(0)
    assert "trace one short run, which shows" in (left.experiment or "")
    assert left.command == "export DXT_ENABLE_IO_TRACE=1"


def test_who_has_traced_the_run_is_sent_to_the_trace() -> None:
    left = slow_writes(30)
    assert "the timeline of this log's trace shows" in (left.experiment or "")
    assert left.command is None


def test_who_has_traced_a_part_is_told_what_is_missing_and_how_to_trace_all() -> None:
    left = slow_writes(2)
    assert "timeline" not in (left.experiment or "")
    assert "This log's trace has 6.3 % of the POSIX I/O" in (left.experiment or "")
    assert (left.command or "").splitlines() == [
        "unset DXT_TRIGGER_CONF_PATH",
        "export DXT_ENABLE_IO_TRACE=1",
        "export DARSHAN_MODMEM=64",
    ]
