"""Streams of small calls in a storage that stands still: most calls copy into a buffer, and the few others wait."""

from __future__ import annotations

import pytest
from described import MIB, Part, Seconds, Work, above_info, document, own, uneven

RANKS = range(64)
STANDS_STILL = tuple(0.02 + 4.0 * (rank * 5 % 7) for rank in RANKS)
"""Of each rank none to six times, 4 s each."""
DATA = Part("/scratch/run/d.{}", RANKS, writes=640, size=4 * MIB, write_s=uneven(64, 8.0), osts=own(64))


def lines(calls: int, seconds: Seconds, *, name: str = "log.{}", ranks: range = RANKS, flushes: int = 0) -> Work:
    log = Part(f"/scratch/run/{name}", ranks, "STDIO", writes=calls, size=80, write_s=seconds, syncs=flushes)
    return Work((log, DATA), nprocs=64, runtime_s=100, nodes=2)


@pytest.mark.parametrize("seconds", [STANDS_STILL, 12.0], ids=["now and then", "of all ranks alike"])
def test_neither_the_size_nor_the_number_of_their_calls_is_the_cause(seconds: Seconds) -> None:
    assert not {"stdio-heavy", "small-io"} & set(above_info(document(lines(20_000, seconds))))


def test_one_rank_whose_log_waits_is_slow_and_makes_no_more_calls_than_the_others() -> None:
    found = document(lines(5000, 40.0, name="log", ranks=range(1)))
    assert found.headline.rule == "straggler-rank"
    assert "calls" not in found.headline.sentence


@pytest.mark.parametrize(
    "work",
    [lines(2_000_000, uneven(64, 20.0)), lines(2_000_000, 20.0), lines(20_000, 20.0, name="<STDERR>")],
    ids=["each rank a little otherwise", "all alike", "without a buffer"],
)
def test_lines_that_take_the_time_by_their_number_are(work: Work) -> None:
    assert "stdio-heavy" in above_info(document(work))


def test_so_are_lines_that_are_forced_out_each() -> None:
    assert "sync-heavy" in above_info(document(lines(20_000, 20.0, flushes=20_000)))
