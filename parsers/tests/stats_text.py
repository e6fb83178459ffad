"""MPICH_MPIIO_STATS blocks for tests, and ways to read them."""

from __future__ import annotations

import io
import os
from pathlib import Path

from iotriage_parsers import detect
from iotriage_parsers.evidence import Evidence, MpiioStats
from iotriage_parsers.reader import Limits

REPOSITORY = Path(__file__).parents[2]
SAMPLES = REPOSITORY / "sample-logs" / "mpich_stats"

RULE = "+" + "-" * 56 + "+"
VALUES = {
    "independent writes": "5",
    "collective writes": "640",
    "independent writers": "1",
    "aggregators": "10",
    "stripe count": "10",
    "stripe size": "2097152",
    "system writes": "1605",
    "stripe sized writes": "1600",
    "aggregators active": "0,40,100,500 (1, <= 5, > 5, 10)",
    "total bytes for writes": "3355448320 = 3200 MiB = 3 GiB",
    "ave system write size": "2090622",
    "read-modify-write count": "3",
    "read-modify-write bytes": "4096",
    "number of write gaps": "2",
    "ave write gap size": "8192",
}
TRAILER = '| See "Optimizing MPI I/O on Cray XE Systems" S-0013-20 for explanations.'


def field(label: str, value: str) -> str:
    return f"|   {label:<23} = {value}"


def block(file: str = "plain.dat", **changes: str | None) -> str:
    """A write block of 19 lines. A change is named with underscores; None leaves the line out."""
    values = VALUES | {
        label.replace("_", " ").replace("read modify write", "read-modify-write"): v for label, v in changes.items()
    }
    lines = [field(label, value) for label, value in values.items() if value is not None]
    return "\n".join([RULE, f"| MPIIO write access patterns for {file}", *lines, TRAILER, RULE]) + "\n"


def read(text: str | bytes, limits: Limits | None = None) -> Evidence:
    """The evidence of a text that holds some."""
    data = text.encode() if isinstance(text, str) else text
    answer = detect.read(io.BytesIO(data), limits)
    assert isinstance(answer, Evidence), answer
    return answer


def blocks(text: str | bytes) -> tuple[MpiioStats, ...]:
    return read(text).of(MpiioStats)


def codes(evidence: Evidence) -> list[str]:
    return [p.code for p in evidence.problems]


def message(evidence: Evidence, code: str) -> str:
    """The message of the one problem with this code."""
    (found,) = (p.message for p in evidence.problems if p.code == code)
    return found


def extra(*folders: str) -> Path | None:
    """A folder of the extra corpora: IOTRIAGE_CORPUS, else `../shared` beside the repository, else None."""
    folder = Path(os.environ.get("IOTRIAGE_CORPUS", REPOSITORY.parent / "shared")).joinpath(*folders)
    return folder if folder.is_dir() else None
