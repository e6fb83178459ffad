"""Small calls that wait, in a storage that stands still or for another program: most calls of a stream copy into a
buffer, and the few others wait."""

from __future__ import annotations

import pytest
from described import KIB, MIB, Part, Seconds, Work, above_info, document, own, uneven

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


def one_process(stream: str, *, written: Seconds = 0.0, read: Seconds = 0.0) -> Work:
    calls = {"writes": 900_000} if written else {"reads": 900_000}
    piped = Part(stream, range(1), "STDIO", size=64 * KIB, write_s=written, read_s=read, **calls)
    kept = Part("/scratch/run/o.bam", range(1), writes=700_000, size=64 * KIB, write_s=50)
    return Work((piped, kept), nprocs=1, runtime_s=1700, nodes=1)


def test_who_reads_a_pipe_waits_for_the_program_before_it() -> None:
    found = document(one_process("<STDIN>", read=1500.0))
    assert above_info(found) == {}
    assert "standard input" in (found.headline.action or "")


def test_a_text_that_one_process_reads_by_lines_from_a_file_is_no_pipe() -> None:
    found = document(one_process("/scratch/run/reads.sam", read=1500.0))
    assert "standard input" not in (found.headline.action or "")


def test_one_process_that_prints_is_told_of_the_pipe_and_no_ranks() -> None:
    found = document(one_process("<STDOUT>", written=1500.0))
    assert found.headline.rule == "stdio-heavy"
    assert "ranks" not in found.headline.sentence
    assert "> FILE" in (found.headline.action or "")


def short_reads(seconds: Seconds, *, name: str = "fifo.{}", reads: int = 40) -> Work:
    waits = Part(f"/tmp/ipc/{name}", RANKS, reads=reads, size=64, read_s=seconds)
    data = Part("/scratch/run/d.{}", RANKS, writes=10, size=4 * MIB, write_s=1.0, osts=own(64))
    return Work((waits, data), nprocs=64, runtime_s=1200, nodes=2)


def test_no_size_makes_an_access_take_seconds() -> None:
    found = document(short_reads(uneven(64, 900.0)))
    assert "small-io" not in above_info(found)
    assert "pipes" in (found.headline.action or "")


@pytest.mark.parametrize(
    "work",
    [short_reads(uneven(64, 900.0), reads=40_000), short_reads(uneven(64, 900.0), name="fifo", reads=400)],
    ids=["twenty milliseconds each", "two seconds in one file, where each waits for all"],
)
def test_small_ones_that_take_no_more_than_they_may_are_the_cause(work: Work) -> None:
    assert "small-io" in {f.rule for f in document(work).findings if f.verdict == "triggered"}


@pytest.mark.parametrize(
    "few_bytes",
    [
        Part("/home/u/run/setup.nml", range(1), "STDIO", reads=12, size=80, read_s=130.0),
        Part("/home/u/run/setup.nml", range(1), reads=12, size=80, read_s=130.0),
    ],
    ids=["stream", "POSIX"],
)
def test_minutes_matter_however_few_bytes_move_in_them(few_bytes: Part) -> None:
    """A read of a namelist that hangs: half of the run, and no MiB."""
    found = document(Work((few_bytes,), nprocs=1, runtime_s=240, nodes=1, mounts=()))
    assert found.headline.sentence.startswith("I/O takes 54 % of the run")
    assert "stood still" in (found.headline.action or "")


OUTPUTS = Part("/scratch/o.{}", range(256), writes=64, size=16 * MIB, write_s=20.0, osts=own(256))


@pytest.mark.parametrize(
    ("beside", "sentence"),
    [
        ((), "One rank prints so much to standard output or error that it takes the I/O time."),
        ((OUTPUTS,), "One rank prints so much to standard output or error that the others wait for it."),
    ],
)
def test_one_rank_that_prints_is_told_to_print_less_and_not_that_one_rank_should(
    beside: tuple[Part, ...], sentence: str
) -> None:
    lines = Part("<STDOUT>", range(1), "STDIO", writes=200_000, size=80, write_s=60.0, syncs=200_000)
    found = document(Work((lines, *beside), nprocs=256, runtime_s=300.0, nodes=2)).headline
    assert found.sentence == sentence
    assert (found.action or "").startswith("Let that rank print less")
