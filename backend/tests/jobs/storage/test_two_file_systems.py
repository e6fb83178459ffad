"""Files alike on two file systems: an OST, a home, a byte is of one of them."""

from __future__ import annotations

from described import MIB, Part, Work, document

from iotriage.analysis.document import CaseDocument


def labels(found: CaseDocument) -> list[str]:
    return [group.label for group in found.groups]


def test_mount_points_that_differ_in_digits_are_two_file_systems() -> None:
    """OST 3 of the one is slow; the other has an OST 3 of its own."""
    files = (
        Part(
            f"/scratch{system}/u/out.{rank}.dat",
            (rank,),
            writes=256,
            size=4 * MIB,
            write_s=60.0 if (system, rank % 8) == (1, 3) else 6.0 + 0.01 * rank,
            osts=(rank % 8,),
        )
        for system in (1, 2)
        for rank in range(32)
    )
    mounts = (("/scratch1", "lustre"), ("/scratch2", "lustre"))
    found = document(Work(tuple(files), nprocs=32, runtime_s=120.0, nodes=4, mounts=mounts))
    assert sorted(labels(found)) == ["scratch1/u/out.#.dat, 32 files", "scratch2/u/out.#.dat, 32 files"]
    slow = [f for f in found.findings if f.rule == "slow-ost" and f.verdict == "triggered"]
    assert [f.scope.label for f in slow] == ["scratch1/u/out.#.dat, 32 files"]


def test_small_files_alike_on_home_and_on_scratch_are_no_one_group() -> None:
    files = (
        Part(f"/p/{place}/u/{name}.dat", range(4), writes=2000, size=1000, write_s=10.0 + n)
        for n, name in enumerate("uvwxyz")
        for place in (("home", "scratch")[n % 2],)
    )
    mounts = (("/p/home", "nfs"), ("/p/scratch", "lustre"))
    found = document(Work(tuple(files), nprocs=4, runtime_s=200.0, mounts=mounts))
    assert sorted(labels(found)) == ["3 files such as u.dat", "3 files such as v.dat"]
