"""What pydarshan says of many logs, for one import of it."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import read_many

from iotriage.verification.agreement import Compared, compare
from iotriage.verification.reading import READING, CannotOpen, PydarshanReading
from iotriage_parsers.detect import read
from iotriage_parsers.evidence import DarshanLog, DxtTrace


def second_opinions(logs: Sequence[Path]) -> dict[Path, PydarshanReading | CannotOpen]:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, read_many.__file__, folder, *map(str, logs)]
        subprocess.run(command, capture_output=True, check=True, timeout=280)
        texts = {log: (Path(folder) / f"{at}.json").read_bytes() for at, log in enumerate(logs)}
    return {log: READING.validate_json(text, strict=True) for log, text in texts.items()}


def compared(log: Path, theirs: PydarshanReading) -> tuple[Compared, ...]:
    with log.open("rb") as stream:
        evidence = read(stream)
    (ours,) = evidence.of(DarshanLog)
    return compare(ours, evidence.of(DxtTrace), theirs)
