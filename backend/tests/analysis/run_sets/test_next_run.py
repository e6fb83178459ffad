"""The experiments that would prove a finding: shell that runs, with the fix in B alone."""

from __future__ import annotations

import io
import shlex
import shutil
import subprocess
from dataclasses import fields, replace
from pathlib import Path

import pytest
from budget import some
from sample_documents import document_of
from samples import Case, case, cases

from iotriage.analysis.decision.basis import basis_of
from iotriage.analysis.document import CaseDocument, Finding, JobFacts, TextEvidence
from iotriage.analysis.job_settings import JobSettings
from iotriage.analysis.run_sets.launching import A_LOG_EACH, FROM_MEMORY, WITH_CRAYPAT, launch_line, proof_lines
from iotriage.analysis.run_sets.next_run import next_run_of, striping_script, trials_of
from iotriage.rules.core import Advice, advice
from iotriage.rules.core.action import EditCode, EditPython, Named, RunCommand, SetStripe, Unset
from iotriage.sites import all_sites
from iotriage_parsers.detect import read
from iotriage_parsers.evidence import Evidence, JobContext

STUBS = """
srun() { echo "run $v $PWD setting=${FI_OFI_RXM_SAR_LIMIT-} stats=$MPICH_MPIIO_STATS"; }
module() { :; }
lfs() { echo "lfs $v $*" >> "$LOG"; }
"""


def document(*names: str) -> CaseDocument:
    return document_of(tuple(source for name in names for source in case(name).sources))


def ran(document: CaseDocument, folder: Path) -> tuple[list[str], list[str]]:
    """What the runs of the first experiment printed, A's before B's, and the calls of lfs in their order."""
    assert document.next_run is not None
    script = document.next_run.experiments[0].script
    lines = [f"base={folder}/runs" if line.startswith("base=") else line for line in script.splitlines()]
    lines = [line for line in lines if not line.startswith("export LD_PRELOAD")]
    log = folder / "lfs.log"
    log.touch()
    text = f"LOG={log}\n{STUBS}\n" + "\n".join(lines)
    subprocess.run(["bash", "-eu", "-c", text], check=True, timeout=60)
    outputs = sorted(folder.glob("runs/*/stdout.txt"), key=lambda p: p.parent.name)
    return [p.read_text(encoding="utf-8").strip() for p in outputs], log.read_text(encoding="utf-8").splitlines()


needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="bash runs the script")


@needs_bash
def test_every_variant_of_a_long_run_runs_once_in_a_fresh_directory_with_its_own_striping(tmp_path: Path) -> None:
    outputs, striped = ran(document("lustre-ssf-one-stripe"), tmp_path)
    assert [line.split()[1] for line in outputs] == ["A", "B"]
    assert len({line.split()[2] for line in outputs}) == 2
    assert all("stats=1" in line for line in outputs)
    assert striped == ["lfs A setstripe -c 1 -S 1M .", "lfs B setstripe -c -1 -S 1M ."]


@needs_bash
def test_nothing_runs_over_what_an_earlier_time_or_another_task_of_an_array_left(tmp_path: Path) -> None:
    """Darshan writes over no log, and files that are there keep their stripes."""
    found = document("lustre-ssf-one-stripe")
    outputs, striped = ran(found, tmp_path)
    with pytest.raises(subprocess.CalledProcessError):
        ran(found, tmp_path)
    assert (tmp_path / "lfs.log").read_text(encoding="utf-8").splitlines() == striped
    assert len(list(tmp_path.glob("runs/*"))) == len(outputs)


def test_b_stripes_its_own_directory_as_the_finding_asks_and_takes_over_nothing_of_others() -> None:
    document = document_of(case("lustre-archer-cached").sources)
    assert document.next_run is not None
    experiment = document.next_run.experiments[0]
    (finding,) = (f for f in document.findings if f.rule == experiment.rule)
    # For the job, the line does what two findings ask for; the experiment is to prove one of them.
    assert "lfs setstripe -c 4 -S 8M /fs3/" in (finding.advice[0].command or "")
    assert "if [ $v = A ]; then lfs setstripe -c 1 -S 1M .; fi" in experiment.script
    assert "      lfs setstripe -c 4 -S 1M .\n" in experiment.script


@needs_bash
def test_what_b_sets_does_not_reach_the_next_a(tmp_path: Path) -> None:
    outputs, _ = ran(document("lustre-ssf-few-aggregators"), tmp_path)
    assert ["setting=64K" in line for line in outputs] == [False] * 3 + [True] * 3


@needs_bash
@pytest.mark.parametrize(
    ("program", "found"),
    [
        ("./bin/plume", True),
        ("bin/plume", True),
        ("./plume-1.2", True),
        ("../plume", True),
        ("../build/bin/plume", True),
        (".spack/bin/plume", True),
        ("plume", False),
        ("/sw/plume", False),
        ("~/plume", False),
        ("$HOME/plume", False),
    ],
)
def test_the_program_is_started_where_the_job_has_it(program: str, found: bool, tmp_path: Path) -> None:
    """Each run has a directory of its own, in which a path from another one leads nowhere."""
    launch = launch_line(facts(command_line=f"{program} in.nml", nprocs=1), (), all_sites()["lumi"])
    script = striping_script("x", f"{tmp_path}/runs", None, "true", replace(launch, repeats=1))
    assert ('"$start"/' in script) is found
    if found:
        start = tmp_path / "job"
        start.mkdir()
        own = start / program
        own.parent.mkdir(parents=True, exist_ok=True)
        own.write_text('#!/bin/sh\necho "$PWD $1"\n')
        own.chmod(0o755)
        subprocess.run(["bash", "-eu", "-c", script], cwd=start, check=True, timeout=60)
        assert (tmp_path / "runs/B-1/stdout.txt").read_text() == f"{tmp_path}/runs/B-1 in.nml\n"


def test_a_script_in_python_is_changed_where_the_job_has_it() -> None:
    launch = launch_line(facts(command_line="../run.py in.nml", nprocs=1), (), all_sites()["lumi"])
    metrics = document("lustre-ssf-one-stripe").metrics
    found = trials_of("x", [advice("Change it.", EditPython("f.flush()"))], None, metrics, launch)
    assert '\nB() { "$start"/../run.py in.nml; }   # the same line, with the changed program\n' in next(found).script


def test_b_is_the_first_of_a_pair_too() -> None:
    """What comes second finds the servers, and the memory of the nodes, as the first left them."""
    found = document("lustre-ssf-few-aggregators").next_run
    assert found is not None
    assert "\nfor run in A-1 B-1 B-2 A-2 A-3 B-3; do\n" in found.experiments[0].script


def test_a_library_that_is_linked_is_tried_with_a_second_build() -> None:
    found = document("dvs-small-records").next_run
    assert found is not None
    (experiment,) = (e for e in found.experiments if e.rule == "small-io-on-dvs")
    assert experiment.changes_program
    assert "with this change:\n#   module load iobuf   # before linking\nA() {" in experiment.script
    assert f"\nB() {{ mpiexec -n 32 {CHANGED} " in experiment.script
    assert '      export IOBUF_PARAMS="' in experiment.script


@pytest.mark.parametrize(
    ("given", "non_mpi", "one_log", "said"),
    [
        ({"processes": 64}, False, True, []),
        ({"processes": 1}, True, True, []),
        ({"processes": 1, "interpreter": "python"}, True, False, [A_LOG_EACH]),
        ({"processes": 64, "interpreter": "python"}, False, True, []),
        ({"processes": 64, "separate": True}, True, False, [A_LOG_EACH]),
        ({"processes": 64, "instrumented": True}, False, False, [WITH_CRAYPAT]),
        ({"processes": 64, "reads": True}, False, True, [FROM_MEMORY]),
    ],
)
def test_darshan_keeps_a_log_of_programs_without_mpi_and_none_beside_craypat(
    given: dict[str, object], non_mpi: bool, one_log: bool, said: list[str]
) -> None:
    own = JobSettings({}, (), frozenset(), library=None, on_lustre=True, **given)  # type: ignore[arg-type]
    shown = proof_lines(own)
    assert any(line.startswith("export DARSHAN_ENABLE_NONMPI=1") for line in shown.lines) is non_mpi
    assert any("LD_PRELOAD" in line for line in shown.lines) is ("instrumented" not in given)
    assert (shown.one_log, [*shown.remarks]) == (one_log, said)
    launch = launch_line(facts(), (), all_sites()["lumi"], shown)
    script = striping_script("x", ".", None, "lfs setstripe -c 4 .", launch)
    assert ("DARSHAN_LOGFILE" in script) is one_log
    assert all(f"# {one}\n" in script for one in said)


def test_a_fix_in_the_program_is_a_second_build_with_the_change_as_comments() -> None:
    found = document("11").next_run
    assert found is not None
    (experiment,) = found.experiments
    assert experiment.rule == "collective-disabled"
    assert experiment.changes_program
    assert '#   MPI_Info_set(info, "romio_cb_write", "enable");' in experiment.script


def test_the_runs_that_are_compared_are_those_of_the_experiment() -> None:
    found = document("39").next_run
    assert found is not None
    folders = [e.comparing.removeprefix("iotriage compare ").removesuffix("/*") for e in found.experiments]
    assert len(set(folders)) == 2
    assert all(f"/{folder}\n" in e.script for folder, e in zip(folders, found.experiments, strict=True))


def test_nothing_is_to_be_proved_where_nothing_is_wrong() -> None:
    assert document("lustre-ssf-striped").next_run is None


def facts(**known: object) -> JobFacts:
    names = [field.name for field in fields(JobFacts)]
    return JobFacts(**{**dict.fromkeys(names), "nprocs": 64, "runtime_s": 600.0, **known})  # type: ignore[arg-type]


def test_the_arguments_of_the_program_come_back_as_they_were() -> None:
    for line in ("./ior -H -k -o -", "/opt/app --in='a b' *.nc $HOME", 'python3 -c "print(1)"', "./a.out it's"):
        text = launch_line(facts(command_line=line), (), all_sites()["archer2"]).text
        assert text.startswith("srun --ntasks=64 ")
        assert shlex.split(text)[2:] == line.split()


@pytest.mark.parametrize(
    ("site", "begins"),
    [
        ("archer2", "srun --ntasks=64 "),
        ("theta", "aprun -n 64 "),
        ("polaris", "mpiexec -n 64 "),
        ("frontera", "ibrun "),
        ("generic", "mpiexec -n 64 "),
    ],
)
def test_the_program_is_launched_as_its_site_launches_programs(site: str, begins: str) -> None:
    assert launch_line(facts(command_line="./app"), (), all_sites()[site]).text == f"{begins}./app"


@pytest.mark.parametrize(
    ("site", "begins"),
    [
        ("archer2", "srun --ntasks=64 --nodes=3 "),
        ("theta", "aprun -n 64 -N 22 "),
        ("derecho", "mpiexec -n 64 -ppn 22 "),
        ("polaris", "mpiexec -n 64 --ppn 22 "),
        ("aurora", "mpiexec -n 64 -ppn 22 "),
        ("generic", "mpiexec -n 64 "),
    ],
)
def test_as_many_ranks_are_put_on_a_node_as_the_job_had_there(site: str, begins: str) -> None:
    assert launch_line(facts(command_line="./app", nnodes=3), (), all_sites()[site]).text == f"{begins}./app"


def test_a_single_process_and_a_name_made_anonymous() -> None:
    assert launch_line(facts(command_line="./app -v", nprocs=1), (), all_sites()["archer2"]).text == "./app -v"
    assert launch_line(facts(command_line="4077524"), (), all_sites()["theta"]).text == "aprun -n 64 ./your-program"


@pytest.mark.parametrize(
    ("known", "repeats", "cost"),
    [
        ({}, 3, "6 runs of 10 min with 64 processes: 64 process-hours"),
        ({"nnodes": 2}, 3, "6 runs of 10 min on 2 nodes: 2 node-hours"),
        ({"runtime_s": 39600.0, "nnodes": 1}, 1, "2 runs of 11 h on 1 node: 22 node-hours"),
        ({"nprocs": 65536, "nnodes": 512}, 1, "2 runs of 10 min on 512 nodes: 171 node-hours"),
        ({"runtime_s": 1.81, "nnodes": 2}, 3, "6 runs of 1.81 s on 2 nodes: < 0.01 node-hours"),
        ({"runtime_s": None}, 3, None),
    ],
)
def test_an_experiment_says_what_it_costs_and_runs_what_is_dear_once(
    known: dict[str, object], repeats: int, cost: str | None
) -> None:
    line = launch_line(facts(**known), (), all_sites()["generic"])
    assert (line.repeats, line.cost) == (repeats, cost)


def test_of_two_that_are_said_alike_the_one_is_tried_that_has_not_given_way() -> None:
    """The words of advice do not say which of them it is."""
    sample = document("lustre-ssf-few-aggregators")
    finding = next(f for f in sample.findings if isinstance(f, Finding) and f.says is not None and f.says.trials)
    assert finding.says is not None
    alike, trial = finding.says.advice[finding.says.trials[0].advice], finding.says.trials[0]
    trials = (replace(trial, advice=0, script="the first"), replace(trial, advice=1, script="the second"))
    says = replace(finding.says, advice=(alike, alike), trials=trials)
    both = replace(finding, says=says, advice=(alike, alike), verdict="triggered", explained_by=None)
    for gone, script in (((), "the first"), ((0,), "the second")):
        found = next_run_of([replace(both, given_way=gone)], sample.launch, basis_of(sample))
        assert found is not None
        assert [e.script for e in found.experiments] == [script]


def test_what_only_looks_at_something_is_no_experiment() -> None:
    sample = document("lustre-traced-slow-ost")
    assert next(f for f in sample.findings if f.rule == "slow-ost").verdict == "triggered"
    rules = [e.rule for e in sample.next_run.experiments] if sample.next_run else []
    assert "slow-ost" not in rules


def test_a_copy_of_what_the_program_reads_is_no_experiment() -> None:
    """In both variants it would read the files that were there before."""
    sample = document("lustre-ssf-one-stripe")
    finding = next(f for f in sample.findings if isinstance(f, Finding) and f.rule == "single-aggregator")
    assert finding.says is not None
    stripes = finding.says.advice[0].actions
    copied = advice("Copy.", RunCommand(("mkdir", "new")), *stripes, RunCommand(("cp", "in", "new")))
    metrics = {name: sample.metrics[name] for name in ("file.stripe_count", "file.stripe_size")}
    tried = [trial.advice for trial in trials_of("r", (copied, advice("Set.", *stripes)), None, metrics, sample.launch)]
    assert tried == [1]


def scripts_of(given: Advice, sample: CaseDocument, **known: object) -> list[str]:
    """The experiment with this advice, of a job with these metrics beside those of the sample."""
    changed = {name: replace(sample.metrics["file.stripe_count"], value=value) for name, value in known.items()}
    metrics = {name: sample.metrics[name] for name in ("file.stripe_count", "file.stripe_size")}
    metrics |= {name.replace("_", ".", 1): one for name, one in changed.items()}
    return [trial.script for trial in trials_of("r", (given,), "/lus/p/out/o.dat", metrics, sample.launch)]


def test_a_begins_on_the_ost_that_the_files_began_on_where_b_leaves_the_choice_to_lustre() -> None:
    sample = document("lustre-ssf-one-stripe")
    leave = advice("Leave it.", SetStripe(Named("/lus/p/out"), 1, 2**20, first_ost=-1))
    (script,) = scripts_of(leave, sample, file_first_ost=7, file_first_osts=1)
    assert "if [ $v = A ]; then lfs setstripe -c 1 -S 1M -i 7 .; fi" in script
    assert "      lfs setstripe -c 1 -S 1M -i -1 .\n" in script
    # Files that met by chance do not meet again in a fresh directory: there is nothing to compare.
    assert scripts_of(leave, sample, file_first_ost=7, file_first_osts=3) == []
    assert scripts_of(leave, sample, file_first_ost=None, file_first_osts=None) == []


def test_b_never_stripes_the_jobs_own_directory() -> None:
    sample = document("lustre-ssf-one-stripe")
    both = advice("Stripe.", SetStripe(Named("/lus/p/out"), 8, 2**20), Unset("MPICH_MPIIO_HINTS"))
    (script,) = scripts_of(both, sample)
    assert "/lus/p/out" not in script.replace("base=/lus/p/out/", "")
    assert "      lfs setstripe -c 8 -S 1M .\n      unset MPICH_MPIIO_HINTS\n" in script
    assert "if [ $v = A ]; then lfs setstripe -c 1 -S 1M .; fi" in script


SET = "as the script of the job sets it"
CHANGED = '"${CHANGED_PROGRAM:?the whole path of the program that was built with this change}"'


@pytest.mark.parametrize(
    ("given", "script", "changed"),
    [
        ({"command_line": "/w/app -n 3"}, None, f"srun --ntasks=64 {CHANGED} -n 3"),
        ({"command_line": "/w/app -n 3", "nprocs": 1}, None, f"{CHANGED} -n 3"),
        ({}, None, f"srun --ntasks=64 {CHANGED}"),
        ({"command_line": "app app"}, None, None),
        ({"command_line": "./x"}, "srun -n 64 ./app in.nml", f"srun -n 64 {CHANGED} in.nml"),
        ({"command_line": "./x"}, "srun -n 64 ./app --like ./app", None),
        ({"command_line": "./x"}, "srun -n 64 $EXE in.nml", f"srun -n 64 {CHANGED} in.nml"),
        ({"command_line": "./x"}, 'srun -n 64 "$EXE" in.nml', f"srun -n 64 {CHANGED} in.nml"),
        ({"command_line": "./x"}, "EXE=./x\nsrun -n 64 ${EXE} in.nml", f"srun -n 64 {CHANGED} in.nml"),
        (
            {"command_line": "./x"},
            'N=64\nBIN=/w/bin\nsrun -n $N "$BIN/x" -c 1',
            f"srun -n ${{N:?{SET}}} {CHANGED} -c 1",
        ),
        ({"command_line": "./x"}, "A=./x\nB=./x\nsrun -n 64 $A $B", None),
        ({"command_line": "./x"}, "srun ${BIN}/x -c ${CASE}", f"srun {CHANGED} -c ${{CASE:?{SET}}}"),
    ],
)
def test_b_of_a_change_of_the_program_does_not_run_the_program_as_it_was(
    given: dict[str, object], script: str | None, changed: str | None
) -> None:
    outcome = read(io.BytesIO(f"#!/bin/bash\n#SBATCH --ntasks=64\n{script}\n".encode())) if script else None
    parts = outcome.parts if isinstance(outcome, Evidence) else ()
    texts = tuple(TextEvidence(0, part) for part in parts if isinstance(part, JobContext))
    assert launch_line(facts(**given), texts, all_sites()["lumi"]).changed == changed


def test_the_line_of_b_is_that_or_says_that_it_is_to_be_changed() -> None:
    found = document("11").next_run
    assert found is not None
    (b,) = (line for line in found.experiments[0].script.splitlines() if line.startswith("B() {"))
    assert CHANGED in b
    sample = document("lustre-ssf-one-stripe")
    edit = advice("Edit.", EditCode("write(x);", "write(x)"))
    (script,) = scripts_of(edit, replace(sample, launch=replace(sample.launch, changed=None)))
    assert "; }   # the same line, with the changed program" in script


def test_the_jobs_own_launch_line_is_used_where_a_script_has_it() -> None:
    found = document("lustre-ssf-one-stripe", "job_context/slurm-script").next_run
    assert found is not None
    assert "A() { srun --nodes=2 --ntasks=256" in found.experiments[0].script


GIVEN = (
    "${ARGUMENT_1:?what the script was called with} "
    '"${ARGUMENTS[@]:?what the script was called with, as ARGUMENTS=(a b)}"'
)
PLACED = "srun --hint=nomultithread --distribution=block:block ./app -n 3"


@pytest.mark.parametrize(
    ("line", "runs"),
    [
        (f"{PLACED} > out.txt", PLACED),
        (f'{PLACED} >> "$OUT/run 1.log" 2>&1', PLACED),
        (f"{PLACED} &> $SLURM_JOB_ID.log", PLACED),
        (f"{PLACED} 2> err.txt | tee -a log", PLACED),
        (f"{PLACED} 'a > b'", None),
        (f'{PLACED} "a > b"', None),
        (f"{PLACED} > out; rm -rf x", None),
        (f"{PLACED} | grep x", None),
        (f"{PLACED} > $(date)", None),
        (f"{PLACED} < in.txt", None),
        (f"srun -n 1 ./pre\n{PLACED}\nsrun -n 64 ./post", PLACED),
        (f"srun -n 4 ./app\n{PLACED}", PLACED),
        ("srun -n 8 ./other\nsrun -n 64 ./another", "srun -n 64 ./another"),
        ("srun -n $SLURM_NTASKS ./app -d $HOME/d", "srun -n $SLURM_NTASKS ./app -d $HOME/d"),
        ("srun ./app -d $WORKDIR/in $SCRATCH", f"srun ./app -d ${{WORKDIR:?{SET}}}/in $SCRATCH"),
        ("srun ./app $PROJECT_ROOT", f"srun ./app ${{PROJECT_ROOT:?{SET}}}"),
        (
            "for c in a b; do\nsrun ./app -n ${N} case_$c\ndone",
            f"srun ./app -n ${{N:?{SET}}} case_${{c:?{SET}}}",
        ),
        ('run() {\nsrun "${O[@]}" ./app $1 "$@"\n}', f'srun "${{O[@]:?{SET}}}" ./app {GIVEN}'),
    ],
)
def test_the_jobs_own_line_keeps_its_options_wherever_its_output_goes(line: str, runs: str | None) -> None:
    script = f"#!/bin/bash\n#SBATCH --ntasks=64\n{line}\n".encode()
    outcome = read(io.BytesIO(script))
    assert isinstance(outcome, Evidence)
    texts = tuple(TextEvidence(0, part) for part in outcome.parts if isinstance(part, JobContext))
    found = launch_line(facts(command_line="./app"), texts, all_sites()["archer2"])
    assert (found.text if found.own else None) == runs


def test_a_line_that_is_made_is_started_as_the_jobs_program_was() -> None:
    script = b"#!/bin/bash\n#SBATCH --ntasks=64\nmpirun -n 1 ./prepare\nsrun -n 64 ./app < in.txt\n"
    outcome = read(io.BytesIO(script))
    assert isinstance(outcome, Evidence)
    texts = tuple(TextEvidence(0, part) for part in outcome.parts if isinstance(part, JobContext))
    found = launch_line(facts(command_line="./app"), texts, all_sites()["archer2"])
    assert (found.text, found.own) == ("srun --ntasks=64 ./app", False)


@needs_bash
@pytest.mark.fuzz
@pytest.mark.parametrize("sample", some(cases()), ids=str)
def test_the_lines_of_every_sample_are_shell(sample: Case) -> None:
    found = document_of(sample.sources).next_run
    for experiment in found.experiments if found else ():
        subprocess.run(["bash", "-n", "-c", experiment.script], check=True, timeout=60)
