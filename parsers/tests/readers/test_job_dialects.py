"""What the directives of schedulers other than Slurm, PBS and Cobalt ask for."""

from __future__ import annotations

import io

import pytest
from job_context_text import only

from iotriage_parsers import detect
from iotriage_parsers.evidence import Failure

PJM = """#!/bin/bash
#PJM -N wave
#PJM -L "node=2x3x16"
#PJM -L "rscgrp=small,elapse=1:30:00"
#PJM --mpi "proc=384"
#PJM --mpi "max-proc-per-node=4"
#PJM -g hp000001
mpiexec ./wave
"""
MOAB = (
    "#!/bin/bash\n#MSUB -N wave\n#MSUB -l nodes=8:ppn=16\n#MSUB -l walltime=04:00:00\n#MSUB -q normal\nmpirun ./wave\n"
)
BRIDGE = (
    "#!/bin/bash\n#MSUB -r wave\n#MSUB -N 4\n#MSUB -n 512\n#MSUB -T 3600\n#MSUB -q rome\n#MSUB -A gen1\nccc_mprun ./w\n"
)
OAR = "#!/bin/bash\n#OAR -n wave\n#OAR -l /nodes=4/core=8,walltime=02:30:00\n#OAR --project=pr-wave\nmpirun ./wave\n"
LOADLEVELER = (
    "#!/bin/bash\n# @ job_name = wave\n# @ node = 4\n#@ tasks_per_node = 16\n# @ wall_clock_limit = 02:00:00,01:55:00\n"
    "# @ class = large\n# @ queue\nmpirun ./wave\n"
)
LSF = "#!/bin/bash\n#BSUB -J wave\n#BSUB -P ABC1\n#BSUB -W 2:30\n#BSUB -nnodes 92\n#BSUB -q batch\njsrun ./wave\n"
LSF_SLOTS = '#!/bin/bash\n#BSUB -n 64\n#BSUB -R "span[ptile=16]"\n#BSUB -W 90\nmpirun ./wave\n'
GRID = (
    "#!/bin/bash\n#$ -N wave\n#$ -cwd -pe mpi-24 96\n#$ -l h_vmem=4G,h_rt=1:30:00 -q all.q\n#$ -P sea\nmpirun ./wave\n"
)
FLUX = "#!/bin/bash\n#flux: -N 16\n#flux: -n 32 -t 1.5h\n#flux: --queue=pbatch --bank=guests\nflux run -n 1024 ./wave\n"


@pytest.mark.parametrize(
    ("text", "nodes", "ranks", "per_node", "seconds", "queue", "account", "name"),
    [
        (PJM, 96, 384, 4, 5400, "small", "hp000001", "wave"),
        (MOAB, 8, 128, 16, 14_400, "normal", None, "wave"),
        (BRIDGE, 4, 512, None, 3600, "rome", "gen1", "wave"),
        (OAR, 4, None, None, 9000, None, "pr-wave", "wave"),
        (LOADLEVELER, 4, None, 16, 7200, "large", None, "wave"),
        (LSF, 92, None, None, 9000, "batch", "ABC1", "wave"),
        (LSF_SLOTS, None, 64, 16, 5400, None, None, None),
        (GRID, None, 96, None, 5400, "all.q", "sea", "wave"),
        (GRID.replace("mpi-24", "smp"), None, None, None, 5400, "all.q", "sea", "wave"),
        (FLUX, 16, None, None, 5400, "pbatch", "guests", None),
    ],
    ids=["pjsub", "Moab", "ccc_msub", "OAR", "LoadLeveler", "LSF", "LSF's slots", "Grid Engine", "its threads", "Flux"],
)
def test_what_a_script_asks_for(
    text: str,
    nodes: int | None,
    ranks: int | None,
    per_node: int | None,
    seconds: float,
    queue: str | None,
    account: str | None,
    name: str | None,
) -> None:
    job = only(text)
    assert (job.nnodes, job.ntasks, job.ranks_per_node) == (nodes, ranks, per_node)
    assert job.time_limit_s == seconds
    assert (job.partition, job.account, job.job_name) == (queue, account, name)
    assert job.line_of("time_limit_s") is not None


@pytest.mark.parametrize(
    ("line", "seconds"),
    [
        ("#flux: -t 30", 1800),
        ("#FLUX: -t 30", 1800),
        ("#flux: -t 90s", 90),
        ("#flux: -t 2d", 172_800),
        ("#PJM -L elapse=45:00", 2700),
        ("#OAR -l nodes=2,walltime=3", 10_800),
        ("#OAR -l nodes=2,walltime=1:30", 5400),
        ("#BSUB -W 1:00/host1", 3600),
        ("#BSUB -W $T", None),
    ],
)
def test_times(line: str, seconds: float | None) -> None:
    assert only(f"#!/bin/bash\n{line}\n{line.split()[0]} -o out.txt\nmpirun ./wave\n").time_limit_s == seconds


def test_a_shape_that_is_none_and_a_number_of_slots_are_not_nodes() -> None:
    assert only('#!/bin/bash\n#PJM -L "node=$N"\n#PJM -L "elapse=10"\nmpiexec ./w\n').nnodes is None


def test_a_comment_with_an_at_sign_is_no_directive() -> None:
    text = b"#!/bin/bash\n# @author = somebody\n# @ param node = 4\necho done\n"
    assert isinstance(detect.read(io.BytesIO(text)), Failure)


@pytest.mark.parametrize(("text", "scheduler"), [(LSF, "lsf"), (LSF_SLOTS, "lsf"), (FLUX, "flux"), (OAR, None)])
def test_a_script_says_by_its_directives_what_runs_it(text: str, scheduler: str | None) -> None:
    assert only(text).scheduler == scheduler


def test_of_two_schedulers_directives_the_first_ones_hold() -> None:
    job = only('#!/bin/bash\n#PJM -L "node=4"\n#SBATCH -N 9\nmpiexec ./wave\n')
    assert job.nnodes == 4
