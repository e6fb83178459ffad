"""One figure that a benchmark measured on a site, and which of its results are not measurements."""

from __future__ import annotations

from datetime import datetime

from iotriage.metrics.core.pattern import Pattern
from iotriage.sites.site import DirectoryUse, FileOperation
from iotriage_parsers.evidence.mpiio_stats import Direction
from iotriage_parsers.frozen import frozen


@frozen
class Settings:
    """What must be equal for two measured bandwidths to stand in one table."""

    pattern: Pattern
    direction: Direction
    file_system: str
    stripe_count: int | None
    stripe_size_bytes: int | None
    transfer_size_bytes: int | None
    interface: str | None


@frozen
class OperationSettings:
    """What must be equal for two measured rates of file operations to stand in one table."""

    operation: FileOperation
    directory: DirectoryUse
    file_system: str
    file_size_bytes: int | None
    interface: str | None


@frozen
class Measurement:
    """One operation of one benchmark run, of all its repetitions: bytes, or file operations, per second. `result` is
    the file it stands in, and `line` where; `day` is YYYY-MM-DD where the output has the date."""

    settings: Settings | OperationSettings
    processes: int
    bytes_per_process: int | None
    per_second: tuple[float, ...]
    may_be_cached: bool
    tool: str
    result: str
    line: int | None
    day: str | None
    nodes: int | None


@frozen
class Excluded:
    """A run, or a whole file, that is not used as a measurement, with the reason."""

    result: str
    line: int | None
    why: str


_BEGAN = ("%a %b %d %H:%M:%S %Y", "%m/%d/%Y %H:%M:%S", "%Y-%m-%d %H:%M:%S")
"""IOR's "Wed Mar  5 10:11:11 2025", mdtest's "02/11/2026 09:14:05" and IO500's "2026-02-12 10:00:00"."""


def time_of(began_local: str | None) -> datetime | None:
    """When a benchmark began, as it printed that, without a zone; None where it did not."""
    for form in _BEGAN:
        try:
            return datetime.strptime(began_local or "", form)
        except ValueError:
            continue
    return None


def day_of(began_local: str | None) -> str | None:
    """The day on which a benchmark began; None where it did not print that."""
    began = time_of(began_local)
    return None if began is None else began.date().isoformat()
