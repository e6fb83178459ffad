"""A log read by us and by pydarshan."""

from __future__ import annotations

from pathlib import Path

from iotriage.verification.agreement import Compared, compare
from iotriage.verification.second_reader import read_with_pydarshan
from iotriage_parsers.detect import read
from iotriage_parsers.evidence import DarshanLog, DxtTrace, Failure
from iotriage_parsers.frozen import frozen


class NotALogError(ValueError):
    """The file is no Darshan log, or one that we cannot read."""


@frozen
class Verification:
    """`pydarshan` is its version; the parts are those that the log has."""

    log: str
    pydarshan: str
    parts: tuple[Compared, ...]

    @property
    def agreed(self) -> int:
        return sum(part.agreed for part in self.parts)

    @property
    def differing(self) -> int:
        return sum(part.differing for part in self.parts)


def verify(path: Path) -> Verification:
    """OSError where the file cannot be opened, NotALogError where it is no log for us, NoSecondOpinionError where
    pydarshan has no answer."""
    with path.open("rb") as stream:
        ours = read(stream)
    if isinstance(ours, Failure):
        raise NotALogError(ours.message)
    logs = ours.of(DarshanLog)
    if len(logs) != 1 or ours.reader != "darshan_log":
        raise NotALogError("it is no Darshan log: pydarshan reads nothing else")
    theirs = read_with_pydarshan(path)
    return Verification(path.name, theirs.pydarshan, compare(logs[0], ours.of(DxtTrace), theirs))
