"""Small reads at random places: what takes their time, and where nothing does."""

from __future__ import annotations

import pytest
from described import GIB, KIB, MIB, Part, Work, above_info, document, osts


def lookups(reads: int, seconds: float, size: int = 4096, *, ranks: int = 64) -> Work:
    """Each rank reads pages of an index of 20 GiB on one OST."""
    part = Part(
        "/scratch/db/index",
        range(ranks),
        reads=reads,
        size=size,
        read_s=seconds,
        in_order=0.0,
        reach=20 * GIB,
        osts=(5,),
    )
    return Work((part,), ranks, 600.0, nodes=4)


def test_a_few_pages_of_an_index_are_no_reading_of_it_by_all() -> None:
    """Together the ranks read five times what it holds, each of them a tenth."""
    found = document(lookups(500_000, 300.0))
    assert found.headline.rule == "random-access"
    assert "redundant-reads" not in above_info(found)
    small = next(f for f in found.findings if f.rule == "small-io")
    assert small.explained_by == "random-access"


def test_stripes_take_none_of_their_time() -> None:
    found = document(lookups(500_000, 300.0, ranks=128))
    assert found.headline.rule == "random-access"
    understriped = next(f for f in found.findings if f.rule == "ssf-understriped")
    assert not understriped.takes_s


def test_what_memory_answers_is_no_fault_of_a_storage() -> None:
    """Two microseconds a read, and each rank reads the index several times over."""
    found = document(lookups(50_000_000, 100.0, ranks=8))
    assert not {"redundant-reads", "random-access", "small-io"} & set(above_info(found))
    assert "memory of the node answers it" in (found.headline.action or "")
    assert "MPI_" not in (found.headline.action or "")


def test_small_reads_in_order_are_read_ahead_however_fast_they_are() -> None:
    """One file a rank, in order: larger reads spare calls."""
    part = Part("/scratch/in.{}", range(64), reads=20_000_000, size=4096, read_s=100.0)
    found = document(Work((part,), 64, 200.0, nodes=4))
    assert "small-io" in above_info(found)


def test_pieces_in_order_that_move_as_much_as_large_ones_hold_nothing_up() -> None:
    """1 TiB in pieces of 64 KiB, at 820 MiB/s a rank, or 82 MiB/s and more than 5 GiB/s together; at less they may."""
    for seconds, held_up in ((20.0, False), (200.0, False), (400.0, True)):
        part = Part("/scratch/in.{}", range(64), reads=262_144, size=64 * 1024, read_s=seconds)
        found = document(Work((part,), 64, 3 * seconds, nodes=2))
        assert ("small-io" in above_info(found)) is held_up


def test_all_of_a_file_in_whatever_order_is_all_of_it() -> None:
    part = Part("/scratch/in.dat", range(64), reads=20_000, size=4096, read_s=100.0, in_order=0.1, reach=80 * MIB)
    found = document(Work((part,), 64, 200.0, nodes=4)).headline
    assert (found.rule, found.sentence) == ("redundant-reads", "All 64 ranks read the same file in full.")


def test_samples_of_a_data_set_are_read_again() -> None:
    """150 KiB each, in random order, ten times what the data set holds."""
    found = document(lookups(21_845, 300.0, 150 * 1024))
    assert "redundant-reads" in above_info(found)


@pytest.mark.parametrize(
    ("reach", "nodes", "whole"), [(2 * GIB, 4, True), (2 * GIB, 64, False), (2048 * GIB, 4, False)]
)
def test_a_file_of_which_all_pick_more_than_it_holds_is_read_whole_once_a_node(
    reach: int, nodes: int, *, whole: bool
) -> None:
    picked = Part(
        "/scratch/mesh.dat", range(512), reads=30_000, size=4 * KIB, read_s=120.0, in_order=0.05, reach=reach,
        osts=osts(4),
    )  # fmt: skip
    found = document(Work((picked,), nprocs=512, runtime_s=600, nodes=nodes))
    assert found.headline.rule == "random-access"
    assert (found.headline.action or "").startswith(
        "Let one rank of each node read all of the file" if whole else "Sort the accesses"
    )


def test_a_file_that_the_ranks_write_meanwhile_is_in_no_copy_of_a_node() -> None:
    changed = Part(
        "/scratch/work.bin", range(256), reads=3000, writes=2000, size=16 * KIB, read_s=40.0, write_s=20.0,
        in_order=0.0, forward=0.3, reach=GIB, osts=osts(4),
    )  # fmt: skip
    found = document(Work((changed,), nprocs=256, runtime_s=200, nodes=4))
    assert found.headline.rule == "random-access"
    (told,) = (f for f in found.findings if f.rule == "random-access" and f.verdict == "triggered")
    assert not [one.text for one in told.advice if "read all of the file" in one.text]
