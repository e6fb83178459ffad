"""Scripts that keep Darshan from writing the log that is asked for. Each was written down before it was asked."""

from __future__ import annotations

import pytest
from printed_by_mpich import case

AFTER = "#!/bin/bash\n#SBATCH --nodes=4\nsrun -n 512 ./app\n{}\nsrun -n 1 ./plot\n"
SCRIPT = "#!/bin/bash\n#SBATCH --nodes=4\n{}\nsrun -n 512 ./app\n"


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("export DARSHAN_DISABLE=1", "Line 3 of the job's script keeps Darshan from writing one (DARSHAN_DISABLE)"),
        ("module load cray-hdf5\nmodule unload darshan", "Line 4 of the job's script keeps Darshan from writing one"),
        ("export DARSHAN_DISABLE=1\nunset DARSHAN_DISABLE", None),
        ("module unload darshan\nmodule load darshan/3.4.4", None),
        ("module unload darshan-util", None),
        ("DARSHAN_DISABLE=1 srun -n 1 ./mesh", None),
        ("#SBATCH --export=ALL,DARSHAN_DISABLE=1", "Line 3 of the job's script keeps Darshan from writing one"),
    ],
)
def test_who_is_asked_for_a_log_is_told_what_keeps_it_away(lines: str, said: str | None) -> None:
    action = case(SCRIPT.format(lines).encode()).headline.action or ""
    assert "Add a Darshan log" in action
    assert ("keeps Darshan from" in action) is (said is not None)
    assert said is None or said in action


@pytest.mark.parametrize("line", ["export DARSHAN_DISABLE=1", "module unload darshan"])
def test_what_is_switched_off_behind_the_program_keeps_no_log_of_it_away(line: str) -> None:
    assert "keeps Darshan from" not in (case(AFTER.format(line).encode()).headline.action or "")


def test_a_line_of_what_the_shell_printed_is_none_of_the_script() -> None:
    action = case(b"+ export DARSHAN_DISABLE=1\n+ srun -n 512 ./app\n").headline.action or ""
    assert "What set -x printed on line 1 keeps Darshan from writing one (DARSHAN_DISABLE): take it out of" in action
