"""Jobs that were ended before they closed a file, as their text shows. Each was written down before it was asked."""

from __future__ import annotations

import pytest
from printed_by_mpich import GIB, WAITED, case, hinted, printed, statistics, written

ASKED = (
    "PE 0: MPICH MPIIO statistics environment settings ====\nPE 0:   MPICH_MPIIO_STATS                          = 1\n"
)


ENDED = {
    "slurm, time": "slurmstepd: error: *** JOB 551 ON nid001234 CANCELLED AT 2025-03-01T12:00:11 DUE TO TIME LIMIT ***",
    "slurm": "slurmstepd: error: *** STEP 5512340.0 ON nid001234 CANCELLED AT 2025-03-01T12:00:11 ***",
    "pbs": "=>> PBS: job killed: walltime 3607 exceeded limit 3600",
    "lsf, memory": "TERM_MEMLIMIT: job killed after reaching LSF memory usage limit.",
    "slurm, memory": "slurmstepd: error: Detected 1 oom_kill event in StepId=551.0. Some of the step tasks died.",
}
REASON = {"slurm": "was cancelled", "lsf, memory": "ran out of memory", "slurm, memory": "ran out of memory"}


@pytest.mark.parametrize("how", ENDED)
def test_a_job_that_was_ended_before_it_closed_a_file_is_told_so(how: str) -> None:
    document = case(printed(ASKED, hinted("plt00100.h5"), " writing plt00100.h5\n", f"{ENDED[how]}\n"))
    assert document.headline.rule == "statistics-not-printed"
    assert "ended before MPICH printed any statistics" in document.headline.sentence
    losses = [p for source in document.sources for p in source.warnings if p.loses_data]
    (loss,) = (p for p in losses if "before a file was closed" in p.message)
    assert loss.message.startswith(f"the job {REASON.get(how, 'ran into its time limit')}")
    notes = [p for source in document.sources for p in source.warnings if p.code == "note"]
    assert not [note for note in notes if "the job" in note.message]


@pytest.mark.parametrize(
    "text",
    [
        (ASKED, hinted("plt00100.h5"), " all done\n"),
        (ASKED, f"{ENDED['slurm']}\n", hinted("plt00100.h5"), " all done\n"),
        (ASKED, " all done\n", f"{ENDED['slurm']}\n"),
    ],
    ids=["it came to its end", "an earlier step was cancelled", "no file was opened"],
)
def test_other_reasons_for_no_statistics_are_not_that_it_was_ended(text: tuple[str, ...]) -> None:
    document = case(printed(*text))
    assert document.headline.sentence == "Statistics of MPI-IO were asked for, but none are in the texts given."


@pytest.mark.parametrize("how", ENDED)
def test_a_job_that_was_ended_is_told_so_where_its_trace_alone_asks_for_statistics(how: str) -> None:
    asked = "+ export MPICH_MPIIO_STATS=1\n+ srun --nodes=4 --ntasks=512 ./app\n step 1\n"
    document = case(f"{asked}{ENDED[how]}\n".encode())
    assert document.headline.sentence.endswith("The job was ended before MPICH printed any statistics of MPI-IO.")
    for other in (
        f"{ENDED[how]}\n{asked}",
        f"{asked} all done\n",
        f"{asked.replace('STATS=1', 'TIMERS=1')}{ENDED[how]}\n",
    ):
        assert "was ended" not in case(other.encode()).headline.sentence


def test_a_file_that_was_closed_in_time_has_its_statistics() -> None:
    document = case(printed(ASKED, hinted("o.dat"), written("o.dat", 90, WAITED), f"{ENDED['slurm, time']}\n"))
    assert document.headline.rule == "wait-for-coll"


@pytest.mark.parametrize("how", ENDED)
def test_what_was_printed_until_the_job_was_ended_does_not_say_that_all_is_well(how: str) -> None:
    """What was open then is nowhere, so that it is neither good nor bad."""
    whole = printed(statistics("plt00100.h5", 24 * GIB))
    assert case(whole).headline.severity == "clear"
    top = case(whole + f"{ENDED[how]}\n".encode()).headline
    assert top.sentence.startswith(FIRST.get(how, "The job ran into its time limit. Nothing wrong was found "))
    said = f"{top.sentence} {top.action}"
    assert said.count(REASON.get(how, "ran into its time limit")) == 1
    assert (top.action or "").endswith("Give a run that comes to its end, even a short one: it shows the rest.")
    assert top.severity == "unknown"


FIRST = {
    "slurm": "The job, or a step of it, did not come to its end; nothing wrong was found ",
    "lsf, memory": "The job ran out of memory and was killed. Nothing wrong was found ",
    "slurm, memory": "The job, or a step of it, ran out of memory and was killed. Nothing wrong was found ",
}
"""Who cancelled a job knows why; other reasons are the first thing that is said."""


@pytest.mark.parametrize("how", ENDED)
def test_why_a_job_was_ended_is_said_before_what_is_wrong_with_its_io(how: str) -> None:
    finding = printed(ASKED, hinted("o.dat"), written("o.dat", 90, WAITED))
    alone, ended = case(finding).headline, case(finding + f"{ENDED[how]}\n".encode()).headline
    before = "" if how == "slurm" else FIRST.get(how, "The job ran into its time limit. ").split(" Nothing")[0].strip()
    assert ended.sentence == f"{before} {alone.sentence}".strip()
    remedy = "Ask for more memory, or put fewer processes on a node. " if "memory" in how else ""
    assert (ended.action, ended.rule) == (f"{remedy}{alone.action}", alone.rule)


@pytest.mark.parametrize("how", ["slurm, time", "slurm, memory"])
def test_what_lost_data_is_said_before_the_end_that_may_come_of_it(how: str) -> None:
    refused = b"OSError: [Errno 28] No space left on device: 'o.dat'\n"
    alone, ended = case(refused).headline, case(refused + f"{ENDED[how]}\n".encode()).headline
    assert ended.sentence.startswith(f"{alone.sentence} The job")
    assert ended.action == alone.action


@pytest.mark.parametrize("how", ["slurm, time", "pbs", "lsf, memory", "slurm, memory"])
def test_an_output_with_nothing_but_the_end_of_its_job_says_that(how: str) -> None:
    top = case(f" step 1 done\n{ENDED[how]}\n".encode()).headline
    why = FIRST.get(how, "The job ran into its time limit. Nothing").split(" Nothing")[0]
    assert top.sentence == f"{why} Nothing in these sources shows how the job did its I/O."
    memory = "memory" in how
    assert (top.action or "").startswith("Ask for more memory" if memory else "Ask for more time")


def test_where_the_end_stands_is_said_once_and_with_its_file_where_there_are_several() -> None:
    text, end = printed(statistics("plt00100.h5", 24 * GIB)), f"{ENDED['pbs']}\n".encode()
    line = text.count(b"\n") + 1
    assert (case(text + end).headline.action or "").count(f"How it ended stands on line {line}.") == 1
    action = case(text, end).headline.action or ""
    assert (action.count("line "), action.count("stands on line 1 of 1.txt.")) == (1, 1)
    cancelled = case(text, f"{ENDED['slurm']}\n".encode()).headline.action or ""
    assert (cancelled.count("line "), cancelled.count("(line 1 of 1.txt)")) == (1, 1)


def test_of_two_ends_the_one_with_a_reason_is_told() -> None:
    whole = printed(statistics("plt00100.h5", 24 * GIB))
    found = case(f"{ENDED['slurm']}\n".encode(), whole + f"{ENDED['pbs']}\n".encode()).headline
    assert found.sentence.startswith("The job ran into its time limit.")
    assert "cancelled" not in (found.action or "")


@pytest.mark.parametrize(
    ("line", "how", "remedy"),
    [
        (
            "application called MPI_Abort(MPI_COMM_WORLD, 1) - process 0",
            "The job, or a step of it, was aborted, by a call of MPI_Abort.",
            "What the program printed before that call says why.",
        ),
        (
            "MPI_ABORT was invoked on rank 3 in communicator MPI_COMM_WORLD",
            "The job, or a step of it, was aborted, by a call of MPI_Abort.",
            "What the program printed before that call says why.",
        ),
        (
            "=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES",
            "The job, or a step of it, ended because one of its processes failed.",
            "What that process printed says why; ",
        ),
    ],
)
def test_a_run_that_its_own_program_ended_is_told_so(line: str, how: str, remedy: str) -> None:
    whole = printed(statistics("plt00100.h5", 24 * GIB))
    for text, severity in ((whole + f"{line}\n".encode(), "unknown"), (f" step 1\n{line}\n".encode(), "unknown")):
        top = case(text).headline
        assert (top.severity, top.sentence.startswith(f"{how} ")) == (severity, True)
        assert (top.action or "").startswith(remedy)


def test_of_a_run_that_was_ended_no_log_is_asked_for() -> None:
    seff = "Job ID: 551\nCluster: bay\nState: {} (exit code 0)\nNodes: 2\nJob Wall-clock time: 02:00:04\n"
    action = case(seff.format("TIMEOUT").encode()).headline.action or ""
    assert action.removeprefix("Ask for more time, or let the run do less. ").startswith(
        "Add a Darshan log of a run that comes to its end"
    )
    assert (case(seff.format("COMPLETED").encode()).headline.action or "").startswith("Add a Darshan log of the run,")


UNENDED = """\
#!/bin/bash
#SBATCH --nodes=4
export MPICH_MPIIO_STATS=1
cat > in.nml << EOF
&io
srun ./app in.nml
"""


def test_a_script_that_is_cut_off_is_no_job_that_was_ended() -> None:
    document = case(UNENDED.encode())
    assert "was ended" not in document.headline.sentence
    assert any("nor would a shell run it" in problem.message for problem in document.sources[0].warnings)
