"""How a scheduler says in a job's output that it ended the job: at a limit, for its memory, for a node, by somebody.

Slurm's slurmstepd and srun, `seff`, PBS and LSF, and the kernel where it kills for memory. A program that fails by
itself is not looked for: it says so in words of its own. A comment of a script tells of another run.
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
_BY: Final[Mapping[str, EndedBy]] = {
    AT_ITS_LIMIT: "time-limit",
    OUT_OF_MEMORY: "memory",
    OF_A_NODE: "node",
    PREEMPTED: "preempted",
    REQUEUED: "requeued",
}
LOST: Final = "what it had not written by then is lost, such as a Darshan log and the statistics of files still open"

_SLURM: Final = re.compile(
    r"\*\*\* (JOB|STEP) (\d{1,12})?\S{0,40} ON \S{1,80} CANCELLED(?: AT \S{1,40})?"
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
    r"|Exceeded (?:job|step) memory limit|(?:Job|Step) \S{1,40} exceeded memory limit \("
    r"|[Oo]ut of memory: Kill(?:ed)? process \d"
)
_PBS: Final = re.compile(r"(?:=>> |=&gt;&gt; |^\s*)PBS: job killed(?:: (\S{1,40}) \S{1,40} exceeded limit )?")
"""It is killed at the word of one of its nodes too."""
_LSF: Final = re.compile(r"\bTERM_(RUNLIMIT|MEMLIMIT|OWNER|ADMIN|PREEMPT|NODEFAIL)\b")
_SEFF: Final = re.compile(
    r"State: (OUT_OF_MEMORY|TIMEOUT|CANCELLED|NODE_FAIL|PREEMPTED|FAILED)\b.{0,40}\(exit code \d{1,9}\)"
)
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
_COMMENT: Final = re.compile(r"\s*(?:#(?!\d{3}:)|\+{1,8} |echo )")
_CUES: Final = anchor_search(
    (
        b" CANCELLED", b"DUE TO ", b"oom-kill event", b"oom_kill event", b": Out Of Memory", b" memory limit",
        b"ut of memory: Kill", b"PBS: job killed", b"TERM_", b"State: ",
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
        return end_of(self.how, of_step=self.of_step)


def end_of(how: str, *, of_step: bool = False) -> JobEnd:
    """Of one of the words of this module for how a job ended."""
    return JobEnd(_BY.get(how, "other"), of_step)


def note_of_ending(stream: BinaryIO, line_bytes: int) -> Problem | None:
    """What is told of a text whose job a scheduler ended; None where no line says so."""
    found = ending(stream, line_bytes)
    return None if found is None else _note(found)


def told_of_its_end(stream: BinaryIO, line_bytes: int) -> tuple[JobContext, Problem] | None:
    """What is known of a job in whose output nothing is read but how it was ended; None where that is not told."""
    found = ending(stream, line_bytes)
    if found is None:
        return None
    named = () if found.job is None else (ContextField("job_id", found.job, found.line),)
    lines = Lines(found.line, found.line)
    return JobContext("output", lines, found.scheduler, job_id=found.job, fields=named), _note(found)


def _note(found: Ending) -> Problem:
    return Problem("ended", f"the job {found.how}: {LOST}", line=found.line, end=found.end)


def ending(stream: BinaryIO, line_bytes: int, after: int = 0) -> Ending | None:
    """How the first scheduler's word behind the line `after` says that the job was ended; None where none does. Of
    memory it is said before that the rest was cancelled, and of either the reason counts."""
    first: Ending | None = None
    for number, raw in cued_lines(_CUES, stream, line_bytes):
        text = decoded(raw)[0]
        found = _ending(text, number) if number > after and _COMMENT.match(text) is None else None
        if found is None and first is not None and number == first.line + 1 and first.how == CANCELLED:
            found = _going_on(first, text)
        if found is not None and (first is None or found.how != CANCELLED):
            first = found
            if found.how != CANCELLED:
                return found
    return first


def _ending(line: str, number: int) -> Ending | None:
    slurm = _SLURM.search(line)
    if slurm is not None:
        return Ending(_reason(slurm[3]), number, slurm[1] == "STEP", "slurm", slurm[2])
    memory = _MEMORY.search(line)
    if memory is not None:
        return Ending(OUT_OF_MEMORY, number, True, "slurm" if "srun" in line or "slurm" in line else None, memory[1])
    pbs, lsf, seff = _PBS.search(line), _LSF.search(line), _SEFF.match(line.strip())
    if pbs is not None:
        how = CANCELLED if pbs[1] is None else _OF_PBS.get(pbs[1], f"was killed for its use of {pbs[1]}")
        return Ending(how, number, scheduler="pbs")
    if lsf is not None:
        return Ending(_OF_LSF.get(lsf[1], CANCELLED), number)
    return None if seff is None else Ending(_OF_SEFF.get(seff[1], CANCELLED), number, scheduler="slurm")


def _going_on(first: Ending, line: str) -> Ending | None:
    """With the reason that stands on the line behind; None where none does."""
    reason = _GOES_ON.match(line)
    return None if reason is None else replace(first, how=_reason(reason[1]))


def _reason(printed: str | None) -> str:
    return next((how for why, how in _BECAUSE if why in (printed or "")), CANCELLED)
