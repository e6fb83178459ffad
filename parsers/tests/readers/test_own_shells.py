"""What shells within a script set, load and enter ends with them: `( … )`, `bash -c "…"`, `$( … )`."""

from __future__ import annotations

import pytest
from job_context_text import only
from stats_text import message, read

from iotriage_parsers.evidence import JobContext


def script(*lines: str) -> str:
    return "\n".join(["#!/bin/bash", "#SBATCH --nodes=2", *lines, ""])


def settings(*lines: str) -> list[tuple[str, str | None]]:
    return [(e.name, e.value) for e in only(script(*lines)).environment]


@pytest.mark.parametrize(
    "shell",
    [
        "(export MPICH_MPIIO_STATS=2; ./prepare)",
        "( export MPICH_MPIIO_STATS=2 && ./prepare ) > log 2>&1",
        "(\n  export MPICH_MPIIO_STATS=2\n  ./prepare\n)",
        "(\n  cd /work/x || exit 1\n  unset MPICH_MPIIO_STATS\n  (export FI_OFI_RXM_SAR_LIMIT=1; ./prepare)\n) &",
        "(export MPICH_MPIIO_STATS=2; export LIST=(1 2); echo '(' \"(\" \\( $((2*(3+1))); ./prepare)",
        "if true; then\n(\nexport MPICH_MPIIO_STATS=2\n./prepare\n) > log\nfi",
        "if true; then (\nexport MPICH_MPIIO_STATS=2\n./prepare\n)\nfi",
        'bash -c "export MPICH_MPIIO_STATS=2; ./prepare"',
        "FOUND=$(export MPICH_MPIIO_STATS=2; ./prepare)",
    ],
)
def test_what_a_shell_of_its_own_sets_ends_with_it(shell: str) -> None:
    job = only(script("export MPICH_MPIIO_STATS=1", *shell.split("\n"), "srun -n 4 ./a"))
    assert [(e.name, e.value) for e in job.environment] == [("MPICH_MPIIO_STATS", "1")]
    assert (job.work_dir, [one.program for one in job.launches]) == (None, ["./a"])


def test_what_is_loaded_and_held_in_a_shell_ends_with_it() -> None:
    job = only(
        script(
            "N=4", "module load cray-mpich", "(module load craype; N=8; set -a; make)", "H=1 FI_X=2", "srun -n $N ./a"
        )
    )
    assert [m.names for m in job.modules] == [("cray-mpich",)]
    assert (job.launches[0].ranks, job.environment) == (4, ())


def test_reckoning_lists_and_patterns_are_no_shells() -> None:
    lines = ["for ((i=0; i<(2+2); i++)); do", "export MPICH_MPIIO_STATS=1", "done", "A=(1", "2)", "srun ./a"]
    assert settings(*lines) == [("MPICH_MPIIO_STATS", "1")]
    lines = ["case $A in", "a|b)", "export MPICH_MPIIO_STATS=1", ";;", "esac", "x() { :; }", "srun ./a"]
    assert settings(*lines) == [("MPICH_MPIIO_STATS", "1")]


def test_what_is_set_for_a_part_of_what_is_started_is_not_known_of_the_job() -> None:
    alone = ["(export MPICH_MPIIO_HINTS='*:cb_nodes=4'; srun -n 8 ./a)"]
    assert settings(*alone) == [("MPICH_MPIIO_HINTS", "*:cb_nodes=4")]
    evidence = read(script(*alone, "srun -n 8 ./b"))
    (job,) = evidence.of(JobContext)
    assert [(e.name, e.value) for e in job.environment] == [("MPICH_MPIIO_HINTS", "$MPICH_MPIIO_HINTS")]
    assert "for a part of what is started (line 3), and not for the rest" in message(evidence, "note")


@pytest.mark.parametrize(("value", "known"), [("hybrid", "hybrid"), ("software", "$FI_CXI_RX_MATCH_MODE")])
def test_programs_side_by_side_have_their_own_settings(value: str, known: str) -> None:
    beside = [f"(export FI_CXI_RX_MATCH_MODE={one}; srun -n 4 ./{one}) &" for one in ("hybrid", value)]
    assert settings(*beside, "wait")[-1] == ("FI_CXI_RX_MATCH_MODE", known)


def test_what_the_script_sets_behind_a_shell_holds_for_the_rest() -> None:
    lines = ["(export MPICH_MPIIO_STATS=1; srun ./a)", "export MPICH_MPIIO_STATS=2", "srun ./b"]
    assert settings(*lines)[-1] == ("MPICH_MPIIO_STATS", "2")


def test_a_shell_that_has_no_end_hides_nothing() -> None:
    assert settings("(", "export MPICH_MPIIO_STATS=1", "srun ./a") == [("MPICH_MPIIO_STATS", "1")]
    assert settings("(" * 40, "export MPICH_MPIIO_STATS=1", "srun ./a", ")" * 90) == [("MPICH_MPIIO_STATS", "1")]


@pytest.mark.parametrize(
    "launch",
    [
        "srun -n 4 bash -c 'export MPICH_MPIIO_STATS=1; exec ./a'",
        'srun -n 4 /bin/sh -ec "\n  export MPICH_MPIIO_STATS=1\n  ./a\n"',
        'srun -n 4 singularity exec a.sif bash -lc "export MPICH_MPIIO_STATS=1 && ./a"',
        'apptainer exec a.sif bash -c "cd run; export MPICH_MPIIO_STATS=1; srun -n 4 ./a"',
        'apptainer exec a.sif bash -c "./prepare; export MPICH_MPIIO_STATS=1; srun -n 4 ./a; srun -n 4 ./b"',
        'apptainer exec --env MPICH_MPIIO_STATS=1 a.sif bash -c "./prepare; srun -n 4 ./a"',
        'MPICH_MPIIO_STATS=1 bash -c "./prepare; srun -n 4 ./a"',
    ],
)
def test_what_the_shell_of_a_launch_exports_holds_for_its_program(launch: str) -> None:
    assert settings(launch) == [("MPICH_MPIIO_STATS", "1")]


def test_what_it_exports_on_a_condition_is_not_known_to_hold() -> None:
    assert settings('srun -n 4 bash -c "[ $SLURM_PROCID = 0 ] && export MPICH_MPIIO_STATS=1; ./a"') == []
    assert settings('srun -n 4 bash -c "\nif $X; then\nexport MPICH_MPIIO_STATS=1\nfi\n./a"') == []
