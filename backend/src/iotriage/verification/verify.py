"""A log read by us and by pydarshan, in a process that is thrown away."""

from __future__ import annotations

import stat
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter, ValidationError

from iotriage.verification.agreement import Compared
from iotriage.verification.second_reader import NoSecondOpinionError, answer_of, check_installed
from iotriage_parsers.frozen import frozen

WALL_SECONDS = 300.0
ANSWER_BYTES = 512 << 20

# -I keeps the current folder and the user's own packages out, -B writes no bytecode.
_CHILD = (sys.executable, "-I", "-B", "-m", "iotriage.verification.verify_child")


class NotALogError(ValueError):
    """The file is no Darshan log, or one that we cannot read."""


@frozen
class Verified:
    """What the two make of a log. `pydarshan` is its version; the parts are those that the log has."""

    pydarshan: str
    parts: tuple[Compared, ...]

    @property
    def agreed(self) -> int:
        return sum(part.agreed for part in self.parts)

    @property
    def differing(self) -> int:
        return sum(part.differing for part in self.parts)


@frozen
class NotCompared:
    """Why one of the two has no reading, in a sentence."""

    kind: Literal["no-log", "cannot-open"]
    reason: str


Comparison = Verified | NotCompared
COMPARISON: TypeAdapter[Comparison] = TypeAdapter(Comparison)


@frozen
class Verification:
    """A comparison by the name of its log."""

    log: str
    found: Verified


def verify(
    log: Path, *, seconds: float = WALL_SECONDS, answer_bytes: int = ANSWER_BYTES, child: Sequence[str] = _CHILD
) -> Verification:
    """OSError where the file cannot be opened, NotALogError where it is no log for us, NoSecondOpinionError where
    pydarshan is not installed, cannot open the log, takes more than it may, dies over it, or where the answer has
    another form."""
    check_installed()
    mode = log.stat().st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        # It may never end, nor even open.
        raise NotALogError("It is a pipe or a device, and pydarshan opens a log by its name: write it to a file first.")
    with log.open("rb"):
        pass
    try:
        str(log.resolve()).encode()
    except UnicodeEncodeError as error:
        raise NoSecondOpinionError("pydarshan opens a log by its name, which is no UTF-8: give it another") from error
    answer, _ = answer_of([*child, str(log.resolve())], seconds, answer_bytes)
    try:
        found = COMPARISON.validate_json(answer, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise NoSecondOpinionError(f"the answer has another form: {first['loc']}: {first['msg']}") from error
    if isinstance(found, NotCompared):
        raise (NotALogError if found.kind == "no-log" else NoSecondOpinionError)(found.reason)
    return Verification(log.name, found)
