"""Texts that hold the output of several jobs, or of several launches of one."""

from __future__ import annotations

import pytest
from stats_text import block, read

from iotriage_parsers.evidence import MpiioStats

NAMES = {
    "slurm's variable": "SLURM_JOB_ID={}",
    "pbs's variable": "PBS_JOBID = {}.polaris-pbs-01",
    "the end of a job": "slurmstepd: error: *** JOB {} ON nid001234 CANCELLED AT 2025-03-01T12:00:11 ***",
    "an allocation": "salloc: Granted job allocation {}",
    "an epilogue": "Job ID: {}",
    "lsf's mail": "Subject: Job {}: <./app> in cluster <summit> Done",
    "tail -n +1": "==> slurm-{}.out <==",
}


def notes(text: str) -> list[str]:
    found = [p.message for p in read(text).problems if p.code == "note"]
    return [message for message in found if not message.startswith("the job ")]


@pytest.mark.parametrize("named", NAMES.values(), ids=list(NAMES))
def test_two_jobs_in_one_text_are_told(named: str) -> None:
    first, second = f"{named.format(418377)}\n{block('a')}", f"{named.format(418411)}\n{block('b')}"
    (note,) = notes(first + second)
    assert note.startswith("this text names 2 jobs: 418377 (line 1) and 418411 (line 21). Its statistics of MPI-IO")
    # One job, however often it is named.
    assert notes(first + named.format(418377) + "\n" + block("b")) == []


@pytest.mark.parametrize(
    "line",
    [
        "Submitted batch job 418411",
        "SLURM_ARRAY_JOB_ID=418411",
        "sbatch: Job 418411 depends on 418377",
        "Job ID: 7",
        "==> restart.0001.out <==",
    ],
)
def test_numbers_of_other_things_are_no_second_job(line: str) -> None:
    assert notes(f"SLURM_JOB_ID=418377\n{block('a')}{line}\n{block('b')}") == []


def test_launches_that_are_followed_by_statistics_are_told() -> None:
    launch = "+ srun --ntasks=512 ./app\n"
    (note,) = notes(launch + block("a") + launch + block("b"))
    assert note.startswith("statistics of MPI-IO follow 2 launches (line 1 and line 21) and are counted together")
    assert notes(launch + block("a") + block("b")) == []
    assert notes("+ srun --ntasks=4 ./prepare\n" + launch + block("a") + block("b")) == []


@pytest.mark.parametrize(
    "start",
    [
        "MPI VERSION    : CRAY MPICH version 8.1.25.17 (ANL base 3.4a2)\n",
        "PE 0: MPICH environment settings =====================================\n"
        "PE 0:   MPICH_MPIIO_STATS                              = 1\n",
    ],
)
def test_programs_that_start_before_statistics_are_told(start: str) -> None:
    (note,) = notes(start + block("a") + start + block("b"))
    assert note.startswith("statistics of MPI-IO follow 2 starts of a program (line 1 and line ")
    # Version and settings of one start stand together.
    assert notes(start + start + block("a") + block("b")) == []


def account(job: int) -> str:
    return (
        "JobID           JobName    Elapsed   NNodes      State\n"
        "------------ ---------- ---------- -------- ----------\n"
        f"{job}          sea   00:33:20        4  COMPLETED\n"
    )


def test_statistics_between_the_accounts_of_two_jobs_are_told() -> None:
    two = block("a") + account(418377) + block("b") + account(418411)
    (note,) = notes(two)
    assert note.startswith("this text names 2 jobs: 418377 (line 20) and 418411 (line 42).")
    # A list of jobs, and one job that is asked for again.
    assert notes(block("a") + block("b") + account(418377) + account(418411)) == []
    assert notes(block("a") + account(418377) + block("b") + account(418377)) == []


def test_a_file_with_other_stripes_was_made_anew() -> None:
    before, after = block("a", stripe_count="1"), block("a", stripe_count="8", total_bytes_for_writes="5")
    (note,) = notes(f"Before:\n{before}after lfs setstripe:\n{after}")
    assert note.startswith("a has 1 stripe by the block of line 2, and 8 by that of line 22: it was made anew")
    assert notes(before + block("b", stripe_count="8")) == []
    assert notes(before + block("a", stripe_count="1", total_bytes_for_writes="5")) == []


def quoted(text: str) -> str:
    return "".join(f"> {line}\n" for line in text.splitlines())


def test_what_a_mail_quotes_of_the_run_before_is_left_out() -> None:
    before, after = block("a", stripe_count="1"), block("a", stripe_count="8", total_bytes_for_writes="5")
    for mail in (f"Now:\n{after}You wrote:\n{quoted(before)}", f"You wrote:\n{quoted(before)}Now:\n{after}"):
        (left,) = read(mail).of(MpiioStats)
        assert (left.stripe_count, len(notes(mail))) == (8, 1)
        assert "1 block of statistics that the mail quotes" in notes(mail)[0]
    # Where both are quoted, or of other files, nobody says which run is asked about.
    assert len(read(quoted(before) + quoted(after)).of(MpiioStats)) == 2
    assert len(read(after + quoted(before) + quoted(block("b"))).of(MpiioStats)) == 3
    assert len(read(after + quoted(block("a", stripe_count="8"))).of(MpiioStats)) == 2
