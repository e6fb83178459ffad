"""What runtimes keep for themselves goes where their variable says, and homes that are fast are no fault."""

import pytest
from described import KIB, MIB, Part, Work, above_info, document, uneven


def told(work: Work) -> list[str | None]:
    found = document(work)
    return [a.command for f in found.findings if f.rule == found.headline.rule for a in f.advice]


@pytest.mark.parametrize(
    ("folder", "line"),
    [
        ("/home/u/.julia/compiled/v1.10/P", 'export JULIA_DEPOT_PATH="${TMPDIR:?a folder on the disk of the node}:"'),
        ("/home/u/.mcrCache9.12/x", 'export MCR_CACHE_ROOT="${TMPDIR:?a folder on the disk of the node}"'),
        ("/scratch/u/.triton/cache/k", 'export TRITON_CACHE_DIR="${TMPDIR:?a folder on the disk of the node}"'),
    ],
)
def test_caches_of_runtimes_go_to_the_node_by_their_variable(folder: str, line: str) -> None:
    parts = tuple(
        Part(f"{folder}{k}/x{{}}.bin", range(16), writes=4, size=64 * KIB, write_s=0.05, meta_s=0.15)
        for k in range(150)
    )
    assert told(Work(parts, nprocs=16, runtime_s=80.0, nodes=2)) == [line]


def downloaded(folder: str) -> Work:
    files = Part(f"{folder}/x{{}}.bin", range(32), writes=3000, size=MIB, write_s=uneven(32, 160.0))
    return Work((files,), nprocs=32, runtime_s=500.0, nodes=1, program="/sw/bin/python3 train.py")


@pytest.mark.parametrize(
    ("folder", "line"),
    [
        (
            "/home/u/.cache/huggingface/datasets",
            'export HF_HOME="${WORK_DIRECTORY:?your directory on the file system for jobs}/huggingface"',
        ),
        (
            "/home/u/.cache/torch/hub",
            'export TORCH_HOME="${WORK_DIRECTORY:?your directory on the file system for jobs}/torch"',
        ),
        (
            "/home/u/miniforge3/pkgs",
            'export CONDA_PKGS_DIRS="${WORK_DIRECTORY:?your directory on the file system for jobs}/pkgs"',
        ),
        (
            "/home/u/.cache/other",
            'export XDG_CACHE_HOME="${WORK_DIRECTORY:?your directory on the file system for jobs}/cache"',
        ),
        (
            "/home/u/results",
            'cd "${WORK_DIRECTORY:?your directory on the file system for jobs}"   '
            "# on /scratch, with what the job reads copied there",
        ),
    ],
)
def test_what_is_kept_at_home_wherever_the_job_runs_has_a_variable(folder: str, line: str) -> None:
    found = document(downloaded(folder))
    assert found.headline.rule == "wrong-filesystem"
    assert told(downloaded(folder)) == [line]


def test_downloads_that_lie_on_the_file_system_for_jobs_stay_there() -> None:
    assert not any("export" in (line or "") for line in told(downloaded("/scratch/u/.cache/huggingface/datasets")))


def test_what_a_run_makes_itself_is_no_cache() -> None:
    parts = tuple(
        Part(f"/scratch/julia/P{k}/x{{}}.bin", range(16), writes=4, size=64 * KIB, write_s=0.05, meta_s=0.15)
        for k in range(150)
    )
    assert not any("export" in (line or "") for line in told(Work(parts, nprocs=16, runtime_s=80.0, nodes=2)))


@pytest.mark.parametrize(("seconds", "slow"), [(150.0, False), (900.0, True)])
def test_a_home_from_which_several_gib_a_second_come_is_not_slow(seconds: float, slow: bool) -> None:
    files = Part("/home/u/proj/o.{}", range(64), writes=4000, size=4 * MIB, write_s=uneven(64, seconds))
    mounts = (("/home", "nfs"), ("/scratch", "lustre"))
    work = Work((files,), nprocs=64, runtime_s=2000.0, nodes=8, mounts=mounts)
    assert ("wrong-filesystem" in above_info(document(work))) == slow


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("model.pt", "PyTorch's distributed checkpoint"),
        ("state.tar", "one stream"),
        ("state.dat", "by itself"),
    ],
)
def test_no_rank_writes_a_part_of_what_is_one_object_or_packed(name: str, said: str) -> None:
    parts = (
        Part(f"/scratch/{name}", range(1), writes=5000, size=8 * MIB, write_s=55.0),
        Part("/scratch/x.{}", range(32), writes=500, size=MIB, write_s=2.0),
    )
    found = document(Work(parts, nprocs=32, runtime_s=300.0, nodes=1))
    assert found.headline.rule == "serial-io"
    assert said in (found.headline.action or "")


@pytest.mark.parametrize(("name", "packed"), [("input.tar.gz", True), ("input.tar", True), ("input.dat", False)])
def test_no_rank_reads_a_part_of_what_is_packed(name: str, packed: bool) -> None:
    parts = (
        Part(f"/scratch/{name}", range(1), reads=5000, size=8 * MIB, read_s=55.0),
        Part("/scratch/x.{}", range(32), writes=500, size=MIB, write_s=2.0),
    )
    found = document(Work(parts, nprocs=32, runtime_s=300.0, nodes=1))
    assert found.headline.rule == "serial-io"
    assert ("no rank can take its part" in (found.headline.action or "")) is packed
    assert ("MPI_File_read_at_all" in (found.headline.command or "")) is not packed
