"""Homes that only the mount table knows: those of a network, or of a group of machines."""

from __future__ import annotations

import pytest
from described import Part, Work, document, uneven

PARALLEL = ("/lustre/scratch3", "lustre")


def job(path: str, *mounts: tuple[str, str]) -> Work:
    written = Part(path, range(32), writes=400, write_s=uneven(32, 90))
    return Work((written,), nprocs=32, runtime_s=300, mounts=(*mounts, PARALLEL, ("/", "rootfs")))


@pytest.mark.parametrize("mount", ["/yellow/users", "/cluster/home", "/nfs/home2/", "/mnt/homes/b", "/users"])
@pytest.mark.parametrize("kind", ["nfs", "nfs4"])
def test_a_mount_of_nfs_that_is_called_home_is_home(mount: str, kind: str) -> None:
    found = document(job(f"{mount.rstrip('/')}/ann/run/out.dat", (mount, kind)))
    assert found.headline.rule == "wrong-filesystem"
    assert found.headline.command is not None
    assert found.headline.command.endswith("# on /lustre/scratch3, with what the job reads copied there")


@pytest.mark.parametrize(
    ("mount", "kind"),
    [("/public/home", "lustre"), ("/gpfs/users", "gpfs"), ("/projects", "nfs"), ("/data/usersonly", "nfs")],
)
def test_what_is_parallel_or_called_otherwise_is_none(mount: str, kind: str) -> None:
    found = document(job(f"{mount}/ann/run/out.dat", (mount, kind)))
    assert found.metrics["file.home_bytes"].value == 0


def test_a_mount_takes_in_what_lies_below_it_alone() -> None:
    found = document(job("/yellow/users2/out.dat", ("/yellow/users", "nfs")))
    assert found.metrics["file.home_bytes"].value == 0
