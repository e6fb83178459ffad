"""Variables of a job script: what they hold where it writes that out, and nothing where a loop or a command says."""

from __future__ import annotations

import pytest
from stats_text import read

from iotriage_parsers.evidence import JobContext

HEAD = "#!/bin/bash\n#SBATCH --nodes=4\n"
HINTS = 'export MPICH_MPIIO_HINTS="*:striping_factor=${N}:cb_nodes=$N"\nsrun -n $NP ./sea\n'


def script(text: str) -> JobContext:
    (job,) = read(HEAD + text).of(JobContext)
    return job


def hints(job: JobContext) -> str | None:
    return next((s.value for s in job.environment if s.name == "MPICH_MPIIO_HINTS"), None)


def test_values_that_are_written_out_are_filled_in() -> None:
    job = script(f"N=8\nexport NP=512\nOUT=/bay/run/out\nlfs setstripe -c $N -S 4M ${{OUT}}/nc\n{HINTS}")
    assert hints(job) == "*:striping_factor=8:cb_nodes=8"
    (stripes,) = job.stripe_commands
    assert (stripes.targets, stripes.stripe_count, stripes.stripe_size_bytes) == (("/bay/run/out/nc",), 8, 4 * 2**20)
    assert stripes.text == "lfs setstripe -c $N -S 4M ${OUT}/nc"
    assert (job.launches[0].ranks, job.launches[0].program) == (512, "./sea")


@pytest.mark.parametrize(
    "sets",
    [
        "set N = 8",
        "set N=8",
        "readonly N=8",
        "M=8\nN=$M",
        'N="8"',
        "M=2\nN=$(expr $M \\* 4)",
        "N=`expr 10 - 2`",
        'M=2\nN=$(expr "$M" \\* 4)',
        "M=2\nN=$(expr ${M} '*' \\( 3 + 1 \\))",
    ],
)
def test_ways_to_set_a_variable(sets: str) -> None:
    assert hints(script(f"{sets}\n{HINTS}")) == "*:striping_factor=8:cb_nodes=8"


@pytest.mark.parametrize(
    ("sets", "held"), [("D=$SCRATCH/run", "$SCRATCH/run/h"), ('D="${WORK}"', "${WORK}/h"), ("D=$X/r\nX=1", "$X/r/h")]
)
def test_what_the_job_brings_with_it_stays_within_a_value(sets: str, held: str) -> None:
    job = script(f"{sets}\nexport ROMIO_HINTS=$D/h\nsrun ./a\n")
    assert [e.value for e in job.environment] == [held]


def test_what_is_added_to_a_variable_is_in_it() -> None:
    added = 'H="*:romio_cb_write=enable"\nH="${H}:cb_nodes=8"\nexport MPICH_MPIIO_HINTS=$H\nsrun ./sea\n'
    assert hints(script(added)) == "*:romio_cb_write=enable:cb_nodes=8"


@pytest.mark.parametrize(
    "quoted", ["'*:cb_nodes='\"8\"", "'*:cb_nodes='$N", "'*:cb_nodes='\"$N\"''", '"*:cb_nodes="$N']
)
def test_quotes_that_are_joined_are_none_of_the_value(quoted: str) -> None:
    assert hints(script(f"N=8\nexport MPICH_MPIIO_HINTS={quoted}\nsrun ./sea\n")) == "*:cb_nodes=8"


@pytest.mark.parametrize(
    "launch",
    [
        "srun --export=ALL,MPICH_MPIIO_HINTS=*:cb_nodes=8 -n 4 ./sea",
        "srun --export ALL,MPICH_MPIIO_HINTS=*:cb_nodes=8 -n 4 ./sea",
        "aprun -e MPICH_MPIIO_HINTS=*:cb_nodes=8 -n 4 ./sea",
        "mpirun -x MPICH_MPIIO_HINTS=*:cb_nodes=8 -n 4 ./sea",
        "mpiexec --env MPICH_MPIIO_HINTS='*:cb_nodes=8' -n 4 ./sea",
        "mpiexec -genv MPICH_MPIIO_HINTS *:cb_nodes=8 -n 4 ./sea",
        "flux run --env=MPICH_MPIIO_HINTS=*:cb_nodes=8 -n 4 ./sea",
        "/usr/bin/env -u A MPICH_MPIIO_HINTS='*:cb_nodes=8' srun -n 4 ./sea",
        "timeout 60 env -i 'MPICH_MPIIO_HINTS=*:cb_nodes=8' B=1 mpirun -n 4 ./sea MPICH_MPIIO_HINTS=*:cb_nodes=4",
        "srun -n 4 env MPICH_MPIIO_HINTS='*:cb_nodes='\"8\" ./sea MPICH_MPIIO_HINTS=*:cb_nodes=4",
        "aprun -eMPICH_MPIIO_HINTS=*:cb_nodes=8 -n 4 ./sea",
        "mpirun_rsh -np 4 -hostfile h A=1 MPICH_MPIIO_HINTS=*:cb_nodes=8 ./sea",
        "srun -n 4 singularity exec --env MPICH_MPIIO_HINTS=*:cb_nodes=8 x.sif ./sea",
        "srun -n 4 apptainer exec --env A=1,MPICH_MPIIO_HINTS=*:cb_nodes=8,B=2 x.sif ./sea",
    ],
)
def test_what_a_launch_gives_its_processes_is_set(launch: str) -> None:
    job = script(f"{launch}\n")
    assert (hints(job), job.launches[0].ranks, job.launches[0].program) == ("*:cb_nodes=8", 4, "./sea")


@pytest.mark.parametrize(
    "directives",
    [
        "#SBATCH --export=ALL,MPICH_MPIIO_HINTS=*:cb_nodes=8\n",
        "#SBATCH --export ALL,MPICH_MPIIO_HINTS=*:cb_nodes=8 --exclusive\n",
        "#PBS -l select=4\n#PBS -v OMP_NUM_THREADS=1,MPICH_MPIIO_HINTS=*:cb_nodes=8\n",
    ],
)
def test_what_a_directive_gives_the_job_is_set(directives: str) -> None:
    (job,) = read(f"#!/bin/bash\n{directives}srun -n 4 ./sea\n").of(JobContext)
    assert hints(job) == "*:cb_nodes=8"


def test_what_sbatch_gives_a_job_that_it_wraps_is_set() -> None:
    (job,) = read('sbatch -N 4 --export=ALL,MPICH_MPIIO_HINTS=*:cb_nodes=8 --wrap "srun ./sea"\n').of(JobContext)
    assert (job.nnodes, hints(job)) == (4, "*:cb_nodes=8")
    (withheld,) = read('sbatch --export=NONE --wrap "export MPICH_MPIIO_STATS=1; srun ./sea"\n').of(JobContext)
    assert withheld.environment == ()


WITHHELD = 'export MPICH_MPIIO_HINTS="*:cb_nodes=8"\n'


@pytest.mark.parametrize(
    ("lines", "reaches"),
    [
        (f"#SBATCH --export=NONE\n{WITHHELD}srun ./sea\n", False),
        (f"#SBATCH --export nil\n{WITHHELD}srun -n 4 ./sea\n", False),
        (f"#SBATCH --export=TERM,A=1\n{WITHHELD}srun ./sea\n", False),
        (f"{WITHHELD}srun --export=A=1 ./sea\n", False),
        (f"{WITHHELD}srun --export=NONE ./sea\nsrun --export=NONE ./sea\n", False),
        (f"#SBATCH --export=NONE\n{WITHHELD}srun --export=ALL ./sea\n", True),
        (f"#SBATCH --export=NONE\n{WITHHELD}srun --export=A=1,all ./sea\n", True),
        (f"#SBATCH --export=NONE\n{WITHHELD}srun --export=MPICH_MPIIO_HINTS ./sea\n", True),
        (f"#SBATCH --export=NONE\n{WITHHELD}unset SLURM_EXPORT_ENV\nsrun ./sea\n", True),
        (f"#SBATCH --export=NONE\nexport SLURM_EXPORT_ENV=ALL\n{WITHHELD}srun ./sea\n", True),
        (f"#SBATCH --export=NONE\nexport -n SLURM_EXPORT_ENV\n{WITHHELD}srun ./sea\n", True),
        (f"#SBATCH --export=NONE\ndeclare +x SLURM_EXPORT_ENV\n{WITHHELD}srun ./sea\n", True),
        # It is in the job's environment by --export: an assignment changes it there, and nowhere else.
        (f"#SBATCH --export=NONE\nSLURM_EXPORT_ENV=ALL\n{WITHHELD}srun ./sea\n", True),
        (f"SLURM_EXPORT_ENV=NONE\n{WITHHELD}srun ./sea\n", True),
        (f"#SBATCH --export=NONE\n{WITHHELD}mpirun -n 4 ./sea\n", True),
        ("#SBATCH --export=NONE\nsrun env MPICH_MPIIO_HINTS='*:cb_nodes=8' ./sea\n", True),
        ("#SBATCH --export=MPICH_MPIIO_HINTS=*:cb_nodes=8\nsrun ./sea\n", True),
        (f"#SBATCH --export=ALL\n{WITHHELD}srun ./sea\n", True),
        (f"{WITHHELD}srun --export=NONE ./prepare\nsrun ./sea\n", True),
        # What the variable has is not known: it may be all.
        (f"{WITHHELD}srun --export=$NAMES -n 4 ./sea\n", True),
        (f'{WITHHELD}srun --export="${{NAMES}},A=1" -n 4 ./sea\n', True),
        (f"NAMES=A,B\n{WITHHELD}srun --export=$NAMES -n 4 ./sea\n", False),
        (f"{WITHHELD}srun --export=A=$B -n 4 ./sea\n", False),
        # An option of the program, not of srun.
        (f"{WITHHELD}srun -n 4 ./sea --export=fields\n", True),
        (f"{WITHHELD}srun -n 4 numactl -l ./sea --export fields\n", True),
        (f"#SBATCH --export=NONE\n{WITHHELD}SLURM_EXPORT_ENV=ALL srun ./sea\n", True),
        (f"#SBATCH --export=NONE\n{WITHHELD}env -u SLURM_EXPORT_ENV srun ./sea\n", True),
        ("MPICH_MPIIO_HINTS='*:cb_nodes=8' srun --export=NONE ./sea\n", False),
        ("env MPICH_MPIIO_HINTS='*:cb_nodes=8' srun --export=NONE ./sea\n", False),
        ("MPICH_MPIIO_HINTS='*:cb_nodes=8' srun --export=MPICH_MPIIO_HINTS ./sea\n", True),
    ],
)
def test_what_slurm_keeps_from_the_program_is_not_set(lines: str, reaches: bool) -> None:
    evidence = read(HEAD + lines)
    (job,) = evidence.of(JobContext)
    assert hints(job) == ("*:cb_nodes=8" if reaches else None)
    assert any("--export" in problem.message for problem in evidence.problems) is not reaches


def test_a_name_without_a_value_is_none_that_is_set() -> None:
    assert script("mpirun -x MPICH_MPIIO_HINTS -n 4 ./sea\n").environment == ()
    assert script("srun --export=ALL,MPICH_MPIIO_STATS -n 4 ./sea\n").environment == ()


@pytest.mark.parametrize(
    "launch",
    [
        "mpirun -n 4 ./sea -x MPICH_MPIIO_STATS=1",
        "aprun -n 4 ./sea -e MPICH_MPIIO_STATS=1",
        "srun -n 4 ./sea --export=ALL,MPICH_MPIIO_STATS=1",
        "srun -n 4 ./sea env MPICH_MPIIO_STATS=1",
        "srun -n 4 apptainer exec sea.sif ./sea --env MPICH_MPIIO_STATS=1",
        "mpiexec -n 4 ./lake --env MPICH_MPIIO_STATS=1 : -n 4 ./sea -env MPICH_MPIIO_STATS 1",
    ],
)
def test_an_option_of_the_program_sets_nothing(launch: str) -> None:
    assert script(f"{launch}\n").environment == ()


def test_of_programs_that_start_together_each_has_its_options() -> None:
    job = script("mpiexec -n 4 -x MPICH_MPIIO_STATS=1 ./lake -x : -n 4 -x MPICH_MPIIO_TIMERS=1 ./sea -x A=1\n")
    assert [e.name for e in job.environment] == ["MPICH_MPIIO_STATS", "MPICH_MPIIO_TIMERS"]


@pytest.mark.parametrize(
    "sets",
    [
        "for N in 1 2 4; do",
        "N=4\nfor N in 1 2 4; do",
        "if [ -n $X ]; then N=4; else N=8; fi",
        "N=$1",
        "N=${1:-4}",
        "N=4\nN=$(nproc)",
        "N=4\nN=`nproc`",
        "N=4\nN=`expr $N + 4`",
        "N=$(expr $X + 4)",
        "N=$(expr 2 : 2)",
        # One argument, which expr prints as it stands.
        "N=$(expr 4+4)",
        "N=4\nwhile read -r N; do",
        "N=4\nlet N*=2",
        "N=4\n((N++))",
        "N=4\nN+=2",
        "N=4\nunset N",
        "f() {\n  local N=2\n}\nN=4",
        "N='$M'\nM=4",
        "cat > n << EOF\nN=4\nEOF",
        "# N=4",
    ],
)
def test_what_is_not_known_stays_a_variable(sets: str) -> None:
    assert hints(script(f"{sets}\n{HINTS}")) == "*:striping_factor=${N}:cb_nodes=$N"


def test_single_quotes_hold_no_variables() -> None:
    assert hints(script("N=8\nexport MPICH_MPIIO_HINTS='*:cb_nodes=$N'\nsrun ./sea\n")) == "*:cb_nodes=$N"


def test_values_do_not_grow_without_end() -> None:
    doubled = "".join(f"A{n + 1}=$A{n}$A{n}\n" for n in range(60))
    job = script(f"A0={'x' * 300}\n{doubled}export MPICH_MPIIO_HINTS=$A60\nsrun ./sea\n")
    assert hints(job) == "$A60"


def test_what_is_known_is_filled_in_beside_what_is_not() -> None:
    value = '"$SCRATCH_DIR/met*:striping_factor=$N:cb_nodes=${N}:cb_buffer_size=$((X*2))"'
    known = "$SCRATCH_DIR/met*:striping_factor=16:cb_nodes=16:cb_buffer_size=$((X*2))"
    assert hints(script(f"N=16\nexport MPICH_MPIIO_HINTS={value}\nsrun ./sea\n")) == known


@pytest.mark.parametrize(
    "lines",
    [
        "if [ $M = a ]\nthen\n export MPICH_MPIIO_HINTS=*:cb_nodes=4\nelse\n export MPICH_MPIIO_HINTS=*:cb_nodes=8\nfi",
        "export MPICH_MPIIO_HINTS=*:cb_nodes=4\nif [[ $N -gt 8 ]]; then export MPICH_MPIIO_HINTS=*:cb_nodes=8; fi",
        "case $M in\n a) export MPICH_MPIIO_HINTS=*:cb_nodes=4 ;;\n *) export MPICH_MPIIO_HINTS=*:cb_nodes=8;;\nesac",
        "case $M in\n0) export MPICH_MPIIO_HINTS=*:cb_nodes=4 ;;\n1) export MPICH_MPIIO_HINTS=*:cb_nodes=8;;\nesac",
        "[ $M = a ] && export MPICH_MPIIO_HINTS=*:cb_nodes=4 || export MPICH_MPIIO_HINTS=*:cb_nodes=8",
        "if (grep a in); then\nexport MPICH_MPIIO_HINTS=*:cb_nodes=4\nelse\nexport MPICH_MPIIO_HINTS=*:cb_nodes=8\nfi",
        "case $M in a) export MPICH_MPIIO_HINTS=*:cb_nodes=4 ;; *) export MPICH_MPIIO_HINTS=*:cb_nodes=8;; esac",
        "case $M in\n (a) export MPICH_MPIIO_HINTS=*:cb_nodes=4 ;;\n (*) export MPICH_MPIIO_HINTS=*:cb_nodes=8;;\nesac",
        "if ( $M&&$N ) then\nsetenv MPICH_MPIIO_HINTS *:cb_nodes=4\nelse\nsetenv MPICH_MPIIO_HINTS *:cb_nodes=8\nendif",
        "if ( $M ) then\nsetenv MPICH_MPIIO_HINTS *:cb_nodes=4\nelse\nsetenv MPICH_MPIIO_HINTS *:cb_nodes=8\nendif",
        "export MPICH_MPIIO_HINTS=*:cb_nodes=4\n[[ $N -gt 8 ]] && export MPICH_MPIIO_HINTS=*:cb_nodes=8",
        "export MPICH_MPIIO_HINTS=*:cb_nodes=4\n./small || export MPICH_MPIIO_HINTS=*:cb_nodes=8",
        "export MPICH_MPIIO_HINTS=*:cb_nodes=4\n(( N > 8 )) && export MPICH_MPIIO_HINTS=*:cb_nodes=8",
        "export MPICH_MPIIO_HINTS=*:cb_nodes=4\n[ -f a ] 2>&1 && export MPICH_MPIIO_HINTS=*:cb_nodes=8",
    ],
)
def test_which_of_two_values_held_is_not_known(lines: str) -> None:
    evidence = read(f"#!/bin/bash\n#SBATCH -N 4\n{lines}\nsrun ./sea\n")
    (job,) = evidence.of(JobContext)
    assert [setting.value for setting in job.environment] == ["$MPICH_MPIIO_HINTS"]
    (note,) = [p for p in evidence.problems if "on a condition (line" in p.message]
    assert (note.code, note.loses_data) == ("note", False)


@pytest.mark.parametrize(
    "lines",
    [
        'if [ -n "$X" ]; then\n export MPICH_MPIIO_HINTS=*:cb_nodes=8\nfi',
        "if [ $X ]; then\n export MPICH_MPIIO_HINTS=*:cb_nodes=4\nfi\nexport MPICH_MPIIO_HINTS=*:cb_nodes=8",
        "if ( $?X && $?Y ) echo yes\nsetenv MPICH_MPIIO_HINTS *:cb_nodes=4\nsetenv MPICH_MPIIO_HINTS *:cb_nodes=8",
        "switch ($X)\ncase a:\nendsw\nsetenv MPICH_MPIIO_HINTS *:cb_nodes=4\nsetenv MPICH_MPIIO_HINTS *:cb_nodes=8",
        "if ( $?X ) echo yes\nsetenv MPICH_MPIIO_HINTS *:cb_nodes=4\nsetenv MPICH_MPIIO_HINTS *:cb_nodes=8",
        "if [ $X ]; then\n cd run\nfi\nexport MPICH_MPIIO_HINTS=*:cb_nodes=4\nexport MPICH_MPIIO_HINTS=*:cb_nodes=8",
        "export MPICH_MPIIO_HINTS=*:cb_nodes=4\ncd run && export MPICH_MPIIO_HINTS=*:cb_nodes=8 || exit 1",
        "export MPICH_MPIIO_HINTS=*:cb_nodes=4; srun ./lake; export MPICH_MPIIO_HINTS=*:cb_nodes=8",
    ],
)
def test_what_holds_in_any_case_is_known(lines: str) -> None:
    evidence = read(f"#!/bin/bash\n#SBATCH -N 4\n{lines}\nsrun ./sea\n")
    (job,) = evidence.of(JobContext)
    assert job.environment[-1].value == "*:cb_nodes=8"
    assert not [p for p in evidence.problems if "on a condition" in p.message]


@pytest.mark.parametrize(
    ("lines", "sizes"),
    [
        ("if [ $A ]; then\n srun -n 64 ./a\nelse\n srun -n 128 ./a\nfi\nsrun -n 16 ./b", [None, None, 16]),
        ("if [ $A ]; then srun -n 64 ./a; elif [ $B ]; then srun -n 32 ./a; else srun -n 64 ./b; fi", [None] * 3),
        ("case $M in\n a) srun -n 1 ./p; srun -n 8 ./a;;\n *) srun -n 1 ./p\n srun -n 4 ./a\nesac", [1, None, 1, None]),
        ("switch ($M)\ncase a:\n srun -n 8 ./a\n breaksw\ndefault:\n srun -n 4 ./a\nendsw", [None, None]),
        ("if ( $M ) then\n srun -n 8 ./a\nelse\n srun ./a\nendif", [None, None]),
        ("if [ $A ]; then\n if [ $B ]; then srun -n 8 ./a; else srun -n 4 ./a; fi\nelse srun -n 8 ./a\nfi", [None] * 3),
        ("if [ $A ]; then\n srun -n 64 ./a\nelse\n srun -n 64 ./b\nfi", [64, 64]),
        ("if [ $A ]; then\n srun -n 64 ./a\nfi\nsrun -n 128 ./b", [64, 128]),
        ("if [ $A ]; then echo a; exit; else echo b; fi\nsrun -n 8 ./a\nsrun -n 4 ./b", [8, 4]),
        ("if [ $A ]; then L='srun -n 64'; else L='srun -n 32'; fi\n$L ./a", [None]),
        ("if ($A) then\n set L = 'srun -n 64'\nelse\n set L = 'srun -n 32'\nendif\n$L ./a", [None]),
        ("set L = 'srun -n 64'\n$L ./a\nset L = 'srun -n 32'\n$L ./b", [64, 32]),
        ("L='srun -n 4'\n$L ./a\nL='srun -n 8'\n$L ./b", [4, 8]),
        ("[ -f restart ] && srun -n 64 ./a || srun -n 128 ./a; srun -n 16 ./b", [None, None, 16]),
        ("[ -f restart ] && srun -n 64 ./a || echo none; srun -n 128 ./b", [64, 128]),
        ("srun -n 64 ./a > log 2>&1 || srun -n 32 ./a &> log", [None, None]),
        ("srun -n 64 ./a &>> log || srun -n 32 ./a", [None, None]),
        ("srun -n 64 ./a > log & srun -n 32 ./b || exit 1", [64, 32]),
        ("#SBATCH --ntasks-per-node=128\nsrun -n 512 ./a || srun ./a", [512, None]),
        ("#SBATCH -n 512\nif [ $A ]; then srun ./a; else srun -n 512 ./a; fi", [None, 512]),
        ("if [ $A ]; then srun -n 512 ./a; else srun -N 4 --ntasks-per-node=128 ./a; fi", [512, None]),
        ("srun -n 512 ./a || srun -n 512 --ntasks-per-node=128 ./a", [512, 512]),
        ("&& srun -n 64 ./a\n|| srun -n 32 ./b\n&&", [64, 32]),
        ("if [ $A ] || [ $B ]; then srun -n 64 ./a || exit 1; else srun -n 32 ./a; fi", [None] * 2),
        ("N=8\n[[ $A == x ]] || N=4\nsrun -n $N ./a", [None]),
        ("srun -n 64 ./a\nelse\nsrun -n 8 ./a\nfi\nsrun -n 16 ./b", [None, None, 16]),
        ("srun -n 64 ./a\nelif [ $A ]; then\nsrun -n 64 ./b\nfi", [64, 64]),
        ("if false; then\nexport A=1\nsrun -n 64 ./a\nelse\nsrun -n 8 ./b\nfi", [8]),
        ("srun -n 8 ./a\nexit 0\nexport A=1\nsrun -n 64 ./b", [8]),
        ("usage() {\necho no\nexit 1\n}\nfor i in 1 2; do\nexit\ndone\n[ $A ] || exit\nsrun -n 8 ./a", [8]),
        ("cd $D || { echo no; exit 1; }\ngrep -q ok log && exit\nls | exit\nsrun -n 8 ./a\nexit\nsrun -n 4 ./b", [8]),
        ('die() { echo "$*"; exit 1; }\nfunction no { exit 1; }\nh(){ a; exit 1; }\nsrun -n 8 ./a', [8]),
        ("f() {\na\n}\ng() { a; }\nh() {\nexit 1\n}\nsrun -n 8 ./a\nexit 0\nsrun -n 4 ./b", [8]),
        ("(cd run; ./a; exit 1)\n(\na\nexit\n)\nsrun -n 8 ./a; exit; srun -n 4 ./b", [8]),
        ('bash -c "srun -n 4 ./a; exit 1; srun -n 2 ./b"\nsrun -n 8 ./a', [4, 8]),
        ("cat > w.sh <<EOF\n./x\nexit 0\nEOF\nbash w.sh\nsrun -n 8 ./a", [8]),
        ("if ($A) exit 1\nwhile ($n < 3)\nexit\nend\nsrun -n 8 ./a\nexit\nsrun -n 4 ./b", [8]),
        ("srun -n 8 ./a\nexit code 3 is what it says\nsrun -n 4 ./b", [8, 4]),
        ("srun -n 64 ./a\nfor i in 1; do if [ $A ]; then srun -n 8 ./b; else srun -n 8 ./c; fi; done", [64, 8, 8]),
        ("srun -n 4 ./p\n(if [ $A ]; then a; else srun -n 8 ./b; fi)\nsrun -n 8 ./c", [4, 8, 8]),
        ("srun -n 4 ./p\nf() { if [ $A ]; then a; else srun -n 8 ./b; fi; }\nf\ntime if a; then b; else c; fi", [4, 8]),
        ("srun -n 4 ./p\nif [ $A ]; then if [ $B ]; then a; else b; fi; else srun -n 8 ./c; fi", [4, 8]),
    ],
)
def test_of_launches_that_a_condition_chooses_from_none_is_the_run(lines: str, sizes: list[int | None]) -> None:
    evidence = read(f"#!/bin/bash\n#SBATCH -N 4\n{lines}\n")
    (job,) = evidence.of(JobContext)
    assert [launch.ranks for launch in job.launches] == sizes
    noted = [p for p in evidence.problems if "which one ran" in p.message]
    assert bool(noted) is any(launch.undecided for launch in job.launches)


@pytest.mark.parametrize(
    ("lines", "differ"),
    [
        ("#SBATCH -N 4\nsrun --ntasks-per-node=8 ./a || srun --ntasks-per-node=16 ./a", True),
        ("srun --ntasks-per-node=8 ./a || srun --ntasks-per-node=16 ./a", True),
        ("if [ $A ]; then srun -N 4 ./a; else srun ./a; fi", True),
        ("srun --ntasks-per-node=16 ./a || srun --ntasks-per-node=16 ./a", False),
        ("#SBATCH -N 4\nsrun --ntasks-per-node=16 ./a || srun -n 64 ./a", False),
        ("#SBATCH -N 4\nsrun -N 4 ./a || srun ./a", False),
    ],
)
def test_launches_of_which_no_line_says_the_ranks_differ_by_what_they_say(lines: str, differ: bool) -> None:
    evidence = read(f"#!/bin/bash\n{lines}\n")
    (job,) = evidence.of(JobContext)
    assert [launch.undecided for launch in job.launches] == [differ] * 2
    assert any("which one ran" in p.message for p in evidence.problems) is differ


@pytest.mark.parametrize("line", ["if [ $A ]; then srun -n {0} ./a", "if [ $A ]; then srun -n {0} ./a; fi"])
def test_conditions_without_an_end_are_as_soon_read_as_others(line: str) -> None:
    """A launch keeps a number of those that it is within, and each is looked at with its own launches alone."""
    launches = script("\n".join(line.format(n) for n in range(4, 1000))).launches
    assert [launch.ranks for launch in launches] == list(range(4, 1000))


@pytest.mark.parametrize(
    "chosen",
    ["if [ $A ]; then\n P=./a\nelse\n P=./b\nfi", "if ( $A ) then\n set P = ./a\nelse\n set P = ./b\nendif"],
)
def test_of_programs_that_a_condition_chooses_from_none_is_named(chosen: str) -> None:
    (launch,) = script(f"{chosen}\nsrun -n 4 $P\n").launches
    assert (launch.ranks, launch.program) == (4, "$P")
