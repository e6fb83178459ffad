"""The file system that is asked about is that where the time passes, wherever the largest file lies."""

from __future__ import annotations

import pytest
from described import MIB, Part, Work, document, uneven

RANKS = range(64)
SMALL_THERE = {"size": MIB, "writes": 512}
LARGE_ELSEWHERE = {"size": MIB, "writes": 8192}


def asked(slow: str, kind: str, large: str, other: str, runtime_s: float = 500.0) -> str:
    """Half a GiB of each rank takes 90 s in `slow`, and 8 GiB a few in `large`."""
    mounts = ((slow, kind), (large, other), ("/home", "nfs"))
    parts = (
        Part(f"{slow}/a.{{}}", RANKS, write_s=uneven(64, 90.0), **SMALL_THERE),  # type: ignore[arg-type]
        Part(f"{large}/b.{{}}", RANKS, write_s=uneven(64, 8.0), **LARGE_ELSEWHERE),  # type: ignore[arg-type]
    )
    found = document(Work(parts, 64, runtime_s, nodes=8, mounts=mounts)).unexplained
    assert found is not None
    return found.experiment or ""


@pytest.mark.parametrize(("large", "other"), [("/dev/shm", "tmpfs"), ("/tmp", "xfs")])
def test_what_takes_long_elsewhere_is_not_said_of_the_memory_or_the_disk_with_the_largest_file(
    large: str, other: str
) -> None:
    said = asked("/scratch", "lustre", large, other)
    assert "memory of the node" not in said
    assert "disk of the node" not in said


def test_a_slow_disk_of_the_nodes_is_named_though_larger_files_lie_elsewhere() -> None:
    said = asked("/local", "xfs", "/dev/shm", "tmpfs")
    assert "the files that take most of that time lie on a disk of the node" in said


def test_so_is_a_server_of_nfs() -> None:
    said = asked("/projects", "nfs", "/dev/shm", "tmpfs")
    assert "the files that take most of that time lie on NFS" in said


def test_of_one_file_system_the_largest_file_is_named() -> None:
    mounts = (("/local", "xfs"), ("/home", "nfs"))
    part = Part("/local/a.{}", RANKS, writes=512, write_s=uneven(64, 90.0))
    found = document(Work((part,), 64, 500.0, nodes=8, mounts=mounts)).unexplained
    assert found is not None
    assert "the largest file lies on a disk of the node" in (found.experiment or "")


def test_on_beegfs_it_is_a_file_that_lies_there_whose_targets_are_asked_for() -> None:
    """The largest file is on another file system, not three times as fast."""
    parts = (
        Part("/fs/b", RANKS, writes=512, write_s=uneven(64, 60.0)),
        *(Part(f"/beegfs/b{k}", RANKS, writes=200, write_s=uneven(64, 30.0)) for k in range(4)),
    )
    found = document(Work(parts, 64, 500.0, nodes=8, mounts=(("/beegfs", "beegfs"), ("/fs", "gpfs")))).unexplained
    assert found is not None
    assert "on BeeGFS" in (found.experiment or "")
    assert 'beegfs-ctl --getentryinfo "${SLOW_FILE:?' in (found.command or "")
