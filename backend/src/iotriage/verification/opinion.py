"""A second opinion on a stranger's log, as the confined process sends it that made both readings and compared them.
Nothing else comes back from there, and nothing in it is trusted before it has this shape."""

from __future__ import annotations

from typing import Literal

from pydantic import TypeAdapter

from iotriage.verification.agreement import Shown
from iotriage_parsers.frozen import frozen


@frozen
class DifferingValues:
    """`values` values of one kind that differ in a part of the log, with the first of them: ours and pydarshan's. None
    is a value that a side does not have. `reason` says why where that is known."""

    part: str
    what: str
    values: int
    ours: Shown
    theirs: Shown
    record: str | None
    rank: int | None
    reason: str | None


@frozen
class ComparedPart:
    part: str
    agreed: int
    differing: int


@frozen
class SecondOpinion:
    """pydarshan's version, how many values agree and differ in each part, and the kinds of those that differ.
    `unlisted` is how many more kinds there are than `differences` has."""

    kind: Literal["compared"]
    pydarshan: str
    agreed: int
    differing: int
    parts: tuple[ComparedPart, ...]
    differences: tuple[DifferingValues, ...]
    unlisted: int


@frozen
class NoSecondOpinion:
    """Why there is none, in a sentence: the extra is not installed, the source is no Darshan log, or pydarshan cannot
    open it, died over it, or took more time or memory than it may."""

    kind: Literal["not-installed", "no-log", "cannot-open", "died", "too-much"]
    reason: str


Opinion = SecondOpinion | NoSecondOpinion
OPINION: TypeAdapter[Opinion] = TypeAdapter(Opinion)
