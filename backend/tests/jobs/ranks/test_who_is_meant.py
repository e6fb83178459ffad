"""What is said of ranks is said of those that do it: of a part of them, where the others do something else or less."""

from __future__ import annotations

import pytest
from described import KIB, MIB, Part, Work, document, osts, own

RANKS = range(64)


def said(work: Work, rule: str) -> tuple[str, str] | None:
    """The headline and the summary of the finding of these files; None where there is none."""
    for found in document(work).findings:
        if found.rule == rule and found.verdict == "triggered":
            return found.headline or "", found.summary or ""
    return None


def of_one_input(*reads: int) -> Work:
    """So many MiB of 1,000 by each rank."""
    parts = [
        Part("/scratch/in.dat", range(r, r + 1), reads=n, read_s=20.0, reach=1000 * MIB, osts=osts(4))
        for r, n in enumerate(reads)
        if n
    ]
    return Work(tuple(parts), nprocs=len(reads), runtime_s=60, nodes=1, reduces=False)


@pytest.mark.parametrize(
    ("reads", "headline"),
    [
        ((1000,) * 4, "All 4 ranks read the same file in full."),
        ((*(1000,) * 15, 0), "15 of 16 ranks read the same file in full."),
        ((1000, 1000, 1000, 0), "The ranks that share a file each read all of it."),
        ((600,) * 4, "The same bytes are read 2.4 times."),
        ((1900, 500, 500, 500), "The same bytes are read 3.4 times."),
    ],
    ids=["each all", "nearly all", "three of four", "each a part", "one twice"],
)
def test_who_reads_all_of_a_file(reads, headline):
    assert (said(of_one_input(*reads), "redundant-reads") or ("",))[0] == headline


def log_of(writers: int, *, reduces: bool = True) -> Work:
    """One log that so many of the ranks add to, beside the output of all."""
    log = Part("/scratch/run.log", range(writers), writes=20_000, size=100, write_s=20.0, osts=(3,))
    output = Part("/scratch/o.{}", RANKS, writes=10, write_s=1.0, osts=own(64))
    return Work((log, output), nprocs=64, runtime_s=60, nodes=2, reduces=reduces)


@pytest.mark.parametrize(
    ("writers", "reduces", "who", "made"),
    [
        (2, True, None, None),
        (3, True, None, None),
        (8, True, "8 of 64 ranks add small records", "8 ranks made 160,000 writes"),
        (64, True, "Every rank adds small records", "64 ranks made 1,280,000 writes"),
        (64, False, "Every rank adds small records", "64 ranks made 1,280,000 writes"),
    ],
)
def test_a_log_is_of_those_that_write_it(writers, reduces, who, made):
    found = said(log_of(writers, reduces=reduces), "shared-log")
    if who is None:
        assert found is None
    else:
        assert found is not None
        assert found[0].startswith(who)
        assert made in found[1]


def of_unlike_parts(heavy: tuple[int, ...], path: str) -> Work:
    """The `heavy` ranks have seven times as much of some files as the others; all read as much of an input."""
    parts = [
        Part(
            path.format(rank),
            range(rank, rank + 1),
            writes=420 if rank in heavy else 60,
            size=16 * MIB,
            write_s=60.0 if rank in heavy else 9.0,
            osts=osts(8),
        )
        for rank in range(16)
    ]
    beside = Part("/scratch/in.dat", range(16), reads=4000, size=16 * MIB, read_s=80.0, osts=osts(16))
    return Work((*parts, beside), nprocs=16, runtime_s=300, nodes=2, reduces=False)


@pytest.mark.parametrize(
    ("heavy", "path", "headline"),
    [
        ((3,), "/scratch/o.dat", "One rank moves far more of these files than the others, which wait for it."),
        ((3, 5), "/scratch/o.dat", "2 ranks move far more of these files than the others, which wait for them."),
        ((3,), "/scratch/o.{}", "One rank moves far more of these files than the others."),
    ],
    ids=["one", "two", "one in files of its own"],
)
def test_as_many_are_named_as_have_more(heavy, path, headline):
    assert (said(of_unlike_parts(heavy, path), "uneven-files") or ("",))[0] == headline


def of_a_slow_aggregator(most: int, slow_s: float) -> Work:
    """Rank 0 hands `most` times as much to collective calls as the others, all wait for rank 8, which moves no more."""
    above = [
        Part("/scratch/o.dat", range(r, r + 1), "MPI-IO", writes=10 if r else 10 * most, size=16 * MIB, write_s=60.0,
             collective=True)
        for r in RANKS
    ]  # fmt: skip
    below = [
        Part("/scratch/o.dat", range(r, r + 1), writes=90, size=16 * MIB, write_s=slow_s if r == 8 else 8 + 0.01 * r,
             in_order=0.2, osts=osts(8))
        for r in range(0, 64, 8)
    ]  # fmt: skip
    return Work((*above, *below), nprocs=64, runtime_s=200, nodes=8, reduces=False)


@pytest.mark.parametrize("most", [1, 3, 15])
@pytest.mark.parametrize("slow_s", [40.0, 58.0])
def test_who_is_waited_for_is_told_by_time_and_not_by_what_a_rank_hands_over(most, slow_s):
    found = said(of_a_slow_aggregator(most, slow_s), "straggler-rank")
    assert found is not None
    assert found[0].startswith("One of the ranks that move the bytes takes far longer than the others")


@pytest.mark.parametrize(
    ("small", "few"), [(range(64), False), (range(0, 64, 16), True), (range(1, 64, 2), False)],
    ids=["all", "the same few", "half"],
)  # fmt: skip
def test_small_accesses_in_other_files_are_not_of_the_few_that_move_most(small, few):
    large = Part("/scratch/big.{}", range(0, 64, 16), writes=4000, size=16 * MIB, write_s=60.0, osts=osts(4))
    beside = Part("/scratch/s.{}", small, writes=3000, size=4 * KIB, write_s=40.0, osts=own(len(small)))
    found = said(Work((large, beside), nprocs=64, runtime_s=200, nodes=4), "small-io")
    assert found is not None
    assert found[0].startswith("4 of 64 ranks move the data for all") is few


@pytest.mark.parametrize(
    ("records", "opens_s", "headline"),
    [
        (8000, 45.0, "One rank alone makes 8,000 calls of 0.98 KiB, to a file that no other rank uses."),
        (4000, 60.0, "One rank alone makes 4,000 calls of 0.98 KiB, to a file that no other rank uses."),
        (8000, 10.0, "One rank of 64 does the I/O of the whole job."),
    ],
)
def test_who_writes_a_few_bytes_does_not_do_the_io_that_all_have_in_opens(records, opens_s, headline):
    lines = Part("/scratch/log.txt", range(1), writes=records, size=1000, write_s=30.0)
    opened = Part("/scratch/c.{}", RANKS, meta_s=opens_s, opens=800)
    found = said(Work((lines, opened), nprocs=64, runtime_s=200, nodes=4), "serial-io")
    assert found is not None
    assert found[0] == headline


@pytest.mark.parametrize(
    ("writers", "reads", "known"),
    [(1, 400, None), (64, 400, None), (8, 400, None), (8, 0, 8), (64, 0, 64)],
    ids=["one writes, all read", "all do both", "some write, all read", "some write", "all write"],
)
def test_of_a_record_of_all_ranks_who_wrote_is_known_where_nothing_was_read(writers, reads, known):
    """Its variance is that of the bytes of both directions."""
    parts = [Part("/scratch/o.dat", range(writers), writes=40, write_s=9.0, osts=osts(4))]
    parts.append(Part("/scratch/o.dat", RANKS, reads=reads, read_s=9.0 if reads else 0.0))
    found = document(Work(tuple(parts), nprocs=64, runtime_s=60, nodes=2)).metrics["file.writing_ranks"]
    assert found.value == known
