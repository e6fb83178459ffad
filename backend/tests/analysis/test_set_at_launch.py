"""What starts the program may set a variable itself: what a script exports before is taken back there."""

from __future__ import annotations

from io import BytesIO

import pytest

from iotriage.analysis.fitting import fit_advice
from iotriage.analysis.job_settings import settings_of_job
from iotriage.metrics.core.metric import Value
from iotriage.metrics.core.missing_evidence import STATS, TIMERS
from iotriage.metrics.core.registry import outcome
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.selecting import select_job
from iotriage.rules.core import advice
from iotriage.rules.core.action import AskFor, Export
from iotriage.sites import all_sites
from iotriage_parsers.detect import read
from iotriage_parsers.evidence import JobContext

HEAD = "#!/bin/bash\n#SBATCH --nodes=4\n"
WRAPPER = "cat > wrap.sh <<'EOF'\n#!/bin/bash\nexport MPICH_MPIIO_STATS=0\nexec \"$@\"\nEOF\n"
BY_LAUNCH = {
    "env behind srun": ("export MPICH_MPIIO_STATS=1\nsrun env MPICH_MPIIO_STATS=0 ./app\n", 4),
    "env that takes it away": ("export MPICH_MPIIO_STATS=1\nsrun env -u MPICH_MPIIO_STATS ./app\n", 4),
    "before srun": ("export MPICH_MPIIO_STATS=1\nMPICH_MPIIO_STATS=0 srun ./app\n", 4),
    "an option": ("srun --export=ALL,MPICH_MPIIO_STATS=0 ./app\n", 3),
    "a wrapper": (f"{WRAPPER}export MPICH_MPIIO_STATS=1\nsrun ./wrap.sh ./app\n", 5),
}


def job(script: str) -> Selection:
    return select_job([(0, part) for part in read(BytesIO((HEAD + script).encode())).of(JobContext)])


def asked_for(evidence: str, script: str) -> str:
    own = settings_of_job(job(script), all_sites()["archer2"], library=None, on_lustre=True)
    (one,) = fit_advice((advice("See what takes the time.", AskFor(evidence)),), own)
    return one.text


@pytest.mark.parametrize(("script", "line"), BY_LAUNCH.values(), ids=BY_LAUNCH)
def test_advice_names_the_line_that_would_take_it_back(script: str, line: int) -> None:
    assert f"Line {line} of the job's script decides MPICH_MPIIO_STATS" in asked_for(STATS, script)


@pytest.mark.parametrize("script", [BY_LAUNCH["env behind srun"][0], BY_LAUNCH["before srun"][0]])
def test_what_the_script_exports_was_not_in_force(script: str) -> None:
    found = outcome(job(script), "environment.mpiio_stats")
    assert isinstance(found, Value)
    assert found.value == "0"


@pytest.mark.parametrize(
    "script",
    [
        "export MPICH_MPIIO_STATS=0\nsrun ./app\n",
        "srun env MPICH_MPIIO_STATS=1 ./app\n",
        "srun env OTHER=0 ./app\n",
        WRAPPER + "srun ./app\n",
    ],
)
def test_nothing_is_said_where_an_export_holds(script: str) -> None:
    assert "decides" not in asked_for(TIMERS, script)


def test_another_variable_of_the_advice_is_no_matter() -> None:
    own = settings_of_job(job(BY_LAUNCH["an option"][0]), all_sites()["archer2"], library=None, on_lustre=True)
    (one,) = fit_advice((advice("Set it.", Export("MPICH_MPIIO_ABORT_ON_RW_ERROR", "enable")),), own)
    assert "decides" not in one.text


def test_what_one_of_several_launches_sets_is_not_said_of_the_others() -> None:
    """The job is the largest; of several alike nobody knows which, but where each sets it."""
    before = "srun env MPICH_MPIIO_STATS=0 ./prepare\n"
    assert "decides" not in asked_for(STATS, f"{before}srun ./app\n")
    assert "decides" not in asked_for(STATS, "srun -n 1 env MPICH_MPIIO_STATS=0 ./prepare\nsrun -n 64 ./app\n")
    assert "Line 4 " in asked_for(STATS, f"{before}srun env MPICH_MPIIO_STATS=0 ./app\n")
    assert "Line 3 " in asked_for(STATS, "srun -n 64 env MPICH_MPIIO_STATS=0 ./app\nsrun -n 1 ./plot\n")
    assert "Line 5 " in asked_for(STATS, f"{WRAPPER}srun -n 64 ./wrap.sh ./app\nsrun -n 1 ./plot\n")
