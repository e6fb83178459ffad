"""The files of a job, and the groups that are used alike."""

from __future__ import annotations

from iotriage.analysis.document.metrics import DocumentMetric
from iotriage_parsers.frozen import frozen


@frozen
class FileRow:
    """One file of the job. Bytes and calls are those of the highest layer that saw it; None is "not recorded"."""

    path: str
    group: str
    pattern: str | None
    layers: tuple[str, ...]
    bytes_read: int | None
    bytes_written: int | None
    size_bytes: int | None
    ranks: int | None
    independent_calls: int | None
    collective_calls: int | None
    time_s: float | None
    metadata_time_s: float | None
    stripe_count: int | None
    stripe_size_bytes: int | None
    effective_ranks: float | None


@frozen
class FileGroup:
    """Files of one directory whose names differ in digits only, and that are used alike. `name` is that of its file,
    else what the names have in common; `label` says how many they are too."""

    id: str
    name: str
    label: str
    files: int
    largest_file: str
    metrics: dict[str, DocumentMetric]
