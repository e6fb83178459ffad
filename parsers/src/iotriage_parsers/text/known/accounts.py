"""What schedulers say about a job in forms that are not read."""

from __future__ import annotations

from typing import Final

from iotriage_parsers.text.known.kind import ACCOUNTING, kind_of

ACCOUNTS: Final = (
    kind_of("sacct --json", rb'\{[ \n]{0,8}"jobs": ?\[', "jobs as Slurm's accounting keeps them", ACCOUNTING),
    kind_of(
        "squeue",
        rb"JOBID[ ]+PARTITION[ ]+NAME[ ]+USER[ ]+ST[ ]+TIME",
        "jobs that wait or run",
        ACCOUNTING,
    ),
    kind_of(
        "LSF's bjobs",
        rb"JOBID[ ]+USER[ ]+STAT[ ]+(?:SLOTS[ ]+)?QUEUE[ ]",
        "jobs that wait, run or have ended",
        ACCOUNTING,
    ),
    kind_of(
        "Flux (flux jobs)",
        rb"JOBID[ ]+(?:QUEUE[ ]+)?USER[ ]+NAME[ ]+ST[ ]+NTASKS[ ]+NNODES",
        "jobs that wait, run or have ended",
        ACCOUNTING,
    ),
    kind_of(
        "Moab's checkjob",
        rb"AName: \S{1,200}[ \t\r]*\nState: [A-Z]|Total Requested Tasks: \d",
        "a job's state, time and nodes",
        ACCOUNTING,
    ),
    kind_of(
        "Fujitsu's job statistics",
        rb"ELAPSE TIME \((?:LIMIT|USE)\)[ ]{1,20}: \d|JOB MODEL[ ]{4,40}: (?:NM|ST|BU|MM)\b",
        "a job's times, nodes and memory",
        ACCOUNTING,
    ),
    kind_of(
        "HTCondor's log",
        rb"0\d\d \(\d{1,10}\.\d{3,9}\.\d{3}\) \S{4,10} \S{4,12} Job ",
        "when a job began, was held and ended",
        ACCOUNTING,
    ),
    kind_of(
        "the end of LSF's mail",
        rb"Resource usage summary:[ \t\r]*\n[ \t\r>]*\n?[ \t>]*CPU time :",
        "how a job ended, and its time and memory",
        ACCOUNTING,
        named="the end of LSF's mail of a job",
    ),
)
