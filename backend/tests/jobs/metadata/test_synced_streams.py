"""Streams that are forced out by `fsync`, as GROMACS does with all its files at each checkpoint: Darshan has the syncs
and their time in POSIX, and the bytes in STDIO."""

from __future__ import annotations

import pytest
from described import KIB, Part, Work, above_info, document, seconds_of

from iotriage.analysis.decision.moved_thresholds import with_thresholds

OUTPUTS = ("md.log", "ener.edr", "traj.xtc", "state.cpt")


def checkpoints(each_s: float, *, syncs: int = 40, size: int = 400, program: str = "/sw/gmx_mpi") -> Work:
    """Rank 0 writes records to streams, and forces each of them out `syncs` times."""
    ranks = range(1)
    parts = [
        part
        for name in OUTPUTS
        for part in (
            Part(f"/scratch/md/{name}", ranks, "STDIO", writes=60_000, size=size, write_s=0.5, syncs=syncs),
            Part(f"/scratch/md/{name}", ranks, syncs=syncs, write_s=syncs * each_s, opens=0, meta_s=0.0),
        )
    ]
    return Work(tuple(parts), nprocs=64, runtime_s=600, program=program, nodes=1)


def test_syncs_are_the_cause_and_not_that_one_rank_writes() -> None:
    found = document(checkpoints(1.2))
    assert found.headline.rule == "sync-heavy"
    assert found.headline.sentence.endswith("each time takes 1.20 s.")
    assert seconds_of(checkpoints(1.2)) == {"sync-heavy": 192.0}


def test_of_what_syncs_take_a_package_is_told_how_often_it_syncs_first() -> None:
    action = document(checkpoints(1.2)).headline.action or ""
    assert "-cpt of mdrun" in action
    assert action.index("-cpt") < action.index("nstxout")


def test_of_another_program_it_is_asked() -> None:
    action = document(checkpoints(1.2, program="/sw/app")).headline.action or ""
    assert action.startswith("Write checkpoints less often")


def test_a_sync_or_two_quick_ones_and_those_of_much_data_are_not_accused() -> None:
    for work in (
        checkpoints(20.0, syncs=2),
        checkpoints(0.005),
        checkpoints(1.2, syncs=12, size=64 * KIB),
        checkpoints(0.6, size=8 * KIB),
    ):
        assert "sync-heavy" not in above_info(document(work))


def test_a_sync_beside_writes_of_posix_is_not_timed_by_itself() -> None:
    both = Part("/scratch/state.dat", range(1), writes=4000, size=20 * KIB, write_s=200.0, syncs=40)
    log = Part("/scratch/state.dat", range(1), "STDIO", writes=1000, size=400, write_s=0.1)
    found = document(Work((both, log), nprocs=64, runtime_s=600, nodes=1))
    assert "sync-heavy" not in above_info(found)


def test_writes_of_other_files_beside_the_syncs_are_not_the_syncs() -> None:
    """Of one name, and so in one group: half of them is written by POSIX and never synced."""
    ranks = range(1)
    parts = [
        part
        for i in range(10)
        for part in (
            Part(f"/scratch/log{i}", ranks, "STDIO", writes=60_000, size=400, write_s=0.5, syncs=40),
            Part(f"/scratch/log{i}", ranks, syncs=40, write_s=20.0, opens=0, meta_s=0.0),
            Part(f"/scratch/log1{i}", ranks, writes=60_000, size=400, write_s=18.0),
        )
    ]
    assert seconds_of(Work(tuple(parts), nprocs=1, runtime_s=600, nodes=1))["sync-heavy"] == 200.0


@pytest.mark.parametrize(
    ("writes", "says"),
    [(60, "after nearly every write."), (240, "after every few writes."), (3000, "again and again.")],
)
def test_under_a_readers_thresholds_syncs_of_posix_are_not_said_to_be_of_streams(writes: int, says: str) -> None:
    records = Part("/scratch/a.dat", range(1), writes=writes, size=KIB, write_s=300.0, syncs=60)
    found = document(Work((records,), nprocs=64, runtime_s=600, nodes=2))
    moved = with_thresholds(found, {"sync-heavy.count": 10.0, "sync-heavy.per-write": 0.01}).headline
    assert moved.rule == "sync-heavy"
    assert moved.sentence.endswith(f"forced out to disk {says}")
    assert "sync it once" in (moved.action or "")
