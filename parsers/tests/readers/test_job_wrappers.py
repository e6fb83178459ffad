"""Launches behind, or within, commands that only start another one."""

from __future__ import annotations

import pytest
from job_context_text import only
from stats_text import block, codes, message, read

from iotriage_parsers.evidence import JobContext, Launch
from iotriage_parsers.readers.job_context.script import LONGEST_WRAPPED

HEAD = "#!/bin/bash\n#SBATCH --nodes=4\n"


def launches(*lines: str) -> tuple[Launch, ...]:
    (context,) = read(HEAD + "".join(f"{line}\n" for line in lines)).of(JobContext)
    return context.launches


@pytest.mark.parametrize(
    ("line", "ranks", "program"),
    [
        ("numactl --interleave=all srun -n 32 ./app in.nml", 32, "./app"),
        ("numactl -i all srun -n 32 ./app in.nml", 32, "./app"),
        ("srun -n 32 numactl --cpunodebind=0 -m 0 ./app in.nml", 32, "./app"),
        ("srun -n 32 taskset -c 0-3 ./app", 32, "./app"),
        ('bash -c "srun -n 16 ./app"', 16, "./app"),
        ("bash -lc 'cd run; ulimit -s unlimited && srun -n 16 ./app'", 16, "./app"),
        ("srun -n 32 bash -c './app in.nml'", 32, "./app"),
        ("srun -n 32 bash -c 'export A=\"x;y\"; exec ./app in.nml'", 32, "./app"),
        ("srun -n 8 ./select_gpu ./app -x 1", 8, "./app"),
        ("srun -n 8 /opt/site/bin/set_affinity_gpu.sh ./app -x 1", 8, "./app"),
        ("srun -n 8 ./select_gpu <executable>", 8, "./select_gpu"),
        ("srun -n 8 ./wrapped_model ./input.nml", 8, "./wrapped_model"),
        ("srun -n 8 ./bind", 8, "./bind"),
        ("/usr/bin/time -v srun -n 8 ./app", 8, "./app"),
        ("timeout -k 30 3600 srun -n 8 ./app", 8, "./app"),
        ("stdbuf -oL srun -n 4 ./app | tee log", 4, "./app"),
        ("srun -n 8 env -u PYTHONPATH LD_PRELOAD=/opt/libdarshan.so ./app", 8, "./app"),
        ("srun -n 8 singularity exec -B /work image.sif ./app -q", 8, "./app"),
        ("srun -n 8 singularity exec $BIND_ARGS image.sif ./app -q", 8, "./app"),
        ("srun -n 8 shifter --image=docker:x ./app", 8, "./app"),
        ("mpirun -np 8 gdb --args ./app", 8, "./app"),
        ("mpirun_rsh -np 4 n0 n0 n1 n1 MV2_X=1 ./app in.nml", 4, "./app"),
        ("mpirun_rsh -np 2 n0 n1 app in.nml", 2, "app"),
        ("mpirun_rsh -np 2 ./app in.nml out.nc", 2, "./app"),
        ("mpirun_rsh -np 2 MV2_X=1 MV2_Y=1 ./app", 2, "./app"),
        ("mpirun_rsh -np 4 -hostfile hosts MV2_X=1 ./app a b c d e", 4, "./app"),
        ("mpirun -np 8 numactl", 8, "numactl"),
        ("mpiexec_mpt -n 8 dplace -s1 ./app run.conf", 8, "./app"),
        ("srun -n 8 hpcrun -e CYCLES -o out ./app", 8, "./app"),
        ("out=$(srun -n 4 ./app)", 4, "./app"),
        ("srun -n 8 bash run_case.sh 3", 8, "run_case.sh"),
        ("srun -n 8 -N {{ nodes }} {{ exe }} in.nml", 8, "{{exe}}"),
    ],
)
def test_the_launch_and_its_program(line: str, ranks: int, program: str) -> None:
    (found,) = launches(line)
    assert (found.ranks, found.program, found.text, found.line) == (ranks, program, line, 3)


@pytest.mark.parametrize("before", ["", "> ", "      ", "0: ", "| "])
def test_a_word_that_goes_on_below_does_so_behind_what_a_mail_puts_there(before: str) -> None:
    lines = ("#!/bin/bash", "#SBATCH -N 1", "mpirun -np 4 apptainer exec --bind /a:/b,\\", "/c:/d \\", "x.sif ./a")
    (found,) = read("".join(f"{before}{line}\n" for line in lines)).of(JobContext)[0].launches
    assert (found.ranks, found.program) == (4, "./a")


@pytest.mark.parametrize("prompt", ["", "$ "])
@pytest.mark.parametrize("given", ['--wrap "{}" -N 2', "--wrap='{}' -N 2", '-N 2 \\\n  --wrap="{}"'])
def test_a_job_that_one_line_submits(prompt: str, given: str) -> None:
    line = f"{prompt}sbatch -t 10:00 {given.format('export MPICH_MPIIO_STATS=1; srun -n 64 ./wave in.nml')}\n"
    (context,) = read(f"I submit with\n\n{line}\nand it is slow.\n").of(JobContext)
    assert (context.scheduler, context.nnodes, context.time_limit_s) == ("slurm", 2, 600)
    assert [(found.ranks, found.program) for found in context.launches] == [(64, "./wave")]
    assert [(found.name, found.value) for found in context.environment] == [("MPICH_MPIIO_STATS", "1")]
    (of_another,) = read(f"#!/bin/bash\n#SBATCH -N 8\nsrun ./model\n{line}").of(JobContext)
    assert (of_another.nnodes, [found.program for found in of_another.launches]) == (8, ["./model"])


def test_a_wrapper_that_the_script_writes_itself() -> None:
    (found,) = launches(
        "cat << EOF > pick_one", "#!/bin/bash", r"exec \$*", "EOF", "srun -n 8 ./pick_one ./app 3",
    )  # fmt: skip
    assert found.program == "./app"


def test_a_script_that_names_the_program_itself() -> None:
    (found,) = launches(
        "cat > wrap.sh <<'EOF'", "#!/bin/bash", 'exec ./app "$@"', "EOF", "srun -n 8 ./wrap.sh in.nml",
    )  # fmt: skip
    assert found.program == "./app"


def test_a_launch_in_a_script_that_is_written_and_called() -> None:
    lines = ("cat > go.sh <<X", "srun -n 64 ./app", "X", "bash go.sh", "bash go.sh")
    (found,) = launches(*lines)
    assert (found.ranks, found.program, found.line) == (64, "./app", 4)
    assert launches(*lines[:3]) == ()


def test_scripts_that_call_one_another_without_end() -> None:
    bodies = [line for n in range(5) for line in (f"cat > s{n}.sh <<X", *[f"./s{k}.sh" for k in range(5)] * 20, "X")]
    assert launches(*bodies, "./s0.sh", "srun -n 2 ./app")[0].ranks == 2


@pytest.mark.parametrize("line", ["./run.sh", "bash launch.sh big.nml", "sh ./launch.sh"])
def test_a_script_that_is_called_and_not_given_is_named(line: str) -> None:
    answer = read(f"{HEAD}{line}\n")
    assert codes(answer) == ["note"]
    assert line.removeprefix("bash ").removeprefix("sh ").split()[0] in message(answer, "note")
    assert "give that file too" in message(answer, "note")
    assert codes(read(f"{HEAD}./setup.sh\nsrun -n 2 ./app\n")) == []


def test_a_script_that_a_mail_quotes_with_bars_is_read_and_a_table_of_commands_is_none() -> None:
    lines = ("#!/bin/bash", "#SBATCH --nodes=4", "export MPICH_MPIIO_STATS=1", "srun -n 8 ./a")
    (found,) = read("Jane wrote:\n" + "".join(f"| {line}\n" for line in lines)).of(JobContext)
    assert (found.nnodes, found.launches[0].ranks, found.environment[0].value) == (4, 8, "1")
    table = "".join(f"| {line} | what it does |\n" for line in lines[1:])
    assert read(table + block()).of(JobContext) == ()


def test_a_launch_that_a_mail_program_broke_has_its_program() -> None:
    options = "srun -n 32 --hint=nomultithread --distribution=block:block --cpu-bind=cores"
    for lines in (
        (options, "./app in.nml"),
        ("srun -n 32 --hint=nomultithread --cpu-bind=cores", "--distribution=block:block ./app in.nml"),
        ("srun -n 32", f"/work/project/{'bin/' * 12}app in.nml"),
        (options, "--mem-bind=local --export=ALL --exclusive --kill-on-bad-exit=1 --exact", "./app in.nml"),
    ):
        (found,) = launches(*lines)
        assert (found.ranks, (found.program or "").endswith("app"), found.line) == (32, True, 3)
    (app,) = launches("srun --version", "./app", "srun -n 8 ./app")
    assert app.program == "./app"
    assert launches("srun --multi-prog -n 8 --hint=nomultithread --distribution=block", "./after.sh")[0].program is None


def test_lines_that_go_on_without_end_are_not_read_again_each_time() -> None:
    options = "--cpu-bind=cores --distribution=block:block --hint=nomultithread\n"
    (found,) = launches("srun -n 32 --hint=nomultithread --distribution=block:block", *[options.strip()] * 20_000)
    assert len(found.text) <= LONGEST_WRAPPED + len(options)


@pytest.mark.parametrize(
    ("lines", "ranks", "program"),
    [
        ('OPTS="-np 64 --map-by ppr:16:node"\nmpirun $OPTS ./a', 64, "./a"),
        ('N=8\nMPI="-n $N --ppn 4"\nOMP="--env A=1"\nmpiexec ${MPI} ${OMP} ./a', 8, "./a"),
        ('ARGS=(-n 4 -N 2)\nsrun "${ARGS[@]}" ./a', 4, "./a"),
        ("mpirun -np 4 $SITE_OPTS ./a", 4, "./a"),
        ("mpirun ${MPI_ARGS[@]} ./a", None, "./a"),
        ("(cd run; srun -n 16 ./a)", 16, "./a"),
        ("time -p srun -n 16 ./a | tee log", 16, "./a"),
        ("until srun -n 16 ./a; do sleep 1; done", 16, "./a"),
        ("`which mpirun` -np 16 ./a", 16, "./a"),
        ("$(command -v mpiexec) -n 16 ./a", 16, "./a"),
        ('srun "-n" "16" "./a"', 16, "./a"),
        ("scan -q srun -n 16 ./a", 16, "./a"),
        ("map --profile srun -n 16 ./a", 16, "./a"),
        ("srun -n 16 ./map in.nml", 16, "./map"),
        ("srun -n 16 numactl -l /proj/bin/scan data.nc", 16, "/proj/bin/scan"),
        ("srun -n 16 ./time in.nml", 16, "./time"),
        ("srun -n 16 $TARGET in.nml", 16, "$TARGET"),
        ("srun -n 16 ${LARGE_EXE} in.nml", 16, "${LARGE_EXE}"),
        ("srun -n 16 singularity exec image.sif $BINDIR in.nml", 16, "$BINDIR"),
        ("mpirun -np 16 $MPIARGS2 ./a in.nml", 16, "./a"),
        ('launch() {\n srun -n 16 "$@"\n}\nlaunch ./a', 16, None),
        ("EXE=./a\nmpirun -np 4 $EXE in.nml", 4, "./a"),
        ("set RUN = 'mpiexec -np 108'\nset EXE = ./a\n${RUN} $EXE", 108, "./a"),
        ('set OPTS = "-np 64 --map-by ppr:16:node"\nmpirun $OPTS ./a', 64, "./a"),
        ('readonly MPI="srun -n 16"\n$MPI ./a', 16, "./a"),
        ('X="-n 4"\nX="-n 8"\nmpirun $X ./a', None, "$X"),
        ("mpiexec --version\nmpiexec -n $N --ppn 16 ./a", None, "./a"),
        ('srun -n 4 bash -c "T=\\`date +%s | cut -b1-9\\` python3 a.py"', 4, "python3"),
        ('srun -n 4 bash -c "A=\\$(date) ./a"', 4, "./a"),
        ("mpirun -np 4 apptainer exec --bind /a:/b,\\\n/c:/d \\\n/sw/x.sif ./a", 4, "./a"),
        ("mpirun -np 4\\\n-x A ./a", 4, "./a"),
        ("X=4\nN=$(( (72-${X}) / ${X} ))\nmpirun -np $N ./a : -np $X ./b", 21, "./a"),
        ("mpirun -np $N ./a : -np 4 ./b", None, None),
        ("mpirun -np $N ./a : -np 4 ./a", None, "./a"),
        ("let N=64*2\nsrun -n $N ./a", 128, "./a"),
        ("M=3\nlet N=$M*(2+2)\nsrun -n $N ./a", 12, "./a"),
        ("N=1\nlet N=N+1\nsrun -n $N ./a", None, "./a"),
        ("ccc_mprun -f mpmd.conf", None, None),
        ("srun -n 4 podman-hpc run --rm -v /a:/b img ./a", 4, "./a"),
        ("srun -n 4 ch-run -b /a img -- ./a", 4, "./a"),
        ("srun -n 4 conda run -n env ./a", 4, "./a"),
    ],
)
def test_launches_as_scripts_put_them_together(lines: str, ranks: int | None, program: str | None) -> None:
    (found,) = launches(lines)
    assert (found.ranks, found.program) == (ranks, program)


BODY = ("export MPICH_MPIIO_STATS=1", "module load x", "lfs setstripe -c 4 out", "srun -n 4 ./b")


@pytest.mark.parametrize(
    ("head", "end"), [(("f() {",), "}"), (("function f {",), "}"), (("function f() {",), "}"), (("f ()", "{"), "}")]
)
@pytest.mark.parametrize("calls", ["f", "time f in.nml", "trap f EXIT", "[ -z $A ] && f", "srun bash -c f", None])
def test_what_a_function_has_is_carried_out_where_something_calls_it(
    head: tuple[str, ...], end: str, calls: str | None
) -> None:
    lines = (*head, *BODY, 'if a; then echo "${X:-{}"; fi', end, *([] if calls is None else [calls]), "srun -n 8 ./a")
    evidence = read(HEAD + "".join(f"{line}\n" for line in lines))
    (job,) = evidence.of(JobContext)
    programs = [found.program for found in job.launches]
    if calls is None:
        assert (programs, job.environment, job.modules, job.stripe_commands) == (["./a"], (), (), ())
        assert message(evidence, "note") == "line 3: nothing calls f(): what stands in it is left out"
    else:
        assert "./b" in programs
        assert (len(job.environment), len(job.modules), len(job.stripe_commands)) == (1, 1, 1)
        assert not any("nothing calls" in p.message for p in evidence.problems)


def test_a_function_on_one_line_sets_what_it_says() -> None:
    for define in (
        "f() {{ {0}; }}\nf",
        "function f {{ {0}; }}\nf",
        "f() {{ {0}; }}; f",
        "f() {{ {0}; }}\ng() {{ f; }}\ng",
    ):
        given = HEAD + define.format("export MPICH_MPIIO_STATS=1") + "\nsrun -n 8 ./a\n"
        (job,) = read(given).of(JobContext)
        assert [(one.name, one.value) for one in job.environment] == [("MPICH_MPIIO_STATS", "1")]


@pytest.mark.parametrize("calls", ["f() {\nprepare\n}", "f() { prepare; }", "f() {\ng\n}\ng() {\nf\nprepare\n}"])
def test_what_is_called_only_where_nothing_is_carried_out_is_not(calls: str) -> None:
    given = f"{HEAD}prepare() {{\nexport MPICH_MPIIO_STATS=1\n}}\n{calls}\nsrun -n 8 ./a\n"
    assert read(given).of(JobContext)[0].environment == ()


@pytest.mark.parametrize("calls", ['"$@"', "$1 $2", "set_$SYSTEM", "set_${SYSTEM}"])
def test_which_function_is_called_may_be_said_by_a_variable(calls: str) -> None:
    given = f"{HEAD}set_lumi() {{\nexport MPICH_MPIIO_STATS=1\n}}\n{calls}\nsrun -n 8 ./a\n"
    assert len(read(given).of(JobContext)[0].environment) == 1


def test_functions_that_another_script_calls_are_kept() -> None:
    (found,) = launches("run() {", "srun -n 8 ./a", "}")
    assert found.program == "./a"


@pytest.mark.parametrize("runs", ['exec "$@"', "$*", './b "$@"'])
def test_what_a_wrapper_exports_holds_for_the_program(runs: str) -> None:
    lines = ["export MPICH_MPIIO_STATS=1", "if [ $SLURM_LOCALID = 0 ]; then", "export FI_OFI_X=1", "fi"]
    lines += ["[ -n $A ] && export FI_OFI_Y=1", "FI_OFI_Z=1", runs]
    written = "\n".join(["cat > wrap.sh <<'EOF'", *lines, "EOF", "chmod +x wrap.sh"])
    text = f"#!/bin/bash\n#SBATCH --nodes=2\n{written}\n"
    job = only(f"{text}srun -n 8 ./wrap.sh ./a\n")
    assert [(e.name, e.value, e.line) for e in job.environment] == [("MPICH_MPIIO_STATS", "1", 4)]
    assert only(f"{text}srun -n 8 ./a\n").environment == ()


@pytest.mark.parametrize(
    ("above", "holds"),
    [
        ("say() {\necho\n}", True),
        ("say () {\nif true; then echo; fi\n}", True),
        ("function say\n{\necho\n}", True),
        ("say(){ echo; }", True),
        ("echo {a,b} } )", True),
        ("(\n./prepare\n) > log", True),
        ("for i in 1 2; do if [ $i = 1 ]; then\n./prepare\nfi; done", True),
        ("say() {\necho\n}\nif [ $SLURM_LOCALID = 0 ]; then", False),
        ("never() {", False),
        ("never () {", False),
        ("function never {", False),
        ("(", False),
        ("case $1 in\na)", False),
        ("while :; do if true; then\n:\nfi", False),
    ],
)
def test_what_a_wrapper_exports_in_a_block_of_its_own_is_not_known_to_hold(above: str, holds: bool) -> None:
    wrapper = f"cat > wrap.sh <<'EOF'\n{above}\nexport MPICH_MPIIO_STATS=1\nexec \"$@\"\nEOF\n"
    job = only(f"{HEAD}{wrapper}srun -n 8 ./wrap.sh ./a\n")
    assert [(e.name, e.value) for e in job.environment] == ([("MPICH_MPIIO_STATS", "1")] if holds else [])
