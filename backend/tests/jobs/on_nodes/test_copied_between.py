"""Programs that bring files from one file system to another: nobody can have them all on one."""

import re

import pytest
from described import MIB, Part, Work, document

FROM_NFS = (
    Part("/nfs/arch/big.tar", range(1), reads=262_144, size=4 * MIB, read_s=9000.0),
    Part("/scratch/w/big.tar", range(1), writes=262_144, size=4 * MIB, write_s=1700.0, osts=(3,)),
)


def experiment(program: str, kind: str = "nfs") -> str:
    mounts = (("/nfs", kind), ("/scratch", "lustre"))
    unexplained = document(Work(FROM_NFS, 1, 10_800.0, program=program, mounts=mounts)).unexplained
    assert unexplained is not None
    return unexplained.experiment or ""


@pytest.mark.parametrize(
    ("program", "many"), [("cp", ["dcp of mpiFileUtils"]), ("tar", ["dtar of mpiFileUtils"]), ("unzip", [])]
)
def test_who_copies_is_asked_for_a_second_stream(program, many):
    asked = experiment(f"/usr/bin/{program} /nfs/arch/big.tar /scratch/w")
    assert f"{program} is one stream: let two work on two parts at the same time" in asked
    assert re.findall(r"\w+ of mpiFileUtils", asked) == many
    assert "all of these files on" not in asked


def test_another_program_is_asked_to_run_on_the_faster_one():
    assert "Run once with all of these files on /scratch" in experiment("/sw/app")


@pytest.mark.parametrize("kind", ["nfs", "xfs"])
def test_a_disk_that_two_streams_share_is_no_server(kind):
    asked = experiment("/usr/bin/cp /nfs/arch/big.tar /scratch/w", kind)
    assert "if each takes twice as long, /nfs gives no more." in asked
    assert "server" not in asked
