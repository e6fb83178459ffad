"""The experiments that would prove a finding: shell that runs, with the fix in B alone."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from samples import Case, case, cases
from saying import document_of

from iotriage.analysis.document import CaseDocument

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
def test_every_variant_runs_three_times_in_a_fresh_directory_with_its_own_striping(tmp_path: Path) -> None:
    outputs, striped = ran(document("lustre-ssf-one-stripe"), tmp_path)
    assert [line.split()[1] for line in outputs] == ["A"] * 3 + ["B"] * 3
    assert len({line.split()[2] for line in outputs}) == 6
    assert all("stats=1" in line for line in outputs)
    assert striped == ["lfs A setstripe -c 1 -S 1M .", "lfs B setstripe -c -1 -S 1M ."] * 3


def test_b_stripes_its_own_directory_as_the_finding_asks_and_takes_over_nothing_of_others() -> None:
    document = document_of(case("lustre-archer-cached").sources)
    assert document.next_run is not None
    experiment = document.next_run.experiments[0]
    (finding,) = (f for f in document.findings if f.rule == experiment.rule)
    # For the job, the line does what two findings ask for; the experiment is to prove one of them.
    assert "lfs setstripe -c -1 -S 4M /fs3/" in (finding.advice[0].command or "")
    assert "if [ $v = A ]; then lfs setstripe -c 1 -S 1M .; fi" in experiment.script
    assert "        lfs setstripe -c -1 -S 1M .\n" in experiment.script


@needs_bash
def test_what_b_sets_does_not_reach_the_next_a(tmp_path: Path) -> None:
    outputs, _ = ran(document("lustre-ssf-few-aggregators"), tmp_path)
    assert ["setting=64K" in line for line in outputs] == [False] * 3 + [True] * 3


def test_a_fix_in_the_program_is_a_second_build_with_the_change_as_comments() -> None:
    found = document("11").next_run
    assert found is not None
    (experiment,) = found.experiments
    assert experiment.rule == "collective-disabled"
    assert experiment.changes_program
    assert '#   MPI_Info_set(info, "romio_cb_write", "enable");' in experiment.script


def test_nothing_is_to_be_proved_where_nothing_is_wrong() -> None:
    assert document("lustre-ssf-striped").next_run is None


def test_the_jobs_own_launch_line_is_used_where_a_script_has_it() -> None:
    found = document("lustre-ssf-one-stripe", "job_context/slurm-script").next_run
    assert found is not None
    assert "A() { srun --nodes=2 --ntasks=256" in found.experiments[0].script


@needs_bash
@pytest.mark.parametrize("sample", cases(), ids=str)
def test_the_lines_of_every_sample_are_shell(sample: Case) -> None:
    found = document_of(sample.sources).next_run
    for experiment in found.experiments if found else ():
        subprocess.run(["bash", "-n", "-c", experiment.script], check=True, timeout=60)
