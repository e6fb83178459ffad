"""How a scheduler says in a job's output that it ended the job: at a limit, for its memory, for a node, by somebody.

Slurm's slurmstepd and srun, `seff`, PBS and LSF. A program that fails by itself is not looked for: it says so in words
of its own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import BinaryIO, Final

from iotriage_parsers.evidence import Problem
from iotriage_parsers.frozen import frozen
from iotriage_parsers.text.anchors import anchor_search
from iotriage_parsers.text.cued_lines import cued_lines
from iotriage_parsers.text.lines import decoded

AT_ITS_LIMIT: Final = "ran into its time limit"
OUT_OF_MEMORY: Final = "ran out of memory and was killed"
CANCELLED: Final = "was cancelled"
LOST: Final = (
    "what it had not written by then, as a Darshan log and the statistics of files that were open, is not to be had"
)

_SLURM: Final = re.compile(
    r"\*\*\* (?:JOB|STEP) \S{1,40} ON \S{1,80} CANCELLED AT \S{1,40}(?: DUE TO ([A-Z][A-Za-z ]{1,40}?))?(?:,| \*\*\*|$)"
)
_BECAUSE: Final = (
    ("TIME LIMIT", AT_ITS_LIMIT),
    ("NODE FAIL", "ended because a node failed"),
    ("PREEMPTION", "was preempted by another job"),
    ("JOB REQUEUE", "was put back into the queue"),
)
_MEMORY: Final = re.compile(
    r"Detected \d{1,9} oom[-_]kill event|: task \d{1,9}(?:[-,]\d{1,9})*: Out Of Memory"
    r"|Exceeded (?:job|step) memory limit"
)
_PBS: Final = re.compile(r"=>> PBS: job killed(?:: (\S{1,40}) \S{1,40} exceeded limit )?")
"""It is killed at the word of one of its nodes too."""
_LSF: Final = re.compile(r"\bTERM_(RUNLIMIT|MEMLIMIT|OWNER|ADMIN|PREEMPT|NODEFAIL)\b")
_SEFF: Final = re.compile(
    r"State: (OUT_OF_MEMORY|TIMEOUT|CANCELLED|NODE_FAIL|PREEMPTED|FAILED)\b.{0,40}\(exit code \d{1,9}\)"
)
_OF_PBS: Final[Mapping[str, str]] = {"walltime": AT_ITS_LIMIT, "mem": OUT_OF_MEMORY, "vmem": OUT_OF_MEMORY}
_OF_LSF: Final[Mapping[str, str]] = {
    "RUNLIMIT": AT_ITS_LIMIT,
    "MEMLIMIT": OUT_OF_MEMORY,
    "PREEMPT": "was preempted by another job",
    "NODEFAIL": "ended because a node failed",
}
_OF_SEFF: Final[Mapping[str, str]] = {
    "OUT_OF_MEMORY": OUT_OF_MEMORY,
    "TIMEOUT": AT_ITS_LIMIT,
    "NODE_FAIL": "ended because a node failed",
    "PREEMPTED": "was preempted by another job",
    "FAILED": "failed",
}
_CUES: Final = anchor_search(
    (
        b" CANCELLED AT ", b"oom-kill event", b"oom_kill event", b": Out Of Memory", b" memory limit",
        b"=>> PBS: job killed", b"TERM_", b"State: ",
    )
)  # fmt: skip


@frozen
class Ending:
    """`how` follows "the job"; `line` is where it is said."""

    how: str
    line: int


def note_of_ending(stream: BinaryIO, line_bytes: int) -> Problem | None:
    """What is told of a text whose job a scheduler ended; None where no line says so."""
    found = ending(stream, line_bytes)
    if found is None:
        return None
    return Problem("ended", f"the job {found.how} (line {found.line}): {LOST}", line=found.line)


def ending(stream: BinaryIO, line_bytes: int, after: int = 0) -> Ending | None:
    """How the first scheduler's word behind the line `after` says that the job was ended; None where none does. Of
    memory it is said before that the rest was cancelled, and of either the reason counts."""
    found: Ending | None = None
    for number, raw in cued_lines(_CUES, stream, line_bytes):
        how = _how(decoded(raw)[0]) if number > after else None
        if how is not None and (found is None or how != CANCELLED):
            found = Ending(how, number)
            if how != CANCELLED:
                return found
    return found


def _how(line: str) -> str | None:
    slurm = _SLURM.search(line)
    if slurm is not None:
        return next((how for why, how in _BECAUSE if why in (slurm[1] or "")), CANCELLED)
    if _MEMORY.search(line):
        return OUT_OF_MEMORY
    pbs, lsf, seff = _PBS.search(line), _LSF.search(line), _SEFF.match(line.strip())
    if pbs is not None:
        return CANCELLED if pbs[1] is None else _OF_PBS.get(pbs[1], f"was killed for its use of {pbs[1]}")
    if lsf is not None:
        return _OF_LSF.get(lsf[1], CANCELLED)
    return None if seff is None else _OF_SEFF.get(seff[1], CANCELLED)
