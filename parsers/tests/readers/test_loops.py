"""What a loop of a script changes from pass to pass is not known, nor is the size of what it starts by that."""

from __future__ import annotations

import pytest
from job_context_text import only


def sizes(*lines: str) -> list[tuple[int | None, int | None]]:
    job = only("\n".join(["#!/bin/bash", "#SBATCH --nodes=8", *lines, ""]))
    return [(one.ranks, one.nodes) for one in job.launches]


@pytest.mark.parametrize(
    "step", ["n=$((n * 2))", "n=$(expr $n \\* 2)", "n=`expr $n + 1`", "let n*=2", "((n++))", "n=8", "n+=1", "read n"]
)
def test_the_size_of_the_first_pass_is_not_that_of_all(step: str) -> None:
    loop = ["n=1", "while [ $n -le 8 ]; do", "ranks=$((n * 128))", "srun -N $n -n $ranks ./a", step, "done"]
    assert sizes(*loop) == [(None, None)]
    assert sizes(*loop, "srun -N $n -n 4 ./b")[-1] == (4, None)


def test_what_is_given_to_the_program_alone_changes_no_size() -> None:
    assert sizes("i=0", "N=8", "until [ $i = 3 ]", "do", "srun -N $N -n 64 ./a $i", "let i++", "done") == [(64, 8)]


def test_a_loop_within_a_loop() -> None:
    loop = [
        "n=1",
        "m=2",
        "while true; do",
        "for s in 1 4; do",
        "srun -n $n ./a; srun -n $m ./b $s",
        "done",
        "n=$((n+1))",
        "done",
    ]
    assert sizes(*loop) == [(None, None), (2, None)]
    assert sizes("n=4", "while read line; do", "srun -n $n ./a", "n=4", "done < list") == [(4, None)]


def test_a_loop_that_has_no_end_or_no_beginning() -> None:
    assert sizes("n=4", "done", "while true; do", "srun -n $n ./a", "n=$((n+1))") == [(4, None)]
