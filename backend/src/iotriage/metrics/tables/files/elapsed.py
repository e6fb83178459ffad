"""How long groups of files took: seconds of the slowest rank, as `job.io_time` has them. Files that several ranks used
count one after the other, those of single ranks side by side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.core.selection import unique_inverse
from iotriage.metrics.tables.files.uses import FileUse
from iotriage_parsers.evidence.darshan import Float64s

NOBODY = -1
"""Stands for the rank that alone used a file where several used it, or the rank is not known."""


def elapsed(seconds: Float64s, one_rank: NDArray[np.int64], group: NDArray[np.int64], groups: int) -> Float64s:
    """Seconds of each group, shape (groups,), of the files', shape (files,); NaN where those of one file are."""
    alone = one_rank > NOBODY
    found = np.bincount(group[~alone], seconds[~alone], groups).astype(np.float64)
    if alone.any():
        ranks, rank = unique_inverse(one_rank[alone])
        pairs, place = unique_inverse(group[alone] * len(ranks) + rank)
        of_rank = np.zeros(groups)
        with np.errstate(invalid="ignore"):
            np.maximum.at(of_rank, pairs // len(ranks), np.bincount(place, seconds[alone]))
        found += of_rank
    return found


def elapsed_of(groups: Iterable[Iterable[FileUse]]) -> Float64s:
    """Seconds of each group of files, shape (groups,); NaN where those of one file are."""
    files: Sequence[list[FileUse]] = [list(group) for group in groups]
    every = list(chain.from_iterable(files))
    return elapsed(
        # None becomes NaN.
        np.array(list(map(attrgetter("time_s"), every)), dtype=np.float64),
        ranks_alone(every),
        np.repeat(np.arange(len(files)), [len(group) for group in files]),
        len(files),
    )


def ranks_alone(files: Iterable[FileUse]) -> NDArray[np.int64]:
    """The rank that alone used each file, NOBODY where several did."""
    ranks: list[int | None] = list(map(attrgetter("one_rank"), files))
    known = [NOBODY if rank is None else rank for rank in ranks] if None in ranks else ranks
    return np.array(known, dtype=np.int64)
