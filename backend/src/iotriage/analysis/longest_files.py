"""The files that took longest, those that are used alike together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

import numpy as np

from iotriage.analysis.document import FileRow, LongestFiles
from iotriage.metrics.tables.files.elapsed import elapsed, elapsed_of, ranks_alone
from iotriage.metrics.tables.files.uses import FileUse
from iotriage.metrics.tables.grouping import Pattern
from iotriage.metrics.tables.pooling import UsedAlike

T = TypeVar("T")


def longest_files(
    alike: Mapping[str, UsedAlike], patterns: Mapping[str, Pattern | None], most: int
) -> tuple[LongestFiles, ...]:
    """Of groups by their id `most` at the most; where times are not recorded, those with most bytes. Of some groups
    another of the `patterns` is known than that of their use."""
    took = elapsed_of(one.files for one in alike.values())
    first = np.argsort(-np.nan_to_num(took, nan=-1.0), kind="stable")[:most]
    ids = list(alike)
    chosen = [(ids[place], float(took[place])) for place in first.tolist()]
    return tuple(_together(id, patterns.get(id, alike[id].pattern), alike[id].files, s) for id, s in chosen)


def file_row(use: FileUse, group: str, pattern: str | None) -> FileRow:
    return FileRow(
        path=use.path,
        group=group,
        pattern=pattern,
        layers=use.layers,
        bytes_read=use.bytes_read,
        bytes_written=use.bytes_written,
        size_bytes=use.size_bytes,
        ranks=use.opened_by,
        independent_calls=use.independent,
        collective_calls=use.collective,
        time_s=use.time_s,
        mean_metadata_s=use.mean_metadata_s,
        stripe_count=use.stripe_count,
        stripe_size_bytes=use.stripe_size_bytes,
        effective_ranks=use.effective_ranks,
    )


def _together(group: str, pattern: str | None, files: Sequence[FileUse], time_s: float) -> LongestFiles:
    if len(files) == 1:
        return LongestFiles(1, file_row(files[0], group, pattern))
    metadata = [use.mean_metadata_s for use in files]
    return LongestFiles(
        len(files),
        FileRow(
            path=files[0].path,
            group=group,
            pattern=pattern,
            layers=files[0].layers,
            bytes_read=_sum([use.bytes_read for use in files]),
            bytes_written=_sum([use.bytes_written for use in files]),
            size_bytes=_sum([use.size_bytes for use in files]),
            ranks=_same([use.opened_by for use in files]),
            independent_calls=_sum([use.independent for use in files]),
            collective_calls=_sum([use.collective for use in files]),
            time_s=None if np.isnan(time_s) else time_s,
            mean_metadata_s=None if None in metadata else _of_slowest(files, [m or 0.0 for m in metadata]),
            stripe_count=_same([use.stripe_count for use in files]),
            stripe_size_bytes=_same([use.stripe_size_bytes for use in files]),
            effective_ranks=_same([use.effective_ranks for use in files]),
        ),
    )


def _of_slowest(files: Sequence[FileUse], seconds: Sequence[float]) -> float:
    of_one_group = np.zeros(len(files), dtype=np.int64)
    return float(elapsed(np.array(seconds), ranks_alone(files), of_one_group, 1)[0])


def _sum(values: Sequence[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None


def _same(values: Sequence[T | None]) -> T | None:
    return values[0] if all(value == values[0] for value in values) else None
