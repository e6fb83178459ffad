"""What schedulers print in the output of a job that they end."""

from __future__ import annotations

import io
import re

import pytest
from calls_counted import calls_of
from stats_text import block, read

from iotriage_parsers import detect
from iotriage_parsers.evidence import Evidence, Failure, JobContext, JobEnd
from iotriage_parsers.reader import Limits
from iotriage_parsers.text.endings import ending

STEP = "slurmstepd: error: *** STEP 418377.0 ON nid001 CANCELLED AT 2026-01-05T10:00:00 {}***"
KILLED = (
    "slurmstepd: error: Detected 3 oom-kill event(s) in StepId=418377.0. Some of your processes may have been killed."
)


@pytest.mark.parametrize(
    ("line", "how"),
    [
        (STEP.format("DUE TO TIME LIMIT "), "ran into its time limit"),
        (STEP.format("DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS "), "ended because a node failed"),
        (STEP.format("DUE TO PREEMPTION "), "was preempted by another job"),
        (STEP.format(""), "was cancelled"),
        (KILLED, "ran out of memory and was killed"),
        ("srun: error: nid001: task 3: Out Of Memory", "ran out of memory and was killed"),
        ("srun: error: nid[001-004]: tasks 3-7,9: Killed", None),
        ("slurmstepd: error: *** JOB 41 ON n7 CANCELLED DUE TO TIME LIMIT ***", "ran into its time limit"),
        (
            "slurmstepd: *** JOB 41 CANCELLED AT 2015-09-04T16:40:47 DUE TO TIME LIMIT *** on n7",
            "ran into its time limit",
        ),
        ("slurmstepd: error: Job 41 exceeded memory limit (99 > 64), being killed", "ran out of memory and was killed"),
        ("Memory cgroup out of memory: Killed process 4711 (app)", "ran out of memory and was killed"),
        (" 12%|# | 6/50 [1:02:55<7:41:20]" + STEP.format("DUE TO TIME LIMIT "), "ran into its time limit"),
        ("#" + KILLED, None),
        ("# it said: " + STEP.format("DUE TO TIME LIMIT "), None),
        ("+ echo " + KILLED, None),
        ("=&gt;&gt; PBS: job killed: walltime 117 exceeded limit 90mpirun: killing job", "ran into its time limit"),
        ("PBS: job killed: walltime 50 exceeded limit 30", "ran into its time limit"),
        ("if 'PBS: job killed: walltime' in line:", None),
        ("=>> PBS: job killed: walltime 3622 exceeded limit 3600", "ran into its time limit"),
        ("=>> PBS: job killed: mem 99gb exceeded limit 64gb", "ran out of memory and was killed"),
        ("=>> PBS: job killed: ncpus 37.94 exceeded limit 36 (sum)", "was killed for its use of ncpus"),
        (
            "=>> PBS: job killed: node 3 (nid001) requested job die, code 15009",
            "was killed at the word of one of its nodes",
        ),
        (
            "=>> PBS: job killed: node 7 (nid0042) requested job terminate, 'EOF' (code 1099) - received SISTER_EOF",
            "ended because a node failed",
        ),
        ("=>> PBS: job killed", "was cancelled"),
        ("Job 123.gadi-pbs has exceeded memory allocation on node gadi-cpu-1", "ran out of memory and was killed"),
        ("61.250s: job.exception type=timeout severity=0 resource allocation expired", "ran into its time limit"),
        ('1790000000.5 exception type="timeout" severity=0 userid=1001 note="expired"', "ran into its time limit"),
        ('{"timestamp":1.5,"name":"exception","context":{"type":"timeout","severity":0}}', "ran into its time limit"),
        ('{"timestamp":1.5,"name":"exception","context":{"type":"cancel","severity":0}}', "was cancelled"),
        ("REASON                        : ELAPSE LIMIT EXCEEDED", "ran into its time limit"),
        (
            "Error from slot1_3@node21: Job has gone over cgroup memory limit of 2048 megabytes.",
            "ran out of memory and was killed",
        ),
        (
            "[WARN] PLE 0600 plexec The process terminated abnormally.(rank=12)(nid=0x0301000c)",
            "ended because one of its processes failed",
        ),
        ("TERM_RUNLIMIT: job killed after reaching LSF run time limit.", "ran into its time limit"),
        ("TERM_MEMLIMIT: job killed after reaching LSF memory usage limit.", "ran out of memory and was killed"),
        ("State: TIMEOUT (exit code 0)", "ran into its time limit"),
        ("State: OUT_OF_MEMORY (exit code 0)", "ran out of memory and was killed"),
        ("State: COMPLETED (exit code 0)", None),
        ("State: TIMEOUT of the solver", None),
        ("application called MPI_Abort(MPI_COMM_WORLD, 1) - process 0", "was aborted, by a call of MPI_Abort"),
        (
            "[cli_3]: application called MPI_Abort(MPI_COMM_WORLD, -1) - process 3",
            "was aborted, by a call of MPI_Abort",
        ),
        (
            "Abort(7) on node 2 (rank 2 in comm 0): application called MPI_Abort(MPI_COMM_WORLD, 7) - process 2",
            "was aborted, by a call of MPI_Abort",
        ),
        (
            "Rank 29 [Thu Jan 12 17:19:30 2017] [c0-0] application called MPI_Abort(MPI_COMM_WORLD, 1) - process 29",
            "was aborted, by a call of MPI_Abort",
        ),
        ("MPI_ABORT was invoked on rank 3 in communicator MPI_COMM_WORLD", "was aborted, by a call of MPI_Abort"),
        (
            "[n05.hill:05005] MPI_ABORT invoked on rank 0 in communicator MPI_COMM_WORLD with errorcode 1",
            "was aborted, by a call of MPI_Abort",
        ),
        ("the MPI_ABORT invoked on rank 0 was ours", None),
        ("  call MPI_Abort(MPI_COMM_WORLD, 1, ierr)", None),
        ("NOTE: invoking MPI_ABORT causes Open MPI to kill all MPI processes.", None),
        ("=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES", "ended because one of its processes failed"),
        (
            "mpirun noticed that process rank 3 with PID 0 on node n01 exited on signal 11 (Segmentation fault).",
            "ended because one of its processes failed",
        ),
        ("srun: error: nid001: task 3: Segmentation fault", "ended because one of its processes failed"),
        ("srun: error: nid001: task 3: Exited with exit code 1", None),
        ("*** JOB 7 is the name of the game ***", None),
    ],
)
def test_how_a_job_was_ended_is_told(line: str, how: str | None) -> None:
    notes = [p for p in read(block("a") + line + "\n").problems if p.code == "ended"]
    assert [re.sub(r"^(?:the )?job(?: \d+)?", "the job", p.message.split(":")[0]) for p in notes] == (
        [] if how is None else [f"the job {how}"]
    )
    assert all(p.line == 20 and not p.loses_data for p in notes)


def test_the_reason_is_told_and_not_what_came_of_it() -> None:
    text = block("a") + STEP.format("") + "\n" + KILLED + "\n" + STEP.format("") + "\n"
    (note,) = (p for p in read(text).problems if p.code == "ended")
    assert (note.line, "out of memory" in note.message) == (21, True)


def test_what_came_of_a_reason_is_not_told_as_one() -> None:
    """A scheduler may kill a job whose rank called MPI_Abort, and a job that is killed loses its processes."""
    lost = "=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES"
    abort = "application called MPI_Abort(MPI_COMM_WORLD, 1) - process 0"
    limit = STEP.format("DUE TO TIME LIMIT ")
    for lines, line in (
        ((STEP.format(""), lost, abort), 22),
        ((abort, lost, STEP.format("")), 20),
        ((lost, abort, limit), 22),
        (("srun: error: n7: task 3: Exited with exit code 1", "srun: Job step aborted", STEP.format("")), 20),
        ((STEP.format(""), lost), 20),
        ((lost, STEP.format("")), 20),
        ((STEP.format(""), "srun: error: n7: task 3: Exited with exit code 1"), 20),
    ):
        (note,) = (p for p in read(block("a") + "\n".join(lines) + "\n").problems if p.code == "ended")
        assert note.line == line


@pytest.mark.parametrize("quote", ["", "> ", ">> "])
def test_a_reason_is_told_though_a_mail_program_broke_the_line_before_it(quote: str) -> None:
    first, rest = STEP.format("DUE TO TIME LIMIT ").split(" DUE")
    found = ending(io.BytesIO(f"{quote}{first}\n{quote}DUE{rest}\n".encode()), Limits().line_bytes)
    assert found is not None
    assert (found.how, found.line, found.end) == ("ran into its time limit", 1, JobEnd("time-limit", True, "418377"))
    other = ending(io.BytesIO(f"{first}\nan error\nDUE TO TIME LIMIT ***\n".encode()), Limits().line_bytes)
    assert other is not None
    assert other.how == "was cancelled"


@pytest.mark.parametrize(
    ("line", "end", "job"),
    [
        (KILLED, JobEnd("memory", True, "418377"), "418377"),
        (
            STEP.format("DUE TO TIME LIMIT ").replace("STEP 418377.0", "JOB 418377"),
            JobEnd("time-limit", job="418377"),
            "418377",
        ),
        ("=>> PBS: job killed: walltime 3622 exceeded limit 3600", JobEnd("time-limit"), None),
        ("TERM_MEMLIMIT: job killed after reaching LSF memory usage limit.", JobEnd("memory"), None),
    ],
)
def test_a_text_that_tells_nothing_but_its_end_is_read(line: str, end: JobEnd, job: str | None) -> None:
    """Alone it says what a helpdesk is asked first, and whose job it was."""
    evidence = detect.read(io.BytesIO(f" step 1 done\n{line}\n".encode()))
    assert not isinstance(evidence, Failure)
    ((context,), (note,)) = (evidence.parts, evidence.problems)
    assert isinstance(context, JobContext)
    assert (context.source, context.job_id, note.code, note.end) == ("output", job, "ended", end)
    assert detect.describe(evidence) == ("the word of the end" + (f" of job {job}" if job else ""),)


def test_what_else_a_job_printed_does_not_hide_how_it_was_ended() -> None:
    copied = "10737418240 bytes (11 GB, 10 GiB) copied, 5.5 s, 1.9 GB/s\n"
    refused = detect.read(io.BytesIO(copied.encode()))
    assert isinstance(refused, Failure)
    assert refused.message.startswith("output of dd")
    ended = detect.read(io.BytesIO(f"{copied}{KILLED}\n".encode()))
    assert not isinstance(ended, Failure)
    assert [p.code for p in ended.problems] == ["ended"]


def test_a_line_is_looked_at_once_whatever_it_repeats() -> None:
    def looked_for(words: int) -> int:
        return calls_of(lambda: ending(io.BytesIO(b"State: " * words + b"\n"), Limits().line_bytes))

    looked_for(1)  # What the first call of all prepares is no part of it.
    assert looked_for(900) == looked_for(100)


def test_an_error_that_is_known_stands_beside_the_end() -> None:
    text = (
        "Abort with message NetCDF: Attempt to extend dataset during NC_INDEPENDENT I/O operation. in file x.c\n"
        "application called MPI_Abort(MPI_COMM_WORLD, -1) - process 0\n"
    )
    answer = detect.read(io.BytesIO(text.encode()))
    assert isinstance(answer, Evidence)
    assert [p.code for p in answer.problems] == ["ended", "note"]
    assert "nc_var_par_access(ncid, varid, NC_COLLECTIVE)" in answer.problems[1].message
