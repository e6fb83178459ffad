"""What schedulers print in the output of a job that they end."""

from __future__ import annotations

import io
import time

import pytest
from stats_text import block, read

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
        ("=>> PBS: job killed: walltime 3622 exceeded limit 3600", "ran into its time limit"),
        ("=>> PBS: job killed: mem 99gb exceeded limit 64gb", "ran out of memory and was killed"),
        ("=>> PBS: job killed: ncpus 37.94 exceeded limit 36 (sum)", "was killed for its use of ncpus"),
        ("=>> PBS: job killed: node 3 (nid001) requested job die, code 15009", "was cancelled"),
        ("TERM_RUNLIMIT: job killed after reaching LSF run time limit.", "ran into its time limit"),
        ("TERM_MEMLIMIT: job killed after reaching LSF memory usage limit.", "ran out of memory and was killed"),
        ("State: TIMEOUT (exit code 0)", "ran into its time limit"),
        ("State: OUT_OF_MEMORY (exit code 0)", "ran out of memory and was killed"),
        ("State: COMPLETED (exit code 0)", None),
        ("State: TIMEOUT of the solver", None),
        ("*** JOB 7 is the name of the game ***", None),
    ],
)
def test_how_a_job_was_ended_is_told(line: str, how: str | None) -> None:
    notes = [p for p in read(block("a") + line + "\n").problems if p.code == "ended"]
    assert [p.message.split(":")[0] for p in notes] == ([] if how is None else [f"the job {how} (line 20)"])
    assert not any(p.loses_data for p in notes)


def test_the_reason_is_told_and_not_what_came_of_it() -> None:
    text = block("a") + STEP.format("") + "\n" + KILLED + "\n" + STEP.format("") + "\n"
    (note,) = (p for p in read(text).problems if p.code == "ended")
    assert (note.line, "out of memory" in note.message) == (21, True)


def test_a_line_is_looked_at_once_whatever_it_repeats() -> None:
    began = time.process_time()
    assert ending(io.BytesIO(b"State: " * 9_000 + b"\n"), Limits().line_bytes) is None
    assert time.process_time() - began < 2.0
