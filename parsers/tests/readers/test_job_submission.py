"""What a scheduler makes of a script: which of its directives hold, and scripts that scripts submit."""

from __future__ import annotations

import pytest
from stats_text import codes, read

from iotriage_parsers.evidence import Evidence, JobContext
from iotriage_parsers.readers.job_context.reckoning import reckoned


def job(text: str) -> JobContext:
    return only(read(text))


def only(evidence: Evidence) -> JobContext:
    (context,) = evidence.of(JobContext)
    return context


def test_of_two_directives_of_slurm_the_last_holds_and_of_pbs_the_first() -> None:
    slurm = job("#!/bin/bash\n#SBATCH -N 2 -t 10\n#SBATCH --nodes=4\n#SBATCH -t 20\nsrun ./a\n")
    assert (slurm.nnodes, slurm.time_limit_s) == (4, 1200)
    pbs = job("#!/bin/bash\n#PBS -l walltime=00:10:00\n#PBS -l walltime=00:20:00\nmpiexec -n 4 ./a\n")
    assert pbs.time_limit_s == 600


@pytest.mark.parametrize(
    ("directives", "nodes", "ranks", "per_node"),
    [
        ("#SBATCH -N2 -n 64\n#SBATCH hetjob\n#SBATCH -N 4 --ntasks=256", 6, 320, None),
        ("#SBATCH -N1 -n8\n#SBATCH packjob\n#SBATCH -N16 -n512\n#SBATCH packjob\n#SBATCH -N1 -n8", 18, 528, None),
        ("#SBATCH -N2 --ntasks-per-node=8\n#SBATCH hetjob\n#SBATCH -N4 --ntasks-per-node=8", 6, None, 8),
        ("#SBATCH -N2\n#SBATCH hetjob\n#SBATCH -n 256", None, None, None),
    ],
)
def test_the_components_of_a_job_are_counted_together(
    directives: str, nodes: int | None, ranks: int | None, per_node: int | None
) -> None:
    found = job(f"#!/bin/bash\n#SBATCH -p small -t 30\n{directives} -p large\nsrun ./a : ./b\n")
    assert (found.nnodes, found.ntasks, found.ranks_per_node) == (nodes, ranks, per_node)
    assert (found.partition, found.time_limit_s) == ("small", 1800)


@pytest.mark.parametrize(
    "before", ["module load cray-mpich", "srun \\\n  -n 4 \\\n  ./pre", "export A=1", "app=demo", "set -x", "cd /work"]
)
def test_a_directive_behind_the_first_command_holds_nothing(before: str) -> None:
    evidence = read(f"#!/bin/bash\n#SBATCH -N 4\n\n{before}\n#SBATCH -N 8\nsrun -n 64 ./a\n")
    assert only(evidence).nnodes == 4
    (note,) = [p for p in evidence.problems if "behind the first command, on line 4" in p.message]
    assert (note.code, note.loses_data) == ("note", False)


def test_a_directive_behind_the_first_command_of_a_job_that_is_submitted_holds_nothing() -> None:
    inner = "#!/bin/bash\n#SBATCH -N 4\nmodule load x\n#SBATCH -N 8\nsrun -n 64 ./a\n"
    evidence = read(f"#!/bin/bash\nsbatch <<EOF\n{inner}EOF\n")
    assert only(evidence).nnodes == 4
    assert [p.line for p in evidence.problems if "behind the first command, on line 5" in p.message] == [6]


def test_lsf_reads_its_directives_wherever_they_stand() -> None:
    assert job("#!/bin/bash\n#BSUB -n 8\nmodule load x\n#BSUB -W 10\nmpirun ./a\n").time_limit_s == 600


INNER = """#!/bin/bash
#SBATCH -N {nodes}
#SBATCH --time=30
export MPICH_MPIIO_STATS=1
srun \\
  -n 128 \\
  ./sea
cat > note.txt << INNER
srun -n 1 ./none
INNER
"""


@pytest.mark.parametrize(
    "script",
    [
        "#!/bin/bash\nsbatch <<EOF\n{}EOF\n",
        "#!/bin/bash\nNODES=4\nfor i in 1 2; do\ncat << EOF | sbatch --parsable\n{}EOF\ndone\n",
        "#!/bin/bash\ncat > run.slurm <<'EOF'\n{}EOF\nsbatch run.slurm\n",
        "#!/bin/bash\ncat > run.slurm <<'EOF'\n{}EOF\nsbatch <run.slurm\n",
        "#!/bin/bash\ncat > jobs/run.slurm <<'EOF'\n{}EOF\nID=$(sbatch --parsable ./jobs/run.slurm)\n",
        "#!/bin/bash\nmodule load python\ncat > run.slurm <<'EOF'\n{}EOF\nsbatch run.slurm\n",
        "#!/bin/bash\nmodule load python\nsbatch <<'EOF'\n{}EOF\n",
    ],
)
def test_a_script_that_writes_and_submits_another_is_that_one(script: str) -> None:
    nodes = "$NODES" if "NODES=4" in script else "4"
    found = job(script.format(INNER.format(nodes=nodes)))
    assert (found.scheduler, found.nnodes, found.time_limit_s) == ("slurm", 4, 1800)
    assert [(launch.ranks, launch.program) for launch in found.launches] == [(128, "./sea")]
    assert [(setting.name, setting.value) for setting in found.environment] == [("MPICH_MPIIO_STATS", "1")]


@pytest.mark.parametrize(
    ("submits", "asked", "set_by"),
    [
        ("cat > j <<E\n{}E\nsbatch -N 8 --ntasks=512 --export=ALL,A_X=1 j -N 2\n", (8, 512, 300), "SBATCH"),
        ("sbatch --nodes=8 -n 512 <<E\n{}E\n", (8, 512, 300), "SBATCH"),
        ("cat <<E | sbatch --nodes=8 -n 512 -t 10\n{}E\n", (8, 512, 600), "SBATCH"),
        ("cat > j <<E\n{}E\nID=$(sbatch --parsable -N 8 -n 512 j)\n", (8, 512, 300), "SBATCH"),
        ("cat > j <<E\n{}E\nsbatch --parsable j\n", (4, 128, 300), "SBATCH"),
        ("cat > j <<E\n{}E\nqsub -l select=8:mpiprocs=64 -v X=1 j\n", (8, 512, 300), "PBS"),
    ],
)
def test_what_a_job_is_submitted_with_goes_before_its_directives(
    submits: str, asked: tuple[int, int, int], set_by: str
) -> None:
    inner = {
        "SBATCH": "#SBATCH -N 4 -n 128\n#SBATCH -t 5\nsrun ./sea\n",
        "PBS": "#PBS -l select=4:mpiprocs=32\n#PBS -l walltime=300\nmpiexec ./sea\n",
    }
    found = job("#!/bin/bash\nmodule load x\n" + submits.format(inner[set_by]))
    assert (found.nnodes, found.ntasks, found.time_limit_s) == asked
    assert [launch.program for launch in found.launches] == ["./sea"]


def test_without_directives_a_job_has_what_it_is_submitted_with() -> None:
    found = job("#!/bin/bash\ncat > j <<E\n#!/bin/bash\nsrun ./sea\nE\nsbatch -N 4 -n 256 j\n")
    assert (found.scheduler, found.nnodes, found.ntasks) == ("slurm", 4, 256)


@pytest.mark.parametrize(
    "submits",
    [
        "cat > {0}.sh <<EOF\n#!/bin/bash\n#SBATCH -N {1}\nsrun -n {1} ./{0}\nEOF\nsbatch {0}.sh\n",
        "sbatch <<EOF\n#SBATCH -N {1}\n#SBATCH -t 5\nsrun -n {1} ./{0}\nEOF\n",
        "sbatch <<EOF\n#SBATCH -N {1}\nsrun -n {1} ./{0}\nexit 0\nEOF\n",
        "sbatch -N {1} --wrap 'srun -n {1} ./{0}'\n",
    ],
)
def test_of_several_jobs_that_a_script_submits_the_first_is_read_and_the_others_named(submits: str) -> None:
    evidence = read("#!/bin/bash\nml x\n" + submits.format("a", 4) + submits.format("b", 8))
    assert (only(evidence).nnodes, [launch.program for launch in only(evidence).launches]) == (4, ["./a"])
    (note,) = evidence.problems
    assert "submits another job" in note.message


def test_a_comment_of_a_job_that_is_submitted_goes_on_in_no_other_line() -> None:
    submitted = "#!/bin/bash\n#SBATCH -N 2\n# of the node \\\nsrun -n 8 \\\n  ./plume\n"
    launches = job(f"#!/bin/bash\nsbatch <<'EOF'\n{submitted}EOF\n").launches
    assert [(one.program, one.ranks, one.line) for one in launches] == [("./plume", 8, 6)]


@pytest.mark.parametrize(("word", "is_hidden"), [("EOF", True), ("'EOF'", False)])
@pytest.mark.parametrize("submits", ["sbatch <<{}\n{}EOF\n", "cat > run.sh <<{}\n{}EOF\nsbatch run.sh\n"])
def test_a_job_whose_last_line_goes_on_is_read(submits: str, word: str, is_hidden: bool) -> None:
    """Behind a backslash a shell does not see the end of a document whose word is not quoted."""
    inner = "#SBATCH --nodes=2\n#SBATCH --time=5\nsrun -n 8 ./a --steps 10 \\\n"
    evidence = read("#!/bin/bash\n" + submits.format(word, inner))
    (found,) = evidence.of(JobContext)
    assert [(one.ranks, one.program) for one in found.launches] == [(8, "./a")]
    assert any("hides the end of the here-document" in p.message for p in evidence.problems) == is_hidden


def test_a_job_whose_document_has_no_end_is_given_on_as_far_as_it_goes() -> None:
    evidence = read("#!/bin/bash\nsbatch <<EOF\n#SBATCH --nodes=2\n#SBATCH --time=5\nsrun -n 8 ./a\n")
    (found,) = evidence.of(JobContext)
    assert ([one.ranks for one in found.launches], found.complete) == ([8], False)
    assert "truncated" in codes(evidence)


def test_what_a_job_submits_is_another_job() -> None:
    found = job(
        f"#!/bin/bash\n#SBATCH -N 1\nsrun -n 1 ./pre\nsbatch <<EOF\n{INNER.format(nodes=64)}EOF\nsrun -n 2 ./b\n"
    )
    assert found.nnodes == 1
    assert [launch.program for launch in found.launches] == ["./pre", "./b"]


def test_a_variable_that_is_exported_by_its_name_has_its_value() -> None:
    lines = (
        "MPICH_MPIIO_TIMERS=1",
        'HINTS="*:cb_nodes=4"',
        "export MPICH_MPIIO_TIMERS FI_UNKNOWN",
        "MPICH_MPIIO_STATS=1",
    )
    found = job("\n".join(("#!/bin/bash", *lines, "srun -n 4 ./a", "")))
    assert [(setting.name, setting.value) for setting in found.environment] == [("MPICH_MPIIO_TIMERS", "1")]


@pytest.mark.parametrize(
    ("line", "ranks", "per_node"),
    [
        ("aprun -n 128 -N 16 --cc depth -F exclusive -t 3600 -D 7 ./sea", 128, 16),
        ("aprun -n 64 -N 16 -ss -cp 0-3 -r 1 ./sea", 64, 16),
        ("srun -n 64 -W 0 --profile task --acctg-freq 30 -B 2:8:1 -L lic ./sea", 64, None),
        ("srun --kill-on-bad-exit --ntasks 64 --gpu-bind closest --network no_vni ./sea", 64, None),
        ("mpirun -n 64 --rankfile rf --timeout 100 --output-filename out ./sea", 64, None),
        ("mpirun -c 64 -npersocket 4 -cpus-per-proc 2 -wd /x ./sea", 64, None),
        ("mpiexec.hydra -n 64 -ppn 8 -bootstrap slurm -outfile-pattern o.txt ./sea", 64, 8),
        ("mpirun -n 64 -d -s ./sea", 64, None),
        ("mpiexec -n 64 --ppn 8 -d 8 ./sea", 64, 8),
        ("mpiexec -n 64 -ppn 8 -d $NDEPTH ./sea", 64, 8),
        ("mpiexec.hydra -s all -n 64 ./sea", 64, None),
        ("mpirun_rsh -np 64 -hostfile hosts MV2_ENABLE_AFFINITY=0 ./sea", 64, None),
        ("jsrun --stdio_stdout out -n 8 -a 4 -K 2 --latency_priority cpu-cpu ./sea", 32, None),
        ("flux mini run -n 64 --env-remove X -l --add-file a=b ./sea", 64, None),
        ("mpiexec -stdout-proc ./out/%j --of-proc run.out -n 64 ./sea", 64, None),
        ("jsrun\\\n  --nrs 32\\\n  --tasks_per_rs 2\\\n  ./sea", 64, None),
        ("srun -n $(( $SLURM_NNODES * 64 )) ./sea", None, None),
        ('srun -n $(echo "$SLURM_NNODES*32" | bc) ./sea', None, None),
        ("mpirun -np `expr 4 \\* 16` ./sea", None, None),
    ],
)
def test_what_an_option_takes_is_no_program(line: str, ranks: int | None, per_node: int | None) -> None:
    (found,) = job(f"#!/bin/bash\n#SBATCH -N 4\n{line} in.nml\n").launches
    assert (found.ranks, found.ranks_per_node, found.program) == (ranks, per_node, "./sea")


def test_what_is_added_to_a_variable_before_it_is_exported() -> None:
    sets = 'MPICH_MPIIO_HINTS="*:cb_nodes=4"\nMPICH_MPIIO_HINTS+=":striping_factor=8"\nexport MPICH_MPIIO_HINTS\n'
    found = job(f"#!/bin/bash\n#SBATCH -N 4\n{sets}srun -n 4 ./a\n")
    assert [setting.value for setting in found.environment] == ["*:cb_nodes=4:striping_factor=8"]
    unknown = job("#!/bin/bash\n#SBATCH -N 4\nread MPICH_MPIIO_HINTS\nexport MPICH_MPIIO_HINTS\nsrun -n 4 ./a\n")
    assert [setting.value for setting in unknown.environment] == ["$MPICH_MPIIO_HINTS"]


def test_what_the_shell_reckons_from_what_is_known() -> None:
    lines = (
        "N=4",
        "P=32",
        "T=$(( N * ${P} ))",
        'export MPICH_MPIIO_HINTS="*:cb_nodes=$((N*2 + 1)):striping_factor=$((X*2))"',
        "srun -n $T ./a",
        "srun -n $((N*P/2)) ./b",
        "srun -n $((SLURM_NNODES*P)) ./c",
        "for P in 1 2; do srun -n $((N*P)) ./d; done",
    )
    found = job("\n".join(("#!/bin/bash", "#SBATCH -N 4", *lines, "")))
    assert [launch.ranks for launch in found.launches] == [128, 64, None, None]
    assert found.environment[0].value == "*:cb_nodes=9:striping_factor=$((X*2))"


@pytest.mark.parametrize(
    ("text", "number"),
    [("2*3-4*2", -2), (" 68 / 3 ", 22), ("7%4*2", 6), ("1+2+3", 6), ("4", 4), ("4*", None), ("*4", None), ("4/0", None),
     ("010", None), ("4 4", None), ("2**3", None), ("(72-4) / 4", 17), ("2*((1+2)*3)", 18), ("(2", None),
     ("", None), ("n+1", None)],
)  # fmt: skip
def test_reckoning(text: str, number: int | None) -> None:
    assert reckoned(text) == number


@pytest.mark.parametrize(("sets", "ranks"), [("N=1+1", None), ("N=6/3", None), ("N=2", 4)])
def test_what_a_name_holds_is_reckoned_before_what_stands_beside_it(sets: str, ranks: int | None) -> None:
    (launch,) = job(f"#!/bin/bash\n#SBATCH -N 4\n{sets}\nsrun -n $((N*2)) ./a\n").launches
    assert launch.ranks == ranks


def test_the_long_names_of_pjsubs_options() -> None:
    given = ('--rsc-list "node=4x2"', '--rsc-list "elapse=01:00:00,rscgrp=small"', "--name sea")
    found = job("#!/bin/bash\n" + "".join(f"#PJM {one}\n" for one in given) + "mpiexec -n 16 ./sea\n")
    assert (found.nnodes, found.time_limit_s, found.partition, found.job_name) == (8, 3600, "small", "sea")


@pytest.mark.parametrize(
    ("line", "modules"),
    [
        ("module load cray-hdf5 darshan/3.4", [("load", ("cray-hdf5", "darshan/3.4"))]),
        ("module -q load darshan", [("load", ("darshan",))]),
        ("module --force purge", [("purge", ())]),
        ("module sw PrgEnv-cray PrgEnv-gnu", [("swap", ("PrgEnv-cray", "PrgEnv-gnu"))]),
        ("module try-load darshan", [("load", ("darshan",))]),
        ("ml darshan -xalt cray-hdf5", [("unload", ("xalt",)), ("load", ("darshan", "cray-hdf5"))]),
        ("ml load darshan", [("load", ("darshan",))]),
        ("ml purge; ml gcc/12", [("purge", ()), ("load", ("gcc/12",))]),
        ("ml avail hdf5; ml spider x; ml; ml list", []),
        ("module list", []),
    ],
)
def test_lines_that_load_modules(line: str, modules: list[tuple[str, tuple[str, ...]]]) -> None:
    found = job(f"#!/bin/bash\n#SBATCH -N 4\n{line}\nsrun -n 4 ./sea\n")
    assert [(one.action, one.names) for one in found.modules] == modules


def test_what_a_trace_shows_was_so_whatever_it_depended_on() -> None:
    lines = ("case $M in", "export MPICH_MPIIO_STATS=0", "srun -n 4 ./a", "export MPICH_MPIIO_STATS=1", "srun -n 8 ./b")
    found = job("".join(f"+ {line}\n" for line in lines))
    assert [setting.value for setting in found.environment] == ["0", "1"]


def test_directives_of_flux_and_of_grid_engine_as_they_are_also_written() -> None:
    flux = job("#!/bin/bash\n# flux:--nodes=4\n#flux: -t 30m\nflux run -n 8 ./sea\n")
    assert (flux.nnodes, flux.time_limit_s) == (4, 1800)
    assert job("#!/bin/bash\n#$ -pe orte 64\n#$ -N sea\nmpirun ./sea\n").ntasks == 64
