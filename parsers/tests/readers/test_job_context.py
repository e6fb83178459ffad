"""Job scripts, sacct and scontrol; and what is none of them."""

from __future__ import annotations

import pytest
from job_context_text import contexts, only, script
from stats_text import REPOSITORY, codes, message, read

from iotriage_parsers.evidence import JobContext, Launch, Lines
from iotriage_parsers.readers.job_context.launches.launch import launch
from iotriage_parsers.readers.job_context.shell import commands

SAMPLES = REPOSITORY / "sample-logs" / "job_context"


def launched(text: str) -> Launch:
    (words,) = commands(text)
    found = launch(words, 1, text)
    assert found is not None
    return found


def test_the_script_sample() -> None:
    job = only((SAMPLES / "slurm-script" / "plume.slurm").read_text(encoding="utf-8"))
    assert (job.source, job.scheduler, job.job_name, job.job_id) == ("script", "slurm", "plume", None)
    assert (job.nnodes, job.ranks_per_node, job.ntasks, job.time_limit_s) == (2, 128, None, 8400)
    assert (job.partition, job.account, job.line_of("nnodes")) == ("standard", "z19", 3)
    assert job.work_dir == "/mnt/lustre/a2fs-work2/work/z19/z19/auser/plume"
    assert [(e.name, e.value, e.line) for e in job.environment] == [
        ("OMP_NUM_THREADS", "1", 22),
        ("MPICH_MPIIO_STATS", "1", 23),
    ]
    assert [(m.action, m.names) for m in job.modules] == [("load", ("PrgEnv-gnu",)), ("load", ("darshan/3.4.4",))]
    (stripes,) = job.stripe_commands
    assert (stripes.targets, stripes.stripe_count, stripes.stripe_size_bytes, stripes.line) == (("out",), 1, 2**20, 18)
    (started,) = job.launches
    assert (started.launcher, started.ranks, started.nodes, started.program) == ("srun", 256, 2, "./bin/plume")
    assert (started.line, job.lines.last) == (26, 27)


def test_the_sacct_sample() -> None:
    job = only((SAMPLES / "sacct" / "sacct-7204411.txt").read_text(encoding="utf-8"))
    assert (job.source, job.job_id, job.job_name, job.state) == ("sacct", "7204411", "plume", "COMPLETED")
    assert (job.nnodes, job.ntasks, job.elapsed_s, job.time_limit_s) == (2, 256, 7226, 8400)
    assert (job.nodelist, job.partition, job.account) == ("nid[001040-001041]", "standard", "z19")
    assert (job.line_of("ntasks"), job.line_of("nnodes")) == (7, 4)
    assert [(s.step, s.ntasks, s.elapsed_s) for s in job.steps] == [
        ("batch", 1, 7226),
        ("extern", 2, 7226),
        ("0", 256, 7202),
    ]


def test_sacct_parted_by_bars() -> None:
    one, two = read(
        "JobID|JobName|NNodes|NTasks|Elapsed|WorkDir\n11|a|4||1-00:00:10|/w/a b\n11.0|x|4|512|23:59:59|\n"
        "12|b|1||00:10:00|/w\n"
    ).of(JobContext)
    assert (one.job_id, one.nnodes, one.ntasks, one.elapsed_s, one.work_dir) == ("11", 4, 512, 86410, "/w/a b")
    assert (two.job_id, two.nnodes, two.ntasks) == ("12", 1, None)


@pytest.mark.parametrize(
    ("job", "step", "said"),
    [
        ("OUT_OF_MEMORY", "OUT_OF_ME+", "job 11 ran out of memory and was killed, by sacct (OUT_OF_MEMORY)"),
        ("OUT_OF_ME+", "FAILED", "job 11 ran out of memory and was killed, by sacct (OUT_OF_MEMORY)"),
        ("TIMEOUT", "CANCELLED", "job 11 ran into its time limit, by sacct (TIMEOUT)"),
        ("CANCELLED by 2031", "CANCELLED+", "job 11 was cancelled, by sacct (CANCELLED)"),
        ("CANCELLED+", "", "job 11 was cancelled, by sacct (CANCELLED)"),
        ("NODE_FAIL", "NODE_FAIL", "job 11 ended because a node failed, by sacct (NODE_FAIL)"),
        ("COMPLETED", "FAILED", "of job 11 step 0 failed, by sacct"),
        ("RUNNING", "RUNNING", "job 11 had not ended when sacct was asked (RUNNING)"),
        ("CONFIGURI+", "", "job 11 had not ended when sacct was asked (CONFIGURI+)"),
        ("REQUEUE_HOLD", "", "job 11 had not ended when sacct was asked (REQUEUE_HOLD)"),
        ("COMPL+", "", None),
        ("COMPLETED", "COMPLETED", None),
        ("", "", None),
        ("UNHEARD_OF", "X+", None),
    ],
)
def test_how_a_job_ended_is_told(job: str, step: str, said: str | None) -> None:
    rows = f"11|a|4||{job}\n11.batch|batch|1|1|{step}\n11.0|x|4|512|{step}\n"
    notes = [p for p in read(f"JobID|JobName|NNodes|NTasks|State\n{rows}").problems if p.code in ("note", "ended")]
    assert [n.message.split(": ")[0] for n in notes] == ([] if said is None else [said])
    assert not any(n.loses_data for n in notes)


def test_how_scontrol_says_that_a_job_ended() -> None:
    text = "JobId=881 JobName=a\n   JobState={} Reason=None\n   NumNodes=4 NumTasks=256\n   WorkDir=/w/u\n"
    (note,) = read(text.format("TIMEOUT")).problems
    assert (note.code, note.line) == ("ended", 1)
    assert note.message.startswith("job 881 ran into its time limit, by scontrol (TIMEOUT)")
    assert read(text.format("COMPLETED")).problems == ()


def test_what_sacct_cut_is_absent() -> None:
    job = only("JobID           JobName  NNodes\n------------ ---------- -------\n5            a_long_na+       3\n")
    assert (job.job_name, job.nnodes) == (None, 3)


def test_scontrol() -> None:
    job = only(
        "JobId=881 JobName=two words\n   UserId=u(1) GroupId=g(1) MCS_label=N/A\n   JobState=RUNNING Reason=None\n"
        "   RunTime=00:08:49 TimeLimit=1-00:00:00 TimeMin=N/A\n   Partition=main AllocNode:Sid=ln1:77\n"
        "   Account=(null) NodeList=n[1-4]\n   NumNodes=4 NumCPUs=512 NumTasks=256 CPUs/Task=2 ReqB:S:C:T=0:0:*:*\n"
        "   Socks/Node=* NtasksPerN:B:S:C=64:0:*:* CoreSpec=*\n   WorkDir=/w/u\n   StdOut=/w/u/o\n\n"
    )
    assert (job.source, job.job_id, job.job_name, job.state) == ("scontrol", "881", "two words", "RUNNING")
    assert (job.nnodes, job.ntasks, job.ranks_per_node, job.elapsed_s) == (4, 256, 64, 529)
    assert (job.time_limit_s, job.account, job.work_dir, job.nodelist) == (86400, None, "/w/u", "n[1-4]")
    assert job.line_of("nnodes") == 7


def test_scontrol_on_one_line_and_cut() -> None:
    assert only("JobId=5 JobName=a NumNodes=2-2 NumTasks=8 WorkDir=/w Power=\n").nnodes == 2
    evidence = read("JobId=5 JobName=a\n   NumNodes=2 NumTasks=8\n")
    assert (evidence.of(JobContext)[0].complete, codes(evidence)) == (False, ["unterminated"])
    assert evidence.status == "complete"


def test_pbs() -> None:
    job = only(
        "#!/bin/bash -l\n#PBS -N wave\n#PBS -l select=16:ncpus=36:mpiprocs=32\n#PBS -l walltime=1:30:00,place=scatter\n"
        "#PBS -A e05 -q long\ncd $PBS_O_WORKDIR\naprun -n 512 -N 32 -j 1 ./wave in.nml\n"
    )
    assert (job.scheduler, job.job_name, job.partition, job.account) == ("pbs", "wave", "long", "e05")
    assert (job.nnodes, job.ntasks, job.ranks_per_node, job.time_limit_s) == (16, 512, 32, 5400)
    (started,) = job.launches
    assert (started.ranks, started.ranks_per_node, started.program) == (512, 32, "./wave")


@pytest.mark.parametrize(
    ("resources", "nodes", "ranks"),
    [
        ("select=4", 4, None),
        ("nodes=4:ppn=16", 4, 64),
        ("select=1:mpiprocs=8+2:mpiprocs=16", 3, 40),
        ("select=96:ncpus=1", None, None),
        ("mppwidth=48", None, 48),
        ("select=$N", None, None),
    ],
)
def test_pbs_resources(resources: str, nodes: int | None, ranks: int | None) -> None:
    job = only(f"#!/bin/sh\n#PBS -l {resources}\n")
    assert (job.nnodes, job.ntasks) == (nodes, ranks)


@pytest.mark.parametrize(
    ("asked", "launch", "ranks"),
    [
        ("-N 4", "srun --ntasks-per-node=8 ./sea", 32),
        ("-N 4", "srun -N 2 --ntasks-per-node=8 ./sea", 16),
        ("-N 4 -n 16", "srun --ntasks-per-node=8 ./sea", None),
        ("-N 4", "mpirun -ppn 8 ./sea", None),
        ("-N 4 -n 16", "srun -n 6 ./sea", 6),
    ],
)
def test_the_ranks_of_a_launch_are_those_of_its_line_and_of_srun_those_of_a_node_on_the_scripts_nodes(
    asked: str, launch: str, ranks: int | None
) -> None:
    job = only(f"#!/bin/bash\n#SBATCH {asked}\n{launch}\n")
    assert job.ranks_of(job.launches[0]) == ranks


def test_cobalt() -> None:
    job = only("#!/bin/bash\n#COBALT -n 128 -t 45 -q default\n#COBALT -A proj --jobname=wave\naprun -n 8192 ./w\n")
    assert (job.scheduler, job.nnodes, job.time_limit_s) == ("cobalt", 128, 2700)
    assert (job.partition, job.account, job.job_name) == ("default", "proj", "wave")


@pytest.mark.parametrize(
    ("text", "seconds"), [("90", 5400), ("10:30", 630), ("02:00:00", 7200), ("1-12", 129600), ("UNLIMITED", None)]
)
def test_slurm_times(text: str, seconds: float | None) -> None:
    assert only(script(f"#SBATCH -t {text}")).time_limit_s == seconds


@pytest.mark.parametrize(
    ("text", "ranks", "nodes", "per_node", "program"),
    [
        ("srun ./a.out", None, None, None, "./a.out"),
        ("srun -N 12 -n 1536 ./sea : -N 2 -n 32 -c 8 ./io", 1568, 14, None, "./sea"),
        ("mpirun -np 48 ./io : -np 1920 ./sea in.nml", 1968, None, None, "./sea"),
        ("aprun -n 240 -N 24 ./air : -n 48 -N 24 ./sea", 288, None, 24, "./air"),
        ("mpiexec -n 240 ./air : ./sea", None, None, None, "./air"),
        ("srun -n 300 --multi-prog ./programs.conf", 300, None, None, None),
        ("srun -n 64 -N2 --ntasks-per-node 32 --cpu-bind=cores vasp_std", 64, 2, 32, "vasp_std"),
        ("srun --ntasks=$NT ./a.out -n 5", None, None, None, "./a.out"),
        ("mpiexec -np 12 --ppn 4 -genv A b ./a", 12, None, 4, "./a"),
        ("mpirun -np 8 --map-by ppr:4:node --mca btl tcp ./a", 8, None, 4, "./a"),
        ("jsrun -n 12 -a 4 -r 6 -c 4 ./a", 48, None, 24, "./a"),
        ("/usr/bin/aprun -n 24 -cc depth ./a", 24, None, None, "./a"),
        ("ibrun -n 112 -o 56 tacc_affinity ./a", 112, None, None, "./a"),
        ("ibrun ./a in.nml", None, None, None, "./a"),
        ("ccc_mprun -n 1024 -c 1 -m work,scratch -T 84000 -pmilan ./a -n 5", 1024, None, None, "./a"),
        ("ccc_mprun -x ./a -c in.nml", None, None, None, "./a"),
        ("ccc_mprun -x -n 64 ./a", 64, None, None, "./a"),
        ('lrun -N 2 -T4 --smpiargs="-gpu" nvprof -o x ./a', None, 2, 4, "./a"),
        ('mpiexec_mpt -p "%g:" -np 576 omplace -tm open64 ./a', 576, None, None, "./a"),
    ],
)
def test_launches(text: str, ranks: int | None, nodes: int | None, per_node: int | None, program: str) -> None:
    found = launched(text)
    assert (found.ranks, found.nodes, found.ranks_per_node, found.program) == (ranks, nodes, per_node, program)


def test_a_dash_of_a_word_processor_is_said() -> None:
    evidence = read("#!/bin/bash\n#SBATCH –nodes=4\n#SBATCH --ntasks=8\n")
    assert evidence.of(JobContext)[0].nnodes is None
    assert "typographic dash" in message(evidence, "note")


@pytest.mark.parametrize(
    ("line", "count", "everywhere", "size", "targets"),
    [
        ("lfs setstripe -c 12 -S 4m out restart", 12, False, 4 * 2**20, ("out", "restart")),
        ("lfs setstripe --stripe-count=-1 $OUT", None, True, None, ("$OUT",)),
        ("lfs setstripe -c -1 .", None, True, None, (".",)),
        ('lfs setstripe -c8 -p flash "my dir"', 8, False, None, ("my dir",)),
    ],
)
def test_stripe_commands(
    line: str, count: int | None, everywhere: bool, size: int | None, targets: tuple[str, ...]
) -> None:
    (found,) = only(script(line)).stripe_commands
    assert (found.stripe_count, found.over_all_osts, found.stripe_size_bytes) == (count, everywhere, size)
    assert (found.targets, found.composite, found.text) == (targets, False, line)


def test_a_composite_stripe_command_is_kept_as_text() -> None:
    (found,) = only(script("lfs setstripe -E 64M -c 1 -E -1 -c 8 out")).stripe_commands
    assert (found.composite, found.stripe_count, found.targets) == (True, None, ("out",))


def test_a_snippet_without_directives() -> None:
    job = only("module load cray-hdf5-parallel\nexport MPICH_MPIIO_STATS=1\nsrun -n 64 ./a.out\n")
    assert (job.scheduler, job.launches[0].ranks, job.modules[0].names) == (None, 64, ("cray-hdf5-parallel",))
    assert job.lines.first == 1


def test_a_script_that_ends_within_a_command() -> None:
    evidence = read("#!/bin/bash\n#SBATCH -N 2\nsrun -n 64 \\\n")
    assert (evidence.status, codes(evidence)) == ("partial", ["truncated"])


@pytest.mark.parametrize(
    "text",
    [
        "export MPICH_MPIIO_STATS=1\nstep 1\nstep 2\n",
        "+ echo starting\n+ ls -l\nthe job\n",
        "+ echo env srun -n 4 ./a\n+ env\n+ time sleep 3\n",
        "+ srun\n",
        "Please export FOO=1 before you run\nmpirun noticed that process rank 3 with PID 5 exited on signal 9\n",
        "srun: error: nid001: task 3: Killed\nexport FOO=1\n",
        "#!/bin/bash\necho hello\nexport PATH=/x\n",
        "#PBS stands for Portable Batch System\n",
        "Use #SBATCH --nodes=2 in your script\n",
        "see #SBATCH --nodes=2 and then export A=1\n  mpirun -n 12 ior -t 1m\n",
        "JobID = 113261.sdb\nState of the job\n",
        "JobID  Elapsed  State\nno rule below\n5 00:10:00 COMPLETED\n",
    ],
)
def test_ordinary_output_is_none(text: str) -> None:
    assert contexts(text) == ()


@pytest.mark.parametrize(
    ("line", "ranks", "nodes", "per_node", "program"),
    [
        ("+ srun --nodes=2 --ntasks=256 ./a.out in.nml", 256, 2, None, "./a.out"),
        ("++ /opt/cray/pe/bin/aprun -n 512 -N 64 /lus/app", 512, None, 64, "/lus/app"),
        ("+ mpirun -np 16 app", 16, None, None, "app"),
        ("+ mpiexec -n 64 --ppn 32 ./app -x", 64, None, 32, "./app"),
        ("+ jsrun -n 12 -a 7 -r 6 ./app", 84, None, 42, "./app"),
        ("+ flux run -N 4 -n 256 ./app", 256, 4, None, "./app"),
        ("+ env OMP_PLACES=cores srun -n 8 ./app", 8, None, None, "./app"),
        ("+ /usr/bin/time -v mpirun -np 16 app", 16, None, None, "app"),
        ("+ exec apptainer exec -B /lus 'my image.sif' mpirun -n 4 ./app", 4, None, None, "./app"),
    ],
)
def test_a_launch_that_set_x_traced(
    line: str, ranks: int, nodes: int | None, per_node: int | None, program: str
) -> None:
    job = only(f"starting\n+ export MPICH_MPIIO_HINTS='*.nc:romio_cb_write=enable'\n{line}\nstep 1\n+ echo done\n")
    assert (job.source, job.scheduler, job.lines) == ("trace", None, Lines(2, 3))
    (started,) = job.launches
    assert (started.ranks, started.nodes, started.ranks_per_node, started.program) == (ranks, nodes, per_node, program)
    assert started.text == line.lstrip("+ ")
    assert [e.value for e in job.environment if e.name == "MPICH_MPIIO_HINTS"] == ["*.nc:romio_cb_write=enable"]
    assert [x.text for x in only(f"starting\n{line}\nstep 1\n").launches] == [started.text]


@pytest.mark.parametrize(
    ("exported", "value"),
    [
        ("'MPICH_MPIIO_HINTS=*:cb_nodes=8'\n+ MPICH_MPIIO_HINTS='*:cb_nodes=8'", "*:cb_nodes=8"),
        ("A=1 'MPICH_MPIIO_HINTS=*.nc:cb_nodes=8,*.h5:cb_nodes=4' B=2", "*.nc:cb_nodes=8,*.h5:cb_nodes=4"),
        ("'MPICH_MPIIO_HINTS=\"*:cb_nodes=8\"'", '"*:cb_nodes=8"'),
        ("MPICH_MPIIO_HINTS=*:cb_nodes=8", "*:cb_nodes=8"),
    ],
)
def test_an_export_that_bash_traces_with_its_name_in_quotes(exported: str, value: str) -> None:
    """As it traces a value with a sign of the shell; dash traces it as it is."""
    job = only(f"starting\n+ export {exported}\n+ srun -n 8 ./app\n")
    assert [e.value for e in job.environment if e.name == "MPICH_MPIIO_HINTS"] == [value]


@pytest.mark.parametrize(
    ("last", "rest", "ranks", "program"),
    [("--ntasks=51", "2 ./a", None, None), ("-n 512 ./bin/arch/a", "pp in.nml", 512, None)],
)
def test_what_a_terminal_may_have_broken_at_its_width_is_not_believed(
    last: str, rest: str, ranks: int | None, program: str | None
) -> None:
    command = f"+ srun --output={'o' * (63 - len(last))} {last}"
    evidence = read(f"{command}\n{rest}\ndone\n")
    (started,) = only(f"{command}\n{rest}\ndone\n").launches
    assert (len(command), started.ranks, started.program, evidence.status) == (80, ranks, program, "partial")
    (whole,) = only(f"{command}{rest}\ndone\n").launches
    assert (whole.ranks, whole.program is None) == (512, False)
    longer = f"rank 0: {'x' * 80}\n"
    for text in (f"{longer}{command}\n{rest}\ndone\n", f"{command}\n{rest}\n{longer}"):
        answer = read(text)
        (by_chance,) = answer.of(JobContext)[0].launches
        assert (by_chance.text, answer.status) == (command.removeprefix("+ "), "complete")


def test_a_script_and_its_trace_in_one_text() -> None:
    asked, ran = read(script("export MPICH_MPIIO_STATS=1") + "+ srun -n 8 ./a.out\nok\n+ srun -n 4 ./b.out\n").of(
        JobContext
    )
    assert (asked.source, ran.source) == ("script", "trace")
    assert [x.program for x in ran.launches] == ["./a.out", "./b.out"]


def test_flux_alone_launches_nothing() -> None:
    assert launch(["flux", "alloc", "-N", "4", "./app"], 1, "") is None


LUMI = """\
#!/bin/bash
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=8
#! Number of nodes (do not change):
module load cray-mpich/8.1.25
cat << EOF > select_gpu
#!/bin/bash
export MPICH_MPIIO_STATS=9
srun ./not-this-one
EOF
cat <<'END_OF_NOTES'
module load neither
END_OF_NOTES
#! set before the launch
export MPICH_MPIIO_STATS=1
RUN="srun --cpu-bind=none -n 16"
${RUN} ./select_gpu ./driver -l
srun python driver.py
srun Alltoall 10 20
mpirun noticed that process rank 3 exited
"""


def test_a_here_document_is_another_file_and_a_comment_with_a_bang_is_a_comment() -> None:
    (script,) = read(LUMI).of(JobContext)
    assert [(s.name, s.value) for s in script.environment] == [("MPICH_MPIIO_STATS", "1")]
    assert [m.names for m in script.modules] == [("cray-mpich/8.1.25",)]
    assert script.lines == Lines(1, 19)


def test_bare_words_and_variables_that_launch() -> None:
    (script,) = read(LUMI).of(JobContext)
    assert [(run.launcher, run.ranks, run.program, run.line) for run in script.launches] == [
        ("srun", 16, "./select_gpu", 17),
        ("srun", None, "python", 18),
        ("srun", None, "Alltoall", 19),
    ]


def test_two_scripts_in_one_text_are_two() -> None:
    assert [c.nnodes for c in read(LUMI + LUMI.replace("--nodes=2", "--nodes=3")).of(JobContext)] == [2, 3]


def test_a_here_document_that_never_ends() -> None:
    (script,) = read(LUMI.replace("\nEOF\n", "\n")).of(JobContext)
    assert script.launches == ()


def test_a_program_by_the_variable_that_the_script_sets() -> None:
    (script,) = read(
        '#!/bin/bash\n#SBATCH --nodes=1\napplication="/lustre/auser/bin/sea_mpi"\nother=$(which ocean)\n'
        'srun -n 16 $application --fast\nsrun "${application}"\nsrun $other\n'
    ).of(JobContext)
    assert [x.program for x in script.launches] == ["/lustre/auser/bin/sea_mpi", "/lustre/auser/bin/sea_mpi", "$other"]


def test_a_setting_within_a_script_begins_no_other() -> None:
    lines = ("#!/bin/bash", "#SBATCH -N 2", "MPICH_MPIIO_STATS=1", "MPICH_MPIIO_STATS=2", "srun -n 8 ./app")
    (found,) = contexts("\n".join(lines))
    assert found.scheduler == "slurm"
    assert [launch.program for launch in found.launches] == ["./app"]


@pytest.mark.parametrize(
    "line", ["srun \u2013nodes=8 \u2013ntasks=1024 \u2013c 2 ./app", "+ srun \u2014nodes 8 \u2013n 1024 ./app"]
)
def test_dashes_of_a_word_processor_are_no_program(line: str) -> None:
    evidence = read(f"#!/bin/bash\n#SBATCH --nodes=8\n{line}\n" if line[0] != "+" else f"{line}\n")
    (started,) = evidence.of(JobContext)[0].launches
    assert (started.program, started.nodes, started.ranks) == ("./app", 8, 1024)
    assert any("typographic dash" in p.message for p in evidence.problems)


def test_a_quoted_value_that_goes_on_has_no_blank_where_the_line_was_broken() -> None:
    text = script(
        'export MPICH_MPIIO_HINTS="a*:cb_nodes=4:,\\\nb*:cb_nodes=8,\\\n  c*:cb_nodes=9"', "srun -n 8 \\\n./sea"
    )
    (setting,) = only(text).environment
    assert setting.value == "a*:cb_nodes=4:,b*:cb_nodes=8, c*:cb_nodes=9"
    assert only(text).launches[0].program == "./sea"
