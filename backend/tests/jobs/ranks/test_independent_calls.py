"""Independent MPI-IO calls that take far longer than the storage: no rank waits for another in them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from described import KIB, MIB, Part, Work, document, uneven

RANKS = range(32)
NFS, GPFS = ("/data", "nfs"), ("/data", "gpfs")
FILE = "/data/u/out.dat"
SESSION = Part("/tmp/ompi.n1.1000/jf.1/1/out.dat_cid-1-{}.sm", RANKS, writes=2, size=40, write_s=0.0001)


def job(
    *others: Part, mount: tuple[str, str] = NFS, calls: int = 16, size: int = 16 * MIB, storage_s: float = 0.5,
    collective: bool = False, read_below: int = 0,
) -> Work:  # fmt: skip
    parts = (
        Part(FILE, RANKS, "MPI-IO", writes=calls, size=size, write_s=uneven(32, 60), collective=collective),
        Part(FILE, RANKS, writes=calls, size=size, write_s=storage_s, reads=read_below, read_s=0.1 * bool(read_below)),
        *others,
    )
    return Work(parts, nprocs=32, runtime_s=100, mounts=(mount, ("/scratch", "lustre"), ("/tmp", "tmpfs")), nodes=4)


def asked(work: Work) -> tuple[str, str | None]:
    found = document(work)
    assert found.unexplained is not None
    about = found.investigations.of_cells["exchange"][-1]
    return about.sentence, about.command


def test_on_nfs_ranks_have_their_turns_at_a_lock() -> None:
    text, command = asked(job())
    assert "on NFS MPI libraries lock the file for each call" in text
    assert "Run once with these files on /scratch." in text
    assert "come late" not in text
    assert command is None


LOCK_TEST = Part(f"{FILE}.locktest.{{}}", RANKS)


@pytest.mark.parametrize("left", [SESSION, LOCK_TEST], ids=["below its session", "beside the file"])
def test_open_mpi_can_leave_the_locks_out_where_that_loses_nothing(left: Part) -> None:
    text, command = asked(job(left))
    assert document(job(left)).metrics["mpi.library"].value == "openmpi"
    assert "Where no two ranks write in the same 4 KiB" in text
    assert command == "export OMPI_MCA_fs_ufs_lock_algorithm=1"


def test_elsewhere_the_locks_are_counted_first() -> None:
    text, command = asked(job(SESSION, mount=GPFS))
    assert "it may wait for a lock on the file" in text
    assert command is not None
    assert command.startswith("mpiexec -n ")
    assert "exec strace -f -c -e trace=fcntl," in command


def test_what_is_too_short_for_a_lock_is_the_librarys_own_work() -> None:
    text, command = asked(job(calls=100_000, size=64 * KIB, mount=GPFS))
    assert "for each: fewer and larger calls take less of it" in text
    assert command is None


@pytest.mark.parametrize("work", [job(collective=True), job(read_below=16), job(storage_s=45)])
def test_of_waiting_for_others_of_sieving_and_of_the_storage_nothing_of_it_is_said(work: Work) -> None:
    found = document(work)
    texts = [one.sentence for cell in found.investigations.of_cells.values() for one in cell]
    assert not any("none of them waits for another rank" in text for text in texts)


def test_the_figures_are_those_of_the_records() -> None:
    found = document(job()).metrics
    assert found["mpiio.independent_excess_per_call"].value == pytest.approx((60 - 0.5) / 16, rel=0.01)
    assert found["mpiio.independent_excess_fraction"].value == pytest.approx(1.0)
    assert document(job(collective=True)).metrics["mpiio.independent_excess_fraction"].value == 0
    assert document(job(read_below=16)).metrics["mpiio.independent_excess_fraction"].value is None


@pytest.mark.parametrize(("mount", "large"), [(NFS, "/scratch"), (("/data", "lustre"), "/projects")])
def test_it_is_asked_of_the_file_system_where_the_time_passes(mount: tuple[str, str], large: str) -> None:
    beside = Part(f"{large}/large.{{}}", RANKS, writes=1024, size=16 * MIB, write_s=2.0)
    work = job(beside, mount=mount)
    text, _ = asked(replace(work, mounts=(mount, ("/scratch", "lustre"), ("/projects", "nfs"), ("/tmp", "tmpfs"))))
    assert ("on NFS MPI libraries lock the file for each call" in text) == (mount == NFS)


@pytest.mark.parametrize(
    ("name", "size", "reach", "same"),
    [
        ("in.h5", 512, 9 * MIB, True),
        ("in.h5", 512, 300 * 512 * 1024, False),
        ("in.h5", 64 * KIB, 9 * MIB, False),
        ("in.dat", 512, 9 * MIB, False),
    ],
    ids=["metadata", "each its own", "larger than metadata", "not of HDF5"],
)
def test_what_every_rank_reads_in_small_pieces_of_hdf5_is_its_metadata(
    name: str, size: int, reach: int, *, same: bool
) -> None:
    """Collective transfers of data would leave it as it is."""
    path, ranks = f"/scratch/in/{name}", range(1024)
    parts = (
        Part(path, ranks, "MPI-IO", reads=300, size=size, read_s=uneven(1024, 60.0)),
        Part(path, ranks, reads=300, size=size, read_s=uneven(1024, 58.0), in_order=0.1, aligned=False, reach=reach),
    )
    found = document(Work(parts, 1024, 200.0, nodes=8))
    (mine,) = (f for f in found.findings if f.rule == "independent-shared" and f.verdict == "triggered")
    assert ("that are read more than once" in mine.headline) is same
    assert ("H5Pset_all_coll_metadata_ops" in (mine.advice[0].command or "")) is same
