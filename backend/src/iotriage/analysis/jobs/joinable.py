"""The result of comparing two cases: joinable, as they are of one job, or not."""

from __future__ import annotations

from iotriage_parsers.frozen import frozen


@frozen
class Joinable:
    """The cases are of one job; `because` names the evidence for that."""

    because: str


@frozen
class NotJoinable:
    """The cases are of one job, or may be, and are not joined; `because` says why. With `differ` they can never be one
    case, whatever another case adds."""

    because: str
    differ: bool = False
