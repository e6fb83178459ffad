"""What is tried where the time is not explained: it fits what takes the time, and not what moves the bytes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from described import MIB, Part, Work, document, osts, own, uneven

RANKS = range(512)


def experiment(work: Work) -> str:
    left = document(work).unexplained
    assert left is not None
    return left.experiment or ""


def lines_beside_data(lines_s: float) -> Work:
    """The lines of 64 logs take most of the time, files beside them have nearly all bytes."""
    logs = Part("/scratch/log.{}", range(64), "STDIO", writes=2000, size=100, write_s=uneven(64, lines_s), osts=own(64))
    data = Part("/scratch/out.{}", range(64), writes=100, size=8 * MIB, write_s=uneven(64, 3.0), osts=own(64))
    return Work((logs, data), nprocs=64, runtime_s=150.0)


def test_the_rate_of_the_data_is_no_measure_of_lines_that_take_the_time() -> None:
    found = document(lines_beside_data(45.0))
    assert "may be all that the file system gives" not in found.headline.sentence
    assert "give the streams a buffer" in experiment(lines_beside_data(45.0))


def test_of_the_data_itself_it_is() -> None:
    data = Part("/scratch/out.{}", range(64), writes=1600, size=8 * MIB, write_s=uneven(64, 50.0), osts=own(64))
    assert "may be all that the file system gives" in document(Work((data,), 64, 150.0)).headline.sentence


def buffered(stripes: int) -> Work:
    """By all ranks, each an aggregator."""
    return Work(
        (
            Part("/scratch/o.h5", RANKS, "MPI-IO", writes=20, size=16 * MIB, write_s=uneven(512, 114), collective=True),
            Part("/scratch/o.h5", RANKS, writes=320, write_s=uneven(512, 110), in_order=0.0, osts=osts(stripes)),
        ),
        nprocs=512,
        runtime_s=250.0,
        reduces=False,
    )


def test_all_ranks_as_aggregators_of_a_few_stripes_are_to_be_fewer() -> None:
    assert "as many of these ranks as the file has stripes" in experiment(buffered(8))


def test_large_writes_that_are_forced_out_are_tried_without_and_a_file_synced_once_is_not() -> None:
    many = Part("/scratch/o.{}", RANKS, writes=100, size=16 * MIB, write_s=uneven(512, 110), syncs=100, osts=own(512))
    once = replace(many, path="/scratch/o/{}", writes=1, size=1600 * MIB, syncs=1)
    assert "one comes after nearly every write, 16.0 MiB apart" in experiment(Work((many,), 512, 250.0))
    assert "sync" not in experiment(Work((once,), 512, 250.0))


def input_beside(alone: bool) -> Work:
    """An input read collectively, and an output that each rank writes by itself or not at all."""
    read = (
        Part("/scratch/in.nc", RANKS, "MPI-IO", reads=20, size=8 * MIB, read_s=40.0, collective=True),
        Part("/scratch/in.nc", RANKS[::32], reads=320, size=16 * MIB, read_s=38.0, in_order=0.3, osts=osts(16)),
    )
    size, calls = 40_000, 2500
    out = (
        Part("/scratch/out.nc", RANKS, "MPI-IO", writes=calls, size=size, write_s=100.0),
        Part(
            "/scratch/out.nc", RANKS, writes=calls, size=size, write_s=99.0, in_order=0.0, aligned=False, osts=osts(16)
        ),
    )
    return Work(read + (out if alone else ()), nprocs=512, runtime_s=200.0, reduces=False)


def test_who_writes_for_itself_is_no_aggregator_that_could_be_fewer() -> None:
    assert "share each stripe" not in experiment(input_beside(alone=True))
    assert "one of them for each stripe" in experiment(input_beside(alone=False))


def test_two_stripes_on_one_ost_are_one_ost() -> None:
    twice = tuple(i % 16 for i in range(32))
    parts = (
        Part("/scratch/o.h5", RANKS, "MPI-IO", writes=75, size=16 * MIB, write_s=44.0, collective=True),
        Part("/scratch/o.h5", RANKS[::16], writes=1200, size=16 * MIB, write_s=42.0, in_order=0.2, osts=twice),
    )
    left = document(Work(parts, nprocs=512, runtime_s=300.0)).unexplained
    assert left is not None
    assert [rate.count for rate in left.rates if rate.of == "OST"] == [16]


def subfiles(of_slow: float, slow: int = 8) -> Work:
    """One of each of 16 nodes, on an OST of its own; so many of the last are slow."""
    parts = tuple(
        Part(
            f"/scratch/o.h5.subfile_{k}_of_16", RANKS[32 * k : 32 * k + 1], writes=2000, size=8 * MIB,
            write_s=20.0 if k < 16 - slow else of_slow, osts=osts(1, k),
        )
        for k in range(16)
    )  # fmt: skip
    return Work(parts, nprocs=512, runtime_s=200.0)


def test_half_of_the_writers_that_are_slow_are_looked_at_before_there_are_more_of_them() -> None:
    said = experiment(subfiles(100.0))
    assert "8 of the ranks that move the bytes take 5 times as long" in said
    assert "twice as many" not in said


def test_writers_that_are_as_fast_may_be_too_few() -> None:
    assert "8 of the ranks" not in experiment(subfiles(22.0))


def test_two_slow_ones_of_sixteen_are_slow_by_chance() -> None:
    assert "of the ranks that move the bytes take" not in experiment(subfiles(100.0, slow=2))


def streams(calls: int, size: int) -> Work:
    """Of 1,024 ranks, each one of its own, for a minute."""
    took, lies_on = uneven(1024, 60.0), tuple(r % 48 for r in range(1024))
    part = Part("/scratch/s.{}", range(1024), "STDIO", writes=calls, size=size, write_s=took, osts=lies_on)
    return Work((part,), nprocs=1024, runtime_s=200.0)


def test_streams_that_move_twenty_gib_a_second_in_whole_buffers_lack_none() -> None:
    assert "may be all that the file system gives" in document(streams(100_000, 16 * 1024)).headline.sentence


def test_slower_ones_and_lines_do() -> None:
    assert document(streams(20_000, 16 * 1024)).headline.rule == "stdio-heavy"
    assert document(streams(16_000_000, 100)).headline.rule == "stdio-heavy"


def one_of_each(name: str, reach: int, forward: float = 1.0) -> Work:
    """8,000 reads of 2 MiB, of what lies before `reach`."""
    read = Part(name, range(1), reads=8000, size=2 * MIB, read_s=400.0, in_order=0.0, forward=forward, reach=reach)
    return Work((read,), nprocs=1, runtime_s=500.0)


def test_what_skips_most_of_a_file_in_chunks_is_shown_their_shape() -> None:
    assert "4.1 % of what lies between is read" in experiment(one_of_each("/scratch/t2m.nc", 390_000 * MIB))
    assert "chunks" not in experiment(one_of_each("/scratch/t2m.bin", 390_000 * MIB))
    assert "chunks" not in experiment(one_of_each("/scratch/t2m.nc", 16_000 * MIB))


@pytest.mark.parametrize(("ranks", "tried"), [(4, "-c 2 -S 1M"), (40, "-c 1 -S 1M -i -1")], ids=["few", "many"])
def test_busy_osts_of_few_own_files_are_tried_with_more_stripes(ranks: int, tried: str) -> None:
    large = Part("/scratch/x.{}", range(ranks), writes=62_500, size=16 * MIB, write_s=2500.0, osts=own(ranks))
    left = document(Work((large,), ranks, 3000.0, nodes=ranks)).unexplained
    assert left is not None
    assert (left.command or "").endswith(f' && lfs setstripe {tried} "$NEW_DIRECTORY"')


@pytest.mark.parametrize(("ranks", "apart"), [(3072, 64), (1536, 32)])
def test_another_way_to_write_is_no_cause_where_all_of_the_time_has_none(ranks: int, apart: int) -> None:
    """As many aggregators as OSTs, one a node and a stripe: what the documents ask for is done already."""
    name, mine = "/scratch/f.dat", range(0, ranks, apart)
    parts = (
        Part(name, range(ranks), "MPI-IO", writes=16, size=16 * MIB, write_s=2000.0, collective=True),
        Part(name, mine, writes=ranks // 3, size=16 * MIB, write_s=1950.0, in_order=0.0, osts=osts(48)),
    )
    found = document(Work(parts, ranks, 2500.0, nodes=ranks // apart))
    assert [f.rule for f in found.findings if f.verdict == "triggered"] == ["subfile"]
    assert (found.headline.rule, found.headline.severity) == (None, "unknown")
    assert "no known cause" in found.headline.sentence
