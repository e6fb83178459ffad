"""What schedulers say about a job in forms that are not read."""

from __future__ import annotations

from typing import Final

from iotriage_parsers.text.known.kind import ACCOUNTING, RUN, kind_of

ACCOUNTS: Final = (
    kind_of(
        "sacct --json",
        rb'"jobs": ?\[\s{0,24}\{\s{0,24}"(?:account|array)"',
        "jobs as Slurm keeps them",
        f"{ACCOUNTING} sacct -j JOBID --format=JobID,State,Elapsed,NNodes,NTasks prints a table that is read.",
        named="output of sacct or squeue with --json",
        anywhere=True,
    ),
    kind_of(
        "qstat -F json",
        rb'"pbs_version"\s{0,4}:\s{0,4}"',
        "jobs as PBS keeps them",
        f"{ACCOUNTING} qstat -xf JOBID prints a form that is read.",
        named="output of qstat with -F json",
        anywhere=True,
    ),
    kind_of(
        "rows of sacct",
        # Not by the rows of numbered steps: programs print a time, and that something FAILED.
        rb"\d{1,12}(?:_\d{1,9})?\.(?:batch|extern|interac[a-z]{0,4})\+?[ |]\S?[^\n]{0,200}?[ |](?:COMPLETED|FAILED"
        rb"|TIMEOUT|CANCELLED|RUNNING|OUT_OF_ME)",
        "steps of a job",
        f"{ACCOUNTING} Give the rows of sacct with the line of its columns' names: these are read.",
        named="rows of sacct without the names of their columns",
    ),
    kind_of(
        "reportseff",
        rb"(?:JobID|Name)[ ]+(?:\S+[ ]+){0,6}TimeEff[ ]+CPUEff\b",
        "the use of the time, processors and memory that jobs asked for",
        f"{ACCOUNTING} What seff prints of one job is read.",
    ),
    kind_of(
        "LLview",
        rb"LLview\b.{0,80}[Rr]eport|.{0,80}\bLLview [Jj]ob [Rr]eport",
        "a job's use of its nodes, and their rates to the file systems",
        f"How its files are used it does not say. {RUN}",
        named="a report of LLview",
    ),
    kind_of(
        "XDMoD",
        rb"title[ \t\r]*\n.{1,200}\n(?:parameters|subtitle)\b|.{0,40}\bXDMoD\b.{0,40}\b(?:Job Viewer|[Ee]xport)",
        "what a centre's monitoring keeps of jobs",
        ACCOUNTING,
        named="an export of XDMoD",
    ),
    kind_of(
        "Cray's RUR",
        rb"uid: \d{1,10}, apid: \d{1,12}, jobid: ",
        "the use of a run's time and memory, and the characters that it read and wrote, pipes and terminals too",
        ACCOUNTING,
        named="a record of Cray's RUR",
    ),
    kind_of(
        "ALPS",
        rb"Application \d{1,12} resources: utime ~",
        "the time and memory of a run, and blocks in and out",
        ACCOUNTING,
        named="what ALPS (aprun) prints at the end of a run",
    ),
    kind_of(
        "squeue",
        rb"JOBID[ ]+PARTITION[ ]+NAME[ ]+USER[ ]+ST[ ]+TIME",
        "jobs that wait or run",
        ACCOUNTING,
    ),
    kind_of(
        "sstat",
        rb"JobID[ |][^\n]{0,200}\b(?:Max|Ave)(?:DiskRead|DiskWrite|RSS|VMSize)\b",
        "what steps of a job used by then, MaxDiskRead and MaxDiskWrite of one of their tasks",
        f"{ACCOUNTING} sacct -j JOBID --format=JobID,State,Elapsed,NNodes,NTasks prints a table that is read.",
        named="output of sstat",
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
