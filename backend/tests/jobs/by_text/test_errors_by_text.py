"""What is said of a job whose output has the system's words for what it refused."""

from __future__ import annotations

import pytest
from printed_by_mpich import case

LOCK = "H5FD_sec2_lock(): unable to lock file, errno = {}, error message = '{}'\n"


@pytest.mark.parametrize(
    ("line", "begins", "advised", "command"),
    [
        (
            "OSError: [Errno 24] Too many open files: 'part-981.nc'\n",
            "A process had as many files open as it may",
            "Close files when they are done with.",
            "ulimit -Sn hard",
        ),
        (
            "open o.dat: Too many open files in system\n",
            "A node had as many files open as it may",
            "Ask your centre's support",
            None,
        ),
        (
            "7: Out of memory in file /src/mpi/romio/adio/ad_cray/ad_cray_write_coll.c, line 512\n",
            "The MPI library got no memory for its I/O, and ended the run.",
            "Put fewer processes on a node",
            None,
        ),
        (
            LOCK.format(11, "Resource temporarily unavailable"),
            "Files could not be opened: another process has locked them.",
            "Let one program at a time open a file to write it",
            None,
        ),
        (
            LOCK.format(524, "Unknown error 524"),
            "Files could not be locked: the file system or its mount gives no locks.",
            "Put the files on a file system that locks",
            "export HDF5_USE_FILE_LOCKING=FALSE",
        ),
    ],
)
def test_each_reason_has_its_own_sentence_and_advice(line: str, begins: str, advised: str, command: str | None) -> None:
    top = case(f"step 1\n{line * 3}".encode()).headline
    assert (top.rule, top.severity, top.figure) == ("io-errors", "high", "Reads and writes that failed: 3.")
    assert top.sentence.startswith(begins)
    assert (top.action or "").startswith(advised)
    assert top.command == command


FAILED = (
    b"ADIOI_CRAY_READCONTIG(288): filename='/s/in.nc'  error='Input/output error'  errno=5  PE=00013  R_rec=00007  "
    b"off=7235174464  len=0004194304  See MPICH_MPIIO_ABORT_ON_RW_ERROR.\n"
)
CUT = FAILED[:100] + b"\n"


def test_bytes_that_are_cut_off_are_not_none() -> None:
    """A terminal of 100 columns cuts the lines before their bytes."""
    document = case(2 * CUT)
    assert document.metrics["errors.failed_calls"].value == 2
    assert document.metrics["errors.failed_bytes"].value is None
    (found,) = (f for f in document.findings if f.rule == "io-errors" and f.verdict == "triggered")
    assert "move" not in (found.summary or "")
    assert "MPICH_MPIIO_ABORT_ON_RW_ERROR" in (found.advice[0].command or ""), "they are the library's all the same"


def test_bytes_of_which_some_are_cut_off_are_a_lower_bound() -> None:
    document = case(FAILED + CUT)
    failed = document.metrics["errors.failed_bytes"]
    assert (failed.value, failed.bound) == (4194304, "lower")
    (found,) = (f for f in document.findings if f.rule == "io-errors" and f.verdict == "triggered")
    assert "They were to move at least 4.00 MiB." in (found.summary or "")


QUOTA = "OSError: [Errno 122] Disk quota exceeded: '{}'\n"
ON_ARCHER2 = "#!/bin/bash\n#SBATCH --nodes=1\ncd /mnt/lustre/a2fs-work3/work/z19/z19/u\nsrun -n 8 ./app\n"
ON_MAHUIKA = "Job ID: 7\nCluster: mahuika\nState: FAILED (exit code 1)\nNodes: 1\nJob Wall-clock time: 00:06:22\n"


@pytest.mark.parametrize(
    ("text", "command"),
    [
        (QUOTA.format("out.npy"), "lfs quota -h ."),
        (QUOTA.format("/scratch/p1/o.npy"), "lfs quota -h /scratch/p1"),
        (QUOTA.format("/lustre/orion/x1/scratch/u/o.npy"), "lfs quota -h /lustre/orion/x1/scratch/u"),
        (ON_ARCHER2 + QUOTA.format("/work/z19/z19/u/o.npy"), "lfs quota -h /work/z19/z19/u"),
        (ON_ARCHER2 + QUOTA.format("/home/z19/z19/u/o.npy"), None),
        (ON_ARCHER2 + QUOTA.format("/elsewhere/u/o.npy"), None),
        (ON_MAHUIKA + QUOTA.format("/nesi/nobackup/x/o.npy"), "mmlsquota --block-size auto"),
        ("/var/spool/pbs/mom/jobs/1.SC: line 9: echo: write error: Disk quota exceeded\n", "lfs quota -h ."),
        ("OSError: [Errno 28] No space left on device: '/lustre/orion/x1/o.npy'\n", "lfs df -h /lustre/orion/x1"),
        (ON_MAHUIKA + "OSError: [Errno 28] No space left on device: '/nesi/x/o.npy'\n", "df -h /nesi/x"),
    ],
)
def test_what_is_full_is_asked_about_where_it_is_and_as_it_answers(text: str, command: str | None) -> None:
    assert case(text.encode()).headline.command == command
