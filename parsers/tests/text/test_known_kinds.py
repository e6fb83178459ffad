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
    assert "Darshan log" in found.next_step


@pytest.mark.parametrize(
    "text",
    [
        "read(4) was slow\nfio was run\n",
        "the flag value description is missing\n",
        "romio_cb_write enable\nis what we set\n",
        "Job <123456> is submitted to queue <batch>.\n",
    ],
)
def test_a_mere_mention_is_no_known_file(text: str) -> None:
    assert failure(text).code == "unrecognised"


def test_an_unknown_file_is_told_how_it_begins() -> None:
    found = failure("\n-----\n  Sea model 4.2 \x1b[31mstarts\x1b[0m\nstep 1\n")
    assert found.message.startswith('nothing that is read here; it begins with "Sea model 4.2 ')
    assert "forgot" not in found.next_step
    assert "MPICH_MPIIO_STATS=1" not in found.next_step
