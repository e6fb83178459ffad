"""Pieces that cross the ends of blocks, by who decides where they begin: a rank, or a library that writes for all."""

from __future__ import annotations

import pytest
from described import KIB, Part, Work, document, osts

from iotriage.analysis.document import Finding

NAME = "/scratch/run/field.dat"


def gathered(began_on_blocks: bool, *beside: Part) -> Work:
    """128 of 1,024 ranks write for all, in pieces of 3.9 MiB."""
    below = Part(
        NAME,
        range(0, 1024, 8),
        writes=200,
        size=4000 * KIB,
        write_s=150.0,
        in_order=0.0,
        forward=1.0,
        aligned=began_on_blocks,
        osts=osts(48),
    )
    calls = Part(NAME, range(1024), "MPI-IO", writes=40, size=2500 * KIB, write_s=160.0, collective=True)
    return Work((calls, below, *beside), nprocs=1024, runtime_s=300.0, nodes=128)


def on_their_own(ranks: int, nodes: int, stripes: int, path: str = NAME, *, collective: bool = False) -> Work:
    """Each rank writes 1.6 MiB at a time, beginning within a block."""
    size = 1600 * KIB + 800
    parts = (
        Part(path, range(ranks), "MPI-IO", writes=9, size=size, write_s=240.0, collective=collective),
        Part(path, range(ranks), writes=9, size=size, write_s=235.0, in_order=0.0, aligned=False, osts=osts(stripes)),
    )
    return Work(parts, nprocs=ranks, runtime_s=330.0, nodes=nodes)


def misaligned(work: Work) -> Finding:
    return next(f for f in document(work).findings if f.rule == "misaligned-io")


def test_who_waits_for_the_ranks_that_write_across_blocks_waits_for_that_too() -> None:
    found = document(gathered(began_on_blocks=False))
    assert found.headline.rule == "misaligned-io"
    assert misaligned(gathered(began_on_blocks=False)).takes_s == pytest.approx(160, rel=0.05)
    assert misaligned(gathered(began_on_blocks=True)).verdict == "clear"


def test_a_library_that_writes_for_all_is_told_the_stripe_size_before_any_rank_moves_its_part() -> None:
    assert misaligned(gathered(began_on_blocks=False)).advice[0].text.startswith("Tell the library the stripe size")


def test_where_more_nodes_write_than_there_are_stripes_collective_calls_come_first() -> None:
    many, few = on_their_own(2048, 512, 48), on_their_own(64, 16, 48)
    assert "Use the collective routines" in misaligned(many).advice[0].text
    assert misaligned(few).advice[0].text.startswith("Let each rank's part begin")
    assert "Ask HDF5 for collective" in misaligned(on_their_own(2048, 512, 48, "/scratch/run/out.h5")).advice[0].text


def test_calls_that_are_collective_already_are_buffered_and_not_made_collective() -> None:
    first, second, *_ = misaligned(on_their_own(2048, 512, 48, collective=True)).advice
    assert "switch collective buffering on" in first.text
    assert "romio_cb_write" in (first.command or "")
    assert "Use the collective routines" not in first.text + second.text


def test_what_a_library_gathers_is_known_where_all_ranks_open_the_file_below_it() -> None:
    """The record below is of all ranks then."""
    others = (Part(NAME, range(first, 1024, 8), osts=osts(48)) for first in range(1, 8))
    assert misaligned(gathered(False, *others)).advice[0].text.startswith("Tell the library the stripe size")


def test_nobody_is_told_that_each_node_has_stripes_to_itself_where_ten_share_one() -> None:
    locks = next(f for f in document(on_their_own(2048, 512, 48)).findings if f.rule == "lock-contention")
    assert locks.verdict == "clear"
    assert locks.clear_title == "Nodes do not meet in a stripe with small pieces"


@pytest.mark.parametrize(("nodes", "told"), [(1, False), (4, True)])
def test_the_ranks_of_one_node_take_no_locks_from_one_another(nodes: int, told: bool) -> None:
    found = document(on_their_own(64, nodes, 16)).findings
    assert any(f.rule == "misaligned-io" and f.verdict == "triggered" for f in found) == told
