"""Job scripts as a mail program breaks them, and with a here-document that is cut off."""

from __future__ import annotations

import pytest
from stats_text import block, codes, read

from iotriage_parsers.evidence import JobContext, MpiioStats

HEAD = "#!/bin/bash\n#SBATCH --nodes=4\n"
WIDE = "#SBATCH --ntasks-per-node=128 --distribution=block:block --time=02:00:00"


@pytest.mark.parametrize(
    ("lines", "account", "seconds"),
    [
        (f"{WIDE}\n--account=z19\n", "z19", 7200),
        (f"{WIDE}\n-A z19 --partition=long-name-of-a-partition-that-is-no-short-one\n--exclusive\n", "z19", 7200),
        (f"{WIDE} -A\nz19 --exclusive\n", "z19", 7200),
        ("#SBATCH --ntasks-per-node=128 --distribution=block:block\n--time=02:00:00\n#SBATCH -A z19\n", "z19", 7200),
        (f"{WIDE}\n./pre --account=z19\n", None, 7200),
        (f"{WIDE}\n\n--account=z19\n", None, 7200),
        ("#SBATCH --ntasks-per-node=128 -t 2:00:00\n--account=z19\n", None, 7200),
    ],
)
def test_a_directive_that_a_mail_broke(lines: str, account: str | None, seconds: int) -> None:
    (job,) = read(f"{HEAD}{lines}srun ./model.exe\n").of(JobContext)
    assert (job.nnodes, job.ranks_per_node, job.account, job.time_limit_s) == (4, 128, account, seconds)


def test_a_setting_that_had_no_place_beside_its_export() -> None:
    hints = "*.nc:romio_cb_write=enable:romio_ds_write=disable:cray_cb_nodes_multiplier=4"
    (job,) = read(f'{HEAD}export\nMPICH_MPIIO_HINTS="{hints}"\nsrun ./model.exe\n').of(JobContext)
    assert [(s.name, s.value, s.line) for s in job.environment] == [("MPICH_MPIIO_HINTS", hints, 4)]


DOCUMENT = f"{HEAD}export MPICH_MPIIO_STATS=1\ncat > input.nml << EOF\n&run\n nsteps = 100\n"


def test_a_here_document_that_is_cut_off_holds_no_block_of_what_follows() -> None:
    evidence = read(f"{DOCUMENT}\n[…]\n\nIt printed:\n\n{block('a')}")
    (job,), (stats,) = evidence.of(JobContext), evidence.of(MpiioStats)
    assert (job.nnodes, job.complete, job.lines.last, stats.file, stats.complete) == (4, False, 3, "a", True)
    assert [(p.code, p.line) for p in evidence.problems] == [("truncated", 4)]


def test_a_here_document_holds_the_script_that_it_writes() -> None:
    inner = "#!/bin/bash\n#SBATCH --nodes=64\nexport MPICH_MPIIO_STATS=0\nsrun ./other\n"
    evidence = read(f"{HEAD}cat > next.slurm << EOF\n{inner}EOF\nsrun ./model.exe\n")
    (job,) = evidence.of(JobContext)
    assert (job.nnodes, [launch.program for launch in job.launches], job.complete) == (4, ["./model.exe"], True)
    assert codes(evidence) == []


@pytest.mark.parametrize("before", ["> ", ">> ", "0: ", "12:00:01 "])
def test_the_modules_of_a_quoted_script_are_its_own(before: str) -> None:
    text = f"{HEAD}module load cray-mpich/8.1.25 darshan\nexport MPICH_MPIIO_STATS=1\nsrun -n 8 ./model.exe\n"
    (told,) = read("".join(f"{before}{line}\n" for line in text.splitlines())).parts
    assert (told,) == read(text).parts
