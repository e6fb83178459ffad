"""How many aggregators a collective file had, where Darshan has the variance of bytes over its ranks alone."""

from __future__ import annotations

import pytest
from described import MIB, Part, Work, above_info, document, osts
from printed_by_mpich import case, hinted, printed

RANKS, STRIPES = 1024, 24


def checkpoints(blocks: dict[int, int], seconds: float = 27.0) -> Work:
    """Ten files of 24 stripes; of each the ranks of `blocks` write so many times 16 MiB, in the time of all. That every
    rank opens them below MPI-IO too leaves one record of all ranks."""
    most = max(blocks.values())
    share = max(1, sum(blocks.values()) * 16 // RANKS)
    parts: list[Part] = []
    for k in range(10):
        name = f"/scratch/gene/chk_{k:02}.dat"
        parts += (
            Part(name, range(RANKS), "MPI-IO", writes=share, write_s=seconds, collective=True),
            Part(name, range(RANKS), osts=osts(STRIPES, k)),
            *(
                Part(name, range(r, r + 1), writes=n, size=16 * MIB, write_s=0.95 * seconds * n / most, in_order=0.1)
                for r, n in blocks.items()
            ),
        )
    return Work(tuple(parts), nprocs=RANKS, runtime_s=900.0)


def evenly(aggregators: int, blocks: int = 3840) -> dict[int, int]:
    return {r * RANKS // aggregators: blocks // aggregators for r in range(aggregators)}


def test_two_aggregators_for_a_thousand_ranks_are_few() -> None:
    found = document(checkpoints(evenly(2)))
    assert found.headline.rule == "few-aggregators"
    mine = next(f for f in found.findings if f.rule == "few-aggregators")
    assert "2 aggregators" in (mine.summary or "")
    assert "variance" in (mine.summary or "")
    assert "cb_nodes=24" in (found.headline.command or "")


def test_one_aggregator_a_node_is_as_the_library_has_it() -> None:
    """1,024 ranks may be on four nodes."""
    assert "few-aggregators" not in above_info(document(checkpoints(evenly(4))))


def test_one_aggregator_with_far_more_than_the_others_does_not_make_them_few() -> None:
    blocks = evenly(STRIPES, 480) | {0: 3000}
    assert "few-aggregators" not in above_info(document(checkpoints(blocks)))


def test_nobody_is_sent_to_try_more_aggregators_than_stripes() -> None:
    left = document(checkpoints(evenly(STRIPES))).unexplained
    assert left is not None
    assert "one of them for each stripe" in (left.experiment or "")
    fewer = document(checkpoints(evenly(8))).unexplained
    assert fewer is not None
    assert "as the file has stripes, 24" in (fewer.experiment or "")


BY_ROMIO = b"""key = cb_buffer_size            value = 16777216
key = romio_cb_read             value = automatic
key = romio_cb_write            value = automatic
key = cb_nodes                  value = %d
key = romio_no_indep_rw         value = false
"""
SCRIPT = b'#!/bin/bash\n#SBATCH --nodes=4\nexport MPICH_MPIIO_HINTS="*:cb_nodes=%d"\nsrun -n 1024 ./app\n'


@pytest.mark.parametrize("aggregators", [6, 8])
@pytest.mark.parametrize(
    ("text", "printed_already"),
    [(BY_ROMIO, True), (printed(hinted("/scratch/gene/chk_00.dat", cb_nodes="%d")), True), (SCRIPT, False)],
    ids=["by ROMIO", "by Cray's library", "asked for"],
)
def test_who_has_the_hints_of_a_file_is_not_told_how_they_are_printed(
    aggregators: int, text: bytes, *, printed_already: bool
) -> None:
    left = case(text % STRIPES, work=checkpoints(evenly(aggregators))).unexplained
    assert left is not None
    said = left.experiment or ""
    assert "as the file has stripes, 24, and another number moves the bytes. See wh" in said
    assert ("MPICH_MPIIO_HINTS_DISPLAY" in said) is not printed_already
    other = case(text % 12, work=checkpoints(evenly(aggregators))).unexplained
    assert other is not None
    assert "another number moves the bytes" not in (other.experiment or "")


def test_one_aggregator_of_small_files_saves_nothing_by_becoming_one() -> None:
    parts = tuple(
        part
        for k in range(60)
        for name in [f"/scratch/cmaq/var_{k:03}.nc"]
        for part in (
            Part(name, range(128), "MPI-IO", writes=4, size=64 * 1024, write_s=0.9, collective=True),
            Part(name, range(128), osts=osts(48, k)),
            Part(name, range(1), writes=8, size=4 * MIB, write_s=0.8),
        )
    )
    mine = next(f for f in document(Work(parts, 128, 200.0)).findings if f.rule == "single-aggregator")
    assert mine.verdict == "triggered"
    assert mine.says is not None
    assert mine.says.impact is None


def told_apart(aggregators: int, ranks: int = RANKS, stripes: int = 16, posix_s: float = 310.0) -> Work:
    """A file that so many write for all, with a record for each of them."""
    one = ranks // aggregators
    parts = (
        Part("/scratch/o.h5", range(ranks), "MPI-IO", writes=64, size=16 * MIB, write_s=322.0, collective=True),
        Part(
            "/scratch/o.h5", range(0, ranks, one), writes=64 * one, size=16 * MIB, write_s=posix_s, in_order=0.9,
            osts=osts(stripes),
        ),
    )  # fmt: skip
    return Work(parts, nprocs=ranks, runtime_s=600.0)


def test_two_are_few_where_their_records_tell_them_apart_too() -> None:
    found = document(told_apart(2))
    assert found.headline.rule == "few-aggregators"
    assert "2 ranks write the collective output" in found.headline.sentence
    assert "cb_nodes=16" in (found.headline.command or "")


@pytest.mark.parametrize(
    "work",
    [told_apart(4), told_apart(2, ranks=512), told_apart(2, stripes=4), told_apart(2, posix_s=30.0)],
    ids=["one a node, perhaps", "so are two of 512", "half of the stripes", "the time is above the storage"],
)
def test_they_are_not_where_they_may_be_as_many_as_nodes_or_stripes_or_nobody_waits_for_them(work: Work) -> None:
    assert "few-aggregators" not in above_info(document(work))
