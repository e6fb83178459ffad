"""The process that reads a log twice and compares: `python -m iotriage.verification.verify_child LOG` writes a
`Comparison` as JSON to standard output.

It runs the library that is not safe with bytes of strangers: before it opens the log, it gives up everything but that
file and the libraries, as far as the host allows.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

from iotriage.confinement import Limits, confine
from iotriage.verification import pydarshan_reader
from iotriage.verification.agreement import compare
from iotriage.verification.awaited import end_if_unawaited
from iotriage.verification.reading import READING, CannotOpen
from iotriage.verification.verify import COMPARISON, Comparison, NotCompared, Verified
from iotriage_parsers.detect import read
from iotriage_parsers.evidence import DarshanLog, DxtTrace, Failure
from iotriage_parsers.temporary_files import preallocate

LIMITS = Limits(memory_bytes=4 << 30, cpu_seconds=300, file_bytes=1 << 30)


def compared(log: Path) -> Comparison:
    """Both readings of a file and what they differ in; what is no log for us, pydarshan does not see."""
    with log.open("rb") as stream:
        ours = read(stream)
    if isinstance(ours, Failure):
        return NotCompared("no-log", f"It could not be read: {ours.message}")
    logs = ours.of(DarshanLog)
    if len(logs) != 1 or ours.reader != "darshan_log":
        return NotCompared("no-log", "It is no Darshan log, and pydarshan reads nothing else.")
    theirs = READING.validate_python(pydarshan_reader.read(str(log)))
    if isinstance(theirs, CannotOpen):
        return NotCompared("cannot-open", f"pydarshan cannot open the log: {theirs.error}")
    return Verified(theirs.pydarshan, compare(logs[0], ours.of(DxtTrace), theirs))


def main(log: str) -> None:
    # What the library prints must not stand in the answer.
    answer = os.dup(1)
    os.dup2(2, 1)
    with suppress(OSError):
        preallocate()
    with suppress(OSError):
        confine(LIMITS, None, [Path(log)])
    end_if_unawaited(answer)
    with os.fdopen(answer, "wb") as out:
        out.write(COMPARISON.dump_json(compared(Path(log))))


if __name__ == "__main__":
    main(sys.argv[1])
