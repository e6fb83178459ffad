"""The job's rates beside those that documents state."""

from __future__ import annotations

from typing import Literal

from iotriage.metrics.core.pattern import Pattern
from iotriage.sites.site import (
    BandwidthUnit,
    RateRow,
    Statistic,
)
from iotriage_parsers.evidence.mpiio_stats import Direction
from iotriage_parsers.frozen import frozen


@frozen
class ExpectedCurve:
    """One documented table. `unit` is the document's; figures are bytes per second in any case."""

    id: str
    title: str
    statistic: Statistic
    unit: BandwidthUnit
    measured: str
    document: str
    section: str
    rows: tuple[RateRow, ...]
    stripe_count: int | None
    stripe_size_bytes: int | None
    transfer_size_bytes: int | None
    bytes_per_process: int | None
    settings: str | None


@frozen
class PlacedPoint:
    """A bandwidth of the job, or of a benchmark among its sources (`source`, its index), placed among the curves.

    `fraction` is bandwidth over `documented`, the figure of the curves `own` at this process count (the lowest where
    the striping leaves several open); without one, `reason` says why. `best` is that of the best striping, on the curve
    `best_curve`.
    """

    label: str
    by: Literal["job", "IOR", "benchio"]
    pattern: str
    processes: int
    bytes_per_s: float
    stripe_count: int | None
    stripe_size_bytes: int | None
    own: tuple[str, ...]
    documented: float | None
    fraction: float | None
    interpolated: bool
    best: float | None
    best_curve: str | None
    reason: str | None
    group: str | None = None
    source: int | None = None


@frozen
class Expectation:
    """The documented curves of one pattern on one file system, and the points that belong among them. `retired` systems
    stay as documented examples. `peak_bytes_per_s` is that of the whole file system."""

    file_system: str
    file_system_title: str
    site_title: str
    retired: bool
    pattern: Pattern
    direction: Direction
    curves: tuple[ExpectedCurve, ...]
    points: tuple[PlacedPoint, ...]
    peak_bytes_per_s: float | None
