"""Files that are not read are named, with what to give instead; no line of one is taken for another."""

from __future__ import annotations

import io

import pytest

from iotriage_parsers import detect
from iotriage_parsers.evidence import Failure
from iotriage_parsers.text.unsupported_formats import KINDS

EXAMPLES = {
    "ltrace -c": "% time     seconds  usecs/call     calls      function\n------ ----------- \n",
    "strace -c": "% time     seconds  usecs/call     calls    errors syscall\n------ ----------- \n",
    "h5perf": "rank 0: ==== Parameters ====\nrank 0: IO API=posix mpiio phdf5\n",
    "h5bench": "==================  Performance results  =================\nRaw write rate = 25.8 MB/sec\n",
    "MACSio": 'Info:"macsio_main.c":812:Overall BW: 512.0 Mi/1.0 secs = 512.0 Mi/sec\n',
    "IOzone": "\tIozone: Performance Test of File I/O\n\t        Version $Revision: 3.489 $\n",
    "Bonnie++": "Version  1.98       ------Sequential Output------ --Sequential Input- --Random-\n",
    "Filebench": "Filebench Version 1.5-alpha3\n0.000: Allocated 173MB of shared memory\n",
    "fio before version 3": "Run status group 0:\n  WRITE: io=596856KB, aggrb=56946KB/s, minb=58313KB/s\n",
    "fio without its jobs": "   READ: bw=54.5MiB/s (57.1MB/s), 54.5MiB/s-54.5MiB/s, io=6537MiB (6854MB)\n",
    "qstat without its head": "Job_Name = sea\nresources_used.walltime = 00:10:01\nExit_status = 1\n",
    "IO500 before 2020": "[RESULT] BW   phase 1   ior_easy_write   0.108 GB/s : time 32.9 seconds\n",
    "dd": "2560+0 records out\n10737418240 bytes (11 GB, 10 GiB) copied, 5.5 s, 1.9 GB/s\n",
    "nn_seff": "Cluster: hill\nJob Wall-time:   21.7%  00:01:05 of 00:05:00 time limit\n",
    "finishedjobinfo": "2026-11-02 10:58:49 jobid=51451 jobstate=OUT_OF_MEMORY username=auser account=hill\n",
    "nfsiostat": "srv:/home mounted on /home:\n\n           ops/s       rpc bklog\n         196.860     0.000\n",
    "lfs quota": "Disk quotas for usr auser (uid 5145):\n     Filesystem    used   quota   limit   grace\n",
    "Lustre's job_stats": "job_stats:\n- job_id:          app.5145\n  snapshot_time:   1409778251\n",
    "lfs getstripe without a layout": "/lustre/run has no stripe info\n",
    "lfs getstripe outside Lustre": "lfs getstripe: getstripe for '/home/x' failed: Inappropriate ioctl for device\n",
    "darshan-parser without its head": "# performance\n# -----------\n# total_bytes: 134217728\n",
    "darshan-parser that failed": "Error: unable to inflate darshan log data.\n",
    "jobstats": "=====\n                    Slurm Job Statistics\n=====\n         Job ID: 39798795\n",
    "qacct": "=====\nqname        mpi.q\nhostname     node12\nowner        auser\n",
    "LSF (bjobs, bhist)": "Job <123456>, Job Name <solver>, User <auser>, Project <abc>, Status <EXIT>\n",
    "ROMIO hints": "romio_cb_write enable\ncb_nodes 8\nstriping_factor 8\n",
    "strace": 'execve("./sea", ["./sea"], 0x7ffd /* 40 vars */) = 0\nopenat(AT_FDCWD, "in.nml", O_RDONLY) = 3\n',
    "perf stat": " Performance counter stats for './sea':\n",
    "gprof": "Flat profile:\n\nEach sample counts as 0.01 seconds.\n",
    "ncdump": "netcdf sea_0400 {\ndimensions:\n\ttime = UNLIMITED ;\n",
    "h5dump": 'HDF5 "sea_0400.h5" {\nGROUP "/" {\n',
    "iostat": "Device            r/s     rkB/s   rrqm/s\nsda 1.0 2.0 0.0\n",
}


def failure(text: str) -> Failure:
    found = detect.read(io.BytesIO(text.encode()))
    assert isinstance(found, Failure)
    return found


def test_every_kind_has_an_example() -> None:
    assert [kind.title for kind in KINDS] == list(EXAMPLES)


@pytest.mark.parametrize("title", EXAMPLES)
def test_a_known_file_is_named_with_what_to_give_instead(title: str) -> None:
    found = failure(EXAMPLES[title])
    assert found.code == "unsupported"
    assert found.message.startswith(next(f"{kind.named}: {kind.holds}" for kind in KINDS if kind.title == title))
    assert "Darshan log" in found.next_step or "the log itself" in found.next_step


@pytest.mark.parametrize(
    "text",
    [
        "read(4) was slow\nfio was run\n",
        "the flag value description is missing\n",
        "romio_cb_write enable\nis what we set\n",
        "Job <123456> is submitted to queue <batch>.\n",
        "the overall BW: was low\n",
        "ls: x has no stripe information\n",
        "total_cells: 512\n",
        "copied 4096 bytes to the device\n",
    ],
)
def test_a_mere_mention_is_no_known_file(text: str) -> None:
    assert failure(text).code == "unrecognised"


def test_an_unknown_file_is_told_how_it_begins() -> None:
    found = failure("\n-----\n  Sea model 4.2 \x1b[31mstarts\x1b[0m\nstep 1\n")
    assert found.message.startswith('nothing that is read here; it begins with "Sea model 4.2 ')
    assert "forgot" not in found.next_step
    assert "MPICH_MPIIO_STATS=1" not in found.next_step
