"""How a job or a step ended by Slurm's states, where that is not by coming to its end. They do not tell at which call
of the program it was."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from iotriage_parsers.evidence import JobStep, Problem
from iotriage_parsers.evidence.job_context import SLURM_STEPS, slurm_state, under_way
from iotriage_parsers.text.endings import AT_ITS_LIMIT, LOST, OF_A_NODE, OUT_OF_MEMORY, PREEMPTED, end_of

_ENDINGS: Final = {
    "OUT_OF_MEMORY": OUT_OF_MEMORY,
    "TIMEOUT": AT_ITS_LIMIT,
    "CANCELLED": "was cancelled",
    "NODE_FAIL": OF_A_NODE,
    "FAILED": "failed",
    "PREEMPTED": PREEMPTED,
    "DEADLINE": "ran past its deadline",
    "BOOT_FAIL": "did not begin: its nodes did not boot",
    "LAUNCH_FAILED": "did not begin: its launch failed",
    "REVOKED": "was revoked",
}
_MOST_SHOWN: Final = 4


def ending_problem(source: str, job_id: str, state: str | None, steps: Iterable[JobStep], line: int) -> Problem | None:
    """What the reader of a case is to know of how its job ended; a batch script may come to its end after a step that
    did not."""
    ended = slurm_state(state, _ENDINGS)
    if ended is not None:
        message = f"job {job_id} {_ENDINGS[ended]}, by {source} ({ended}): {LOST}"
        return Problem("ended", message, line=line, end=end_of(_ENDINGS[ended], job=job_id))
    if under_way(state):
        asked = f"when {source} was asked ({state})"
        return Problem("note", f"job {job_id} had not ended {asked}: its times are not whole", line=line)
    every = [(s, found) for s in steps if (found := slurm_state(s.state, _ENDINGS)) is not None]
    broken = [one for one in every if one[0].step not in SLURM_STEPS] or every
    if not broken:
        return None
    named = ", ".join(f"step {s.step} {_ENDINGS[found]}" for s, found in broken[:_MOST_SHOWN])
    more = f" and {len(broken) - _MOST_SHOWN:,} more did not end well" if len(broken) > _MOST_SHOWN else ""
    message = f"of job {job_id} {named}{more}, by {source}: {LOST}"
    return Problem(
        "ended", message, line=broken[0][0].line, end=end_of(_ENDINGS[broken[0][1]], of_step=True, job=job_id)
    )
