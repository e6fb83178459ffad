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


@frozen
class Problem:
    """`message` is one plain sentence that says what happened and what it means for the numbers.

    `loses_data` is true where figures read from the source are lower bounds or missing because of it: a source
    with such a problem has the status "partial". `where` names a region ("POSIX", "job record") for binary logs;
    `line` is counted from 1 for texts.
    """

    code: ProblemCode
    message: str
    loses_data: bool = False
    where: str | None = None
    line: int | None = None
