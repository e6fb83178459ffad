"""How a job's output says that the job was ended: by a scheduler, at a limit, for its memory, for a node, by somebody;
or by the MPI library, as a rank called MPI_Abort or was lost.

Slurm's slurmstepd and srun, `seff`, PBS, LSF, Flux, Fujitsu's scheduler and HTCondor, the kernel where it kills for
memory; MPICH and what is made of it (Cray's, Intel's, MVAPICH), whose launcher is Hydra, and Open MPI. Why a program
fails it says in words of its own, which are not looked for. A comment of a script tells of another run.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import BinaryIO, Final

from iotriage_parsers.evidence import JobContext, JobEnd, Lines, Problem
from iotriage_parsers.evidence.job_context import ContextField, Scheduler
from iotriage_parsers.evidence.problem import EndedBy
from iotriage_parsers.frozen import frozen
from iotriage_parsers.text.anchors import anchor_search
from iotriage_parsers.text.cued_lines import cued_lines
from iotriage_parsers.text.lines import decoded

AT_ITS_LIMIT: Final = "ran into its time limit"
OUT_OF_MEMORY: Final = "ran out of memory and was killed"
CANCELLED: Final = "was cancelled"
OF_A_NODE: Final = "ended because a node failed"
PREEMPTED: Final = "was preempted by another job"
REQUEUED: Final = "was put back into the queue"
ABORTED: Final = "was aborted, by a call of MPI_Abort"
PROCESS_LOST: Final = "ended because one of its processes failed"
_BY: Final[Mapping[str, EndedBy]] = {
    AT_ITS_LIMIT: "time-limit",
    OUT_OF_MEMORY: "memory",
    OF_A_NODE: "node",
    PREEMPTED: "preempted",
    REQUEUED: "requeued",
    ABORTED: "aborted",
    PROCESS_LOST: "process",
}
LOST: Final = "what it had not written by then is lost, such as a Darshan log and the statistics of files still open"

_SLURM: Final = re.compile(
    r"\*\*\* (JOB|STEP) (\d{1,12})?\S{0,40}(?: ON \S{1,80})? CANCELLED(?: AT \S{1,40})?"
    r"(?: DUE TO ([A-Z][A-Za-z ]{1,40}?))?(?:,| \*\*\*|\s*$)"
)
_GOES_ON: Final = re.compile(r"[>|\s]{0,40}DUE TO ([A-Z][A-Za-z ]{1,40}?)(?: \*\*\*|\s*$)")
"""Where a mail program broke the line before it."""
_BECAUSE: Final = (
    ("TIME LIMIT", AT_ITS_LIMIT),
    ("NODE FAIL", OF_A_NODE),
    ("PREEMPTION", PREEMPTED),
    ("JOB REQUEUE", REQUEUED),
)
_MEMORY: Final = re.compile(
    r"Detected \d{1,9} oom[-_]kill event\S{0,3}(?: in (?:StepId=|step )(\d{1,12}))?"
    r"|: task \d{1,9}(?:[-,]\d{1,9})*: Out Of Memory"
    r"|Exceeded (?:job|step) memory limit|(?:Job|Step) (\d{1,12})?\S{0,40} exceeded memory limit \("
    r"|[Oo]ut of memory: Kill(?:ed)? process \d"
    r"|\bJob (\d{1,12})\S{0,80} has exceeded memory allocation on node "
    r"|\bJob has gone over (?:cgroup )?memory limit of \d"
)
_PBS: Final = re.compile(
    r"(?:=>> |=&gt;&gt; |^\s*)PBS: job killed"
    r"(?:: (?:(\S{1,40}) \S{1,40} exceeded limit |node \d{1,7} \(\S{1,200}\) requested job (terminate, 'EOF'|\S)))?"
)
_FLUX: Final = re.compile(
    r"\bjob\.exception type=(timeout|cancel) |\bexception type=\"(timeout|cancel)\" severity=0"
    r"|\"name\": ?\"exception\", ?\"context\": ?\{\"type\": ?\"(timeout|cancel)\""
)
"""As `flux run` prints it, and the log of a job's events, as text and as it is kept."""
_PJM: Final = re.compile(r"\s*REASON\s{1,40}: ELAPSE LIMIT EXCEEDED\s*$")
"""Of Fujitsu's Technical Computing Suite, in a job's statistics."""
_LSF: Final = re.compile(r"\bTERM_(RUNLIMIT|MEMLIMIT|OWNER|ADMIN|PREEMPT|NODEFAIL)\b")
_SEFF: Final = re.compile(
    r"State: (OUT_OF_MEMORY|TIMEOUT|CANCELLED|NODE_FAIL|PREEMPTED|FAILED)\b.{0,40}\(exit code \d{1,9}\)"
)
_ABORT: Final = re.compile(
    r"\bapplication called MPI_Abort\("
    r"|^\W{0,40}(?:\d{1,9}:\s|\S{1,100}:\d{1,9}\]\s)?MPI_ABORT (?:was )?invoked on rank \d"
)
"""Of MPICH since 1.1 and all that is made of it; of Open MPI."""
_LOST: Final = re.compile(
    r"=\s{1,4}BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES"
    r"|\bnoticed that (?:process|job) rank \d{1,9} with PID \d{1,10} on node \S{1,100} exited on signal \d"
    r"|\bmpirun detected that one or more processes exited with non-zero status"
    r"|\bsrun: error: \S{1,200}: tasks? [\d,-]{1,200}: "
    r"(?:Segmentation fault|Aborted|Bus error|Floating point exception)"
    r"|\bPLE 0600 plexec The process terminated abnormally\."
)
"""Of Hydra, of Open MPI, of srun, which says about a process that was killed no more than that, of Fujitsu's MPI."""
_EXITED: Final = re.compile(r"\bsrun: error: \S{1,200}: tasks? [\d,-]{1,200}: Exited with exit code [1-9]")
"""Of processes that ended by themselves, with a code that says so, as many do that did all that they were to; what
Slurm cancels then is cancelled for it."""
_OF_PBS: Final[Mapping[str, str]] = {"walltime": AT_ITS_LIMIT, "mem": OUT_OF_MEMORY, "vmem": OUT_OF_MEMORY}
_OF_LSF: Final[Mapping[str, str]] = {
    "RUNLIMIT": AT_ITS_LIMIT,
    "MEMLIMIT": OUT_OF_MEMORY,
    "PREEMPT": PREEMPTED,
    "NODEFAIL": OF_A_NODE,
}
_OF_SEFF: Final[Mapping[str, str]] = {
    "OUT_OF_MEMORY": OUT_OF_MEMORY,
    "TIMEOUT": AT_ITS_LIMIT,
    "NODE_FAIL": OF_A_NODE,
    "PREEMPTED": PREEMPTED,
    "FAILED": "failed",
}
_NO_REASON: Final = (CANCELLED, PROCESS_LOST, ABORTED)
"""What comes of a reason that stands elsewhere, or nowhere: the further behind the nearer to it."""
_COMMENT: Final = re.compile(r"\s*(?:#(?!\d{3}:)|\+{1,8} |echo )")
_CUES: Final = anchor_search(
    (
        b" CANCELLED", b"DUE TO ", b"oom-kill event", b"oom_kill event", b": Out Of Memory", b" memory limit",
        b"exceeded memory allocation", b"ut of memory: Kill", b"PBS: job killed", b"TERM_", b"State: ", b"MPI_Abort(",
        b"MPI_ABORT ", b"exception type=", b'"exception"', b"ELAPSE LIMIT EXCEEDED", b"gone over cgroup memory",
        b"PLE 0600 plexec", b"gone over memory", b"BAD TERMINATION OF ONE", b" exited on signal ",
        b"exited with non-zero", b"srun: error: ",
    )
)  # fmt: skip


@frozen
class Ending:
    """`how` follows "the job"; `line` is where it is said. `of_step` where that may be a step's end alone. `job` is the
    number that stands there."""

    how: str
    line: int
    of_step: bool = False
    scheduler: Scheduler | None = None
    job: str | None = None

    @property
    def end(self) -> JobEnd:
        return end_of(self.how, of_step=self.of_step, job=self.job)


def end_of(how: str, *, of_step: bool = False, job: str | None = None) -> JobEnd:
    """The end that one of the words of this module for how a job ended stands for."""
    return JobEnd(_BY.get(how, "other"), of_step, job)


def note_of_ending(stream: BinaryIO, line_bytes: int) -> Problem | None:
    """What is told of a text whose job a scheduler ended; None where no line says so."""
    found = ending(stream, line_bytes)
    return None if found is None else _note(found)


def end_of_job_in(stream: BinaryIO, line_bytes: int) -> tuple[JobContext, Problem] | None:
    """What is known of a job in whose output nothing is read but how it was ended; None where that is not told."""
    found = ending(stream, line_bytes)
    if found is None:
        return None
    named = () if found.job is None else (ContextField("job_id", found.job, found.line),)
    lines = Lines(found.line, found.line)
    return JobContext("output", lines, found.scheduler, job_id=found.job, fields=named), _note(found)


def _note(found: Ending) -> Problem:
    who = "the job" if found.job is None else f"job {found.job}"
    return Problem("ended", f"{who} {found.how}: {LOST}", line=found.line, end=found.end)


def ending(stream: BinaryIO, line_bytes: int, after: int = 0) -> Ending | None:
    """How the first word behind the line `after` says that the job was ended; None where none does. Of memory it is
    said before that the rest was cancelled, of lost processes before the call of MPI_Abort that ended them: of each the
    reason counts."""
    best: Ending | None = None
    exited: Ending | None = None
    for number, raw in cued_lines(_CUES, stream, line_bytes):
        text = decoded(raw)[0]
        if exited is None and best is None and number > after and _EXITED.search(text) is not None:
            exited = Ending(PROCESS_LOST, number, of_step=True)
        found = _ending(text, number) if number > after and _COMMENT.match(text) is None else None
        if found is None and best is not None and number == best.line + 1 and best.how == CANCELLED:
            found = _going_on(best, text)
        if found is not None and (best is None or _explains(found, best)):
            best = found
            if found.how not in _NO_REASON:
                return found
    return replace(exited, job=best.job) if exited is not None and best is not None and best.how == CANCELLED else best


def _explains(found: Ending, before: Ending) -> bool:
    """Whether it is more of a reason than what was said before it. A process that is lost where the job was cancelled
    was lost by that."""
    if found.how == PROCESS_LOST:
        return False
    return _reason_of(found) > _reason_of(before)


def _reason_of(found: Ending) -> int:
    return _NO_REASON.index(found.how) if found.how in _NO_REASON else len(_NO_REASON)


def _ending(line: str, number: int) -> Ending | None:
    slurm = _SLURM.search(line)
    if slurm is not None:
        return Ending(_reason(slurm[3]), number, slurm[1] == "STEP", "slurm", slurm[2])
    memory = _MEMORY.search(line)
    if memory is not None:
        return Ending(
            OUT_OF_MEMORY,
            number,
            of_step=True,
            scheduler="slurm" if "srun" in line or "slurm" in line else None,
            job=memory[1] or memory[2] or memory[3],
        )
    pbs, lsf, seff = _PBS.search(line), _LSF.search(line), _SEFF.match(line.strip())
    if pbs is not None:
        return Ending(_by_pbs(pbs[1], pbs[2]), number, scheduler="pbs")
    flux = _FLUX.search(line)
    if flux is not None:
        return Ending(AT_ITS_LIMIT if "timeout" in flux.groups() else CANCELLED, number, of_step=True)
    if _PJM.match(line) is not None:
        return Ending(AT_ITS_LIMIT, number)
    if lsf is not None:
        return Ending(_OF_LSF.get(lsf[1], CANCELLED), number)
    if _ABORT.search(line) is not None:
        return Ending(ABORTED, number, of_step=True)
    if _LOST.search(line) is not None:
        return Ending(PROCESS_LOST, number, of_step=True)
    return None if seff is None else Ending(_OF_SEFF.get(seff[1], CANCELLED), number, scheduler="slurm")


def _by_pbs(exceeded: str | None, node: str | None) -> str:
    """By what it used too much of, or what a node asked for, which is lost where its last word is the end of file."""
    if exceeded is not None:
        return _OF_PBS.get(exceeded, f"was killed for its use of {exceeded}")
    if node is None:
        return CANCELLED
    return OF_A_NODE if "EOF" in node else "was killed at the word of one of its nodes"


def _going_on(first: Ending, line: str) -> Ending | None:
    """With the reason that stands on the line behind; None where none does."""
    reason = _GOES_ON.match(line)
    return None if reason is None else replace(first, how=_reason(reason[1]))


def _reason(printed: str | None) -> str:
    return next((how for why, how in _BECAUSE if why in (printed or "")), CANCELLED)
