"""What a reader could not read or does not trust. Nothing is ever silently short."""

from __future__ import annotations

from typing import Literal

from iotriage_parsers.frozen import frozen

ProblemCode = Literal[
    "truncated",
    "damaged",
    "partial-module",
    "unsupported",
    "out-of-range",
    "not-a-number",
    "unrecognised-number",
    "changed-letters",
    "duplicate-block",
    "interleaved",
    "torn",
    "cut-lines",
    "unterminated",
    "unknown-field",
    "encoding",
    "stripped",
    "line-too-long",
    "limit",
    "other-job",
    "ended",
    "note",
]

EndedBy = Literal["time-limit", "memory", "node", "preempted", "requeued", "aborted", "process", "other"]
"""Why a job was ended: by a scheduler; by the program itself (MPI_Abort); for a process that failed. `other` is without
a reason, as where somebody cancelled it."""


@frozen
class JobEnd:
    """`of_step` where it may be a step of the job alone; `job` is the number that is named with it."""

    by: EndedBy
    of_step: bool = False
    job: str | None = None


@frozen
class Problem:
    """`message` is one plain sentence that says what happened and what it means for the numbers.

    `loses_data` is true where figures read from the source are lower bounds or missing because of it: a source
    with such a problem has the status "partial". `where` names a region ("POSIX", "job record") for binary logs;
    `line` is counted from 1 for texts. `end` is how the job was ended before it was done, where the problem is that.
    """

    code: ProblemCode
    message: str
    loses_data: bool = False
    where: str | None = None
    line: int | None = None
    end: JobEnd | None = None
