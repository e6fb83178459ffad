"""The logs that tests run over: the repository's samples, and the extra corpora where they exist."""

from __future__ import annotations

import io
import os
from functools import cache
from pathlib import Path

from iotriage_parsers.evidence import DarshanLog, Evidence, Failure
from iotriage_parsers.reader import Limits
from iotriage_parsers.readers.darshan_log import reader

REPOSITORY = Path(__file__).parents[4]
SAMPLES = REPOSITORY / "sample-logs" / "darshan_log"


def corpus() -> Path | None:
    """The folder of the extra corpora: IOTRIAGE_CORPUS, else `../shared` beside the repository, else None."""
    folder = Path(os.environ.get("IOTRIAGE_CORPUS", REPOSITORY.parent / "shared"))
    return folder if folder.is_dir() else None


@cache
def samples() -> tuple[Path, ...]:
    return tuple(sorted(SAMPLES.glob("*/*.darshan")))


def hostile_logs() -> tuple[Path, ...]:
    extra = corpus()
    return tuple(sorted(extra.glob("hostile/darshan/*.darshan"))) if extra is not None else ()


def read_bytes(data: bytes, limits: Limits | None = None) -> Evidence | Failure:
    return reader.read(io.BytesIO(data), limits or Limits())


def evidence(data: bytes) -> Evidence:
    result = read_bytes(data)
    assert isinstance(result, Evidence), result
    return result


def log_of(data: bytes) -> DarshanLog:
    (log,) = evidence(data).of(DarshanLog)
    return log
