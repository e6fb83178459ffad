"""The files that took longest. Files that are used alike are listed together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import TypeVar

import numpy as np

from iotriage.analysis.document import FileRow, LongestFiles
from iotriage.metrics.core.pattern import Pattern
from iotriage.metrics.tables.files.elapsed import elapsed, elapsed_of, ranks_alone
from iotriage.metrics.tables.files.uses import FileUse
from iotriage.metrics.tables.pooling import UsedAlike

T = TypeVar("T")


def longest_files(
    alike: Mapping[str, UsedAlike], patterns: Mapping[str, Pattern | None], most: int
) -> tuple[LongestFiles, ...]:
    """Of groups by their id `most` at the most; where times are not recorded, those with most bytes. Of some groups
    another of the `patterns` is known than that of their use."""
    took = elapsed_of(one.files for one in alike.values())
    first = np.argsort(np.where(np.isnan(took), 1.0, -took), kind="stable")[:most]
    ids = list(alike)
    chosen = [(ids[place], float(took[place])) for place in first.tolist()]
    return tuple(_longest_of_group(id, patterns.get(id, alike[id].pattern), alike[id].files, s) for id, s in chosen)


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


def _longest_of_group(group: str, pattern: str | None, files: Sequence[FileUse], time_s: float) -> LongestFiles:
    if len(files) == 1:
        return LongestFiles(1, file_row(files[0], group, pattern))
    return LongestFiles(
        len(files),
        FileRow(
            path=files[0].path,
            group=group,
            pattern=pattern,
            layers=files[0].layers,
            bytes_read=_sum(files, attrgetter("bytes_read")),
            bytes_written=_sum(files, attrgetter("bytes_written")),
            size_bytes=_sum(files, attrgetter("size_bytes")),
            ranks=_fact_of_all(files, attrgetter("opened_by")),
            independent_calls=_sum(files, attrgetter("independent")),
            collective_calls=_sum(files, attrgetter("collective")),
            time_s=None if np.isnan(time_s) else time_s,
            mean_metadata_s=_of_slowest(files),
            stripe_count=_fact_of_all(files, attrgetter("stripe_count")),
            stripe_size_bytes=_fact_of_all(files, attrgetter("stripe_size_bytes")),
            effective_ranks=_fact_of_all(files, attrgetter("effective_ranks")),
        ),
    )


def _of_slowest(files: Sequence[FileUse]) -> float | None:
    seconds: list[float | None] = list(map(attrgetter("mean_metadata_s"), files))
    if None in seconds:
        return None
    of_one_group = np.zeros(len(files), dtype=np.int64)
    return float(elapsed(np.array(seconds, dtype=np.float64), ranks_alone(files), of_one_group, 1)[0])


def _sum(files: Sequence[FileUse], amount: Callable[[FileUse], int | None]) -> int | None:
    # What the first does not have mostly none has.
    if amount(files[0]) is None:
        return None
    amounts = list(map(amount, files))
    return None if None in amounts else sum(filter(None, amounts))


def _fact_of_all(files: Sequence[FileUse], fact: Callable[[FileUse], T | None]) -> T | None:
    first = fact(files[0])
    return first if first is not None and list(map(fact, files)).count(first) == len(files) else None
