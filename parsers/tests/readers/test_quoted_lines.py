"""Quotes, lists and here-documents of a script that go on over several lines: what stands in them is no command."""

from __future__ import annotations

import pytest
from job_context_text import contexts, only

from iotriage_parsers.readers.job_context.quoted_lines import MOST_LINES, is_open

INNER = "export MPICH_MPIIO_STATS=2\nsrun -n 999 ./never\n"


def script(text: str) -> str:
    return f"#!/bin/bash\n#SBATCH --nodes=2\n{text}"


@pytest.mark.parametrize(
    ("text", "opens"),
    [
        *(
            ('echo "it\'s"', False),
            ("echo 'say \"x\"'", False),
            ("echo it\\'s \\\" x", False),
            ("echo $'it\\'s'", False),
        ),
        *(('echo "a $(grep "b" c) d"', False), ("A=1 # don't", False), ("echo a#'b'", False), ("x=${y#'}", True)),
        *(('echo "', True), ("awk '{", True), ('A="x\\"', True), ("# don't\necho \"", True), ("echo “a", False)),
        *(("A=(1 2)", False), ("A=(1", True), ("A=(1 $(f", True), ("N=$((1+(2)))", False), ("( cd a", False)),
        *(("A=( # one\n1", True), ("A=( # one\n1 )", False), ("", False)),
    ],
)
def test_where_a_shell_reads_on(text: str, opens: bool) -> None:
    assert is_open(text) == opens


@pytest.mark.parametrize(
    "text",
    [
        f'echo "\n{INNER}"\n',
        f"printf '%s\\n' 'usage:\n{INNER}' > usage.txt\n",
        f"python3 -c '\n{INNER}'\n",
        f"cat <<A <<B > x\n{INNER}A\n{INNER}B\n",
        f"X=\"$(cat <<'A'\n{INNER}A\n)\"\n",
    ],
)
def test_what_stands_in_quotes_is_no_command(text: str) -> None:
    job = only(script(f"{text}export MPICH_MPIIO_TIMERS=1\nsrun -n 4 ./a\n"))
    assert [(e.name, e.value) for e in job.environment] == [("MPICH_MPIIO_TIMERS", "1")]
    assert [(one.ranks, one.program) for one in job.launches] == [(4, "./a")]


def test_a_value_of_two_lines_is_whole() -> None:
    job = only(script('export MPICH_MPIIO_HINTS="*.nc:cb_nodes=4,\n*.h5:cb_nodes=8"\nsrun -n 4 ./a\n'))
    assert [(e.name, e.value, e.line) for e in job.environment] == [
        ("MPICH_MPIIO_HINTS", "*.nc:cb_nodes=4, *.h5:cb_nodes=8", 3)
    ]


@pytest.mark.parametrize(
    "options",
    [
        "ARGS=(\n  -n 32\n  -N 2\n)\n",
        "ARGS=(-n 32)\nARGS+=(-N 2 --label)\n",
        'ARGS=(-n 32)\nARGS+=(\n-N 2\n)\n[ -n "$X" ] && ARGS+=(--label)\n',
        'ARGS="-n 32"\nARGS+=" -N 2"\n',
        'ARGS="-n 32"\nARGS="$ARGS -N 2"\nARGS="${ARGS} --label"\n',
    ],
)
def test_options_of_several_lines_are_together(options: str) -> None:
    (started,) = only(script(f"{options}srun ${{ARGS[@]}} ./a\n")).launches
    assert (started.ranks, started.nodes) == (32, 2)


def test_what_is_added_on_a_condition_leaves_the_size_unknown() -> None:
    for added in ("ARGS+=(-n 64)", "ARGS+=(-n $N)", 'ARGS+=" -n 64"'):
        (started,) = only(script(f'ARGS=(-N 2)\n[ -n "$X" ] && {added}\nsrun "${{ARGS[@]}}" ./a\n')).launches
        assert (started.ranks, started.nodes) == (None, None)


@pytest.mark.parametrize(
    "end", ["", "can't\n", "step\n" * (MOST_LINES + 4), "#!/bin/bash\n#SBATCH -N 1\nsrun -n 2 ./b\n"]
)
def test_an_apostrophe_of_a_sentence_hides_no_command(end: str) -> None:
    text = script("export MPICH_MPIIO_STATS=1\necho don't\nsrun -n 4 ./a\n")
    if end == "can't\n":
        # The shell takes all of it for one word.
        assert only(text + end + "srun -n 8 ./b\n").launches[0].ranks == 8
        return
    assert contexts(text + end)[0].launches[0].ranks == 4


@pytest.mark.parametrize(
    "around",
    ["bash -c '{}'", 'singularity exec a.sif bash -l -c "{}"', "/bin/sh -ec '{}' > log", "timeout 9 bash -lc '{}'"],
)
def test_each_line_that_a_shell_is_given_is_a_command(around: str) -> None:
    lines = "\n  # it sets\n  export MPICH_MPIIO_STATS=1 # all\n  if true; then\n    srun -n 4 \\\n      ./a in\n  fi\n"
    job = only(script(around.format(lines) + "\n"))
    assert [(e.name, e.value) for e in job.environment] == [("MPICH_MPIIO_STATS", "1")]
    assert [(one.ranks, one.program) for one in job.launches] == [(4, "./a")]


def test_a_launch_names_the_program_that_its_shell_runs_on_a_line_of_its_own() -> None:
    (started,) = only(script("srun -n 4 bash -c '\n  cd run\n  ./a in\n'\n")).launches
    assert (started.ranks, started.program) == (4, "./a")
