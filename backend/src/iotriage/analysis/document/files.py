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
    mean_metadata_s: float | None
    stripe_count: int | None
    stripe_size_bytes: int | None
    effective_ranks: float | None


@frozen
class LongestFiles:
    """Files of one group, the largest of which is `together.path`. Of several, `time_s` is what no rank takes longer
    than over all of them, `mean_metadata_s` that of a rank on average over those that ranks share and of the rank with
    most over those of one rank each, bytes and calls are added up, the rest is what they have in common; null where
    they have not, or one of them is not known."""

    files: int
    together: FileRow


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
