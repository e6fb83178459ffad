"""What is said of a job whose output has the system's words for what it refused."""

from __future__ import annotations

import pytest
from declared import context
from printed_by_mpich import case

from iotriage.rules import all_rules

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
        (
            "OSError: [Errno 30] Read-only file system: '/ccs/proj/x/o.bin'\n",
            "Files could not be written where the job may only read.",
            "Write to a directory that is for the output of jobs.",
            None,
        ),
        (
            "OSError: [Errno 27] File too large\n",
            "A file could not grow: it is as large as it may be.",
            "See what the shell allows",
            "ulimit -f",
        ),
        (
            "execve(): /work/bin/solver: Text file busy\n",
            "A program was being written while it was to be started",
            "Start no program before the command that writes it has ended",
            None,
        ),
        (
            "cat: /home/u/in.dat: Remote I/O error\n",
            "A mounted file system was not there for the job",
            "Ask your centre's support",
            None,
        ),
        (
            "OSError: [Errno 110] Connection timed out: '/scratch/p/o.h5'\n",
            "The file system did not answer the job",
            "Ask your centre's support",
            None,
        ),
        (
            "PermissionError: [Errno 13] Permission denied: '/work/other/in.nc'\n",
            "Files could not be opened or made: the job's user may not.",
            "See who may use the path",
            "namei -l /work/other",
        ),
    ],
)
def test_each_reason_has_its_own_sentence_and_advice(line: str, begins: str, advised: str, command: str | None) -> None:
    top = case(f"step 1\n{line * 3}".encode()).headline
    figure = "Failed reads and writes, by the lines that say so: 3."
    assert (top.rule, top.severity, top.figure) == ("io-errors", "high", figure)
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


@pytest.mark.parametrize(("site", "stops"), [("lumi", True), ("generic", True), ("aurora", False)])
def test_files_are_incomplete_where_no_variable_stops_the_next_run(site: str, stops: bool) -> None:
    given = context({"errors.failed_calls": 3, "errors.cause": "EIO"}, site=site)
    said = all_rules()["io-errors"].advise(given)[0]
    assert said.text.startswith("Treat the files of this run as incomplete")
    assert (said.command == "export MPICH_MPIIO_ABORT_ON_RW_ERROR=enable") is stops


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
        ('samtools sort: failed to create "/tmp/s.0041.bam": No space left on device\n', "df -h /tmp"),
        ("OSError: [Errno 28] No space left on device: '/dev/shm/x/a.npy'\n", "df -h /dev/shm/x"),
        ("OSError: [Errno 28] No space left on device: '/mnt/bb/u/a.npy'\n", "df -h /mnt/bb/u"),
        ("OSError: [Errno 28] No space left on device: '/localscratch/u.1/a.npy'\n", "df -h /localscratch/u.1"),
        ("OSError: [Errno 28] No space left on device: '/scratch/u/local/a.npy'\n", "lfs df -h /scratch/u/local"),
        ("sort: write failed: /tmp/sortAbC: No space left on device\n", "df -h /tmp"),
        ("/work/u/bin/app: No space left on device\n", "lfs df -h ."),
        ("OSError: [Errno 28] No space left on device: '/tmpdata/a.npy'\n", "lfs df -h /tmpdata"),
        (
            "what():  couldn't write to file /lustre/orion/x1/sim.bp/data.17, in a call: errno = 122: Disk quota "
            "exceeded: iostream error\n",
            "lfs quota -h /lustre/orion/x1/sim.bp",
        ),
        ("OSError: [Errno 122] Disk quota exceeded: '/gpfs/projects/u/x.zarr/0'\n", "mmlsquota --block-size auto"),
        ("OSError: [Errno 122] Disk quota exceeded: '/gpfsx/u/x.zarr/0'\n", "lfs quota -h /gpfsx/u/x.zarr"),
        ("OSError: [Errno 122] Disk quota exceeded: '/nesi/nobackup/x/o.npy'\n", "mmlsquota --block-size auto"),
    ],
)
def test_what_is_full_is_asked_about_where_it_is_and_as_it_answers(text: str, command: str | None) -> None:
    assert case(text.encode()).headline.command == command


@pytest.mark.parametrize(
    ("where", "script", "lead"),
    [
        ("/scratch/p1/", "", "On Lustre, what there is left:"),
        ("", "", "On Lustre, what there is left:"),
        ("/lustre/orion/x1/", "", None),
        ("/work/z19/z19/u/", ON_ARCHER2, None),
        ("", ON_ARCHER2, None),
    ],
)
def test_a_command_of_lustre_is_said_to_be_one_where_nobody_says_that_it_is_lustre(
    where: str, script: str, lead: str | None
) -> None:
    document = case((script + QUOTA.format(f"{where}o.npy")).encode())
    (found,) = (f for f in document.findings if f.rule == "io-errors" and f.verdict == "triggered")
    told = next(one for one in found.advice if (one.command or "").startswith("lfs quota"))
    assert told.lead == lead


QUOTAS = (
    "Disk quotas for usr bob (uid 7):\n"
    "  Filesystem    used   quota   limit   grace   files   quota   limit   grace\n"
    "       {} {}\n"
)
OF_FILES = "21.5G      0k    250G       -  100000* 100000  100000  none"
OF_BOTH = "250G*      0k    250G       -  100000* 100000  100000  none"
OF_SPACE = "250G*      0k    250G       -  100 100000  100000  -"
BELOW = "21.5G      0k    250G       -  100 100000  100000  -"
NO_INODES = (
    "UUID                      Inodes       IUsed       IFree IUse% Mounted on\n"
    "scr-MDT0000_UUID       500000000   500000000           0 100% /scratch[MDT:0]\n"
    "scr-OST0000_UUID        60000000    20000000    40000000  34% /scratch[OST:0]\n"
    "\nfilesystem_summary:    79000000   620000000    79000000  89% /scratch\n"
)
OF_DEVICE = "OSError: [Errno 28] No space left on device: '/scratch/p/o.npy'\n"
DF = (
    "Filesystem          {} Mounted on\n"
    "nfs01:/export/home  100T  100T   {}  {}% {}\n"
    "/dev/sda2            50G   50G     0 100% /boot\n"
)
OF_HOME_FULL = "cp: error writing '/home/u/big.tar': No space left on device\n"
OF_TMP_FULL = "sort: write failed: /tmp/sortA: No space left on device\n"
SIZES, INODES = "Size  Used Avail Use%", "Inodes IUsed IFree IUse%"
OF_GROUP = QUOTAS.replace("usr bob (uid 7)", "grp z19 (gid 9)")
OF_HOME = QUOTAS.format("nas:/e/home", OF_FILES).replace("usr", "user")
OF_GPFS = (
    "                 Block Limits                                    |     File Limits\n"
    "Filesystem type  KB   quota  limit  in_doubt    grace |    files   quota    limit in_doubt    grace  Remarks\n"
    "work       USR   21   262    262    0           none  |    1000    1000     1000  0           none\n"
)
THEIR_NUMBER = "Files could not be made because the quota of files was used up"


@pytest.mark.parametrize(
    ("text", "begins", "advised", "command"),
    [
        (QUOTA.format("/work/u/o.npy") + QUOTAS.format("/work", OF_FILES), THEIR_NUMBER, "Remove files", None),
        (QUOTA.format("o.npy") + QUOTAS.format("/work", OF_FILES), THEIR_NUMBER, "Remove files", None),
        (QUOTA.format("/work/u/o.npy") + QUOTAS.format("/work", OF_BOTH), "Writes failed", "Remove files", None),
        (QUOTA.format("/work/u/o.npy") + QUOTAS.format("/work", OF_SPACE), "Writes failed", "Make room", None),
        # Of another file system.
        (
            QUOTA.format("/work/u/o.npy") + QUOTAS.format("/home", OF_FILES),
            "Writes failed",
            "Make room",
            "lfs quota -h /work/u",
        ),
        (
            QUOTA.format("/work/u/o.npy") + QUOTAS.format("/work", BELOW),
            "Writes failed",
            "The list of quotas that is given has room for usr bob. See that of the group",
            'lfs quota -h -g "${GROUP:?the group of the files}" /work/u',
        ),
        (
            QUOTA.format("/work/u/o.npy") + QUOTAS.format("/work", BELOW) + OF_GROUP.format("/work", BELOW),
            "Writes failed",
            "The list of quotas that is given has room for usr bob and grp z19. See whether the directory is of a",
            "lfs project -d /work/u",
        ),
        (
            QUOTA.format("/work/u/o.npy") + QUOTAS.format("/work", BELOW) + OF_GROUP.format("/work", OF_SPACE),
            "Writes failed",
            "Make room",
            None,
        ),
        (OF_HOME_FULL + DF.format(SIZES, 0, 100, "/home"), "Writes failed", "Make room before", None),
        (OF_HOME_FULL + DF.format(INODES, 0, 100, "/home"), "Files could not be made", "Remove files", None),
        (OF_HOME_FULL + DF.format(SIZES, "9T", 91, "/home"), "Writes failed", "Check the space", "lfs df -h /home/u"),
        (OF_TMP_FULL + DF.format(SIZES, 0, 100, "/tmp"), "Writes failed", "Let temporary files go to the", None),
        # A mount with room lies below one that is full; and where it was is not said.
        (
            OF_HOME_FULL + DF.format(SIZES, 0, 100, "/") + "/dev/sdb  1T  1G  999G  1% /home\n",
            "Writes failed",
            "Check the space",
            "lfs df -h /home/u",
        ),
        (
            "gzip: stdout: No space left on device\n" + DF.format(SIZES, "1T", 99, "/work"),
            "Writes failed",
            "Check the space",
            "lfs df -h .",
        ),
        (DF.format(SIZES, 0, 100, "/home"), "/home has no space left, by df", "Make room there.", None),
        (QUOTAS.format("/work", BELOW), "By the list of quotas there is room for usr bob on /work", "Where a", None),
        # An NFS server's export, and the name of a file system alone, are told by that in the path.
        (QUOTA.format("/home/u/o.npy") + OF_HOME, THEIR_NUMBER, "Remove files", None),
        (QUOTA.format("/gpfs/work/o.npy") + OF_GPFS, THEIR_NUMBER, "Remove files", None),
        (QUOTA.format("/gpfs/x/o.npy") + OF_GPFS, "Writes failed", "Make room", "mmlsquota --block-size auto"),
        (OF_DEVICE + NO_INODES, "Files could not be made because scr-MDT0000 on /scratch", "Remove files", None),
        (OF_DEVICE + QUOTAS.format("/scratch", OF_FILES), "Writes failed", "Check the space", "lfs df -h /scratch/p"),
        (NO_INODES, "scr-MDT0000 on /scratch has no inodes left", "Remove files", None),
        (QUOTAS.format("/work", OF_FILES), "usr bob has used up the files that the quota of /work", "Remove", None),
        (QUOTAS.format("/work", OF_SPACE), "usr bob has used up the space that the quota of /work", "Make room", None),
    ],
)
def test_what_is_used_up_decides_what_is_advised(text: str, begins: str, advised: str, command: str | None) -> None:
    top = case(text.encode()).headline
    assert top.sentence.startswith(begins)
    assert (top.action or "").startswith(advised)
    assert top.command == command
    assert top.severity == ("unknown" if "there is room" in begins else "high")


SPACE = "cp: error writing 'big.tar': No space left on device\n"
LISTED = (
    "UUID                       bytes        Used   Available Use% Mounted on\n"
    "scr-OST0000_UUID           69.5T       40.1T       29.3T  58% /scratch[OST:0]\n"
    "scr-OST0001_UUID           69.5T       {used:>5}       {left:>5}  {share:>3}% /scratch[OST:1]\n"
    "\nfilesystem_summary:       139.0T      109.6T       29.3T  79% /scratch\n"
)


def test_a_list_of_osts_that_is_given_is_not_asked_for() -> None:
    full = LISTED.format(used="69.5T", left="0.0K", share=100)
    top = case((SPACE + full).encode()).headline
    assert (top.action or "").startswith("Make room on scr-OST0001, or have files made anew on other OSTs")
    assert top.command is None
    # One that shows no full OST was made at another time, or is of another file system.
    other = case((SPACE + LISTED.format(used="40.0T", left="29.4T", share=58)).encode()).headline
    assert other.command == "lfs df -h ."
    # What was full is a node's own directory.
    of_node = case((SPACE.replace("'big.tar'", "'/tmp/big.tar'") + full).encode()).headline
    assert of_node.command == "df -h /tmp"


@pytest.mark.parametrize(("display", "cites"), [("", True), ("File: o.dat info: cb_nodes value 4 \n", False)])
def test_a_manual_is_cited_in_jobs_of_its_library_alone(display: str, cites: bool) -> None:
    found = case(f"{display}OSError: [Errno 122] Disk quota exceeded: '/scratch/fjord/o.dat'\n".encode())
    rule = found.rules["io-errors"]
    advice = next(f for f in found.findings if f.rule == "io-errors").advice
    assert any(one.document == "intro-mpi" for one in rule.citations) is cites
    assert any(one.citation is not None and one.citation.document == "intro-mpi" for one in advice) is cites
