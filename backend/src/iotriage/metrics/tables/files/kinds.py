"""Which files of a log are of one kind, having the same name but for the numbers in it, and which ranks use some of
each kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.core.selection import LogRows, isin, unique
from iotriage.metrics.core.selection_cache import cached_per_log
from iotriage.metrics.tables.files.named import named_files_of
from iotriage.metrics.tables.grouping import templates_of
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.frozen import frozen_identity


@frozen_identity
class FileKinds:
    """`ids` (n,) are the records of the files in rising order, `kind` (n,) the place of each one's kind in `names`, a
    file's name with "#" for each number in it. `used` and `user` (m,) are each kind beside each rank that has a file of
    it (−1: all have one), once."""

    ids: NDArray[np.uint64]
    kind: NDArray[np.int64]
    names: tuple[str, ...]
    used: NDArray[np.int64]
    user: NDArray[np.int64]

    def of(self, tables: Sequence[CounterTable]) -> NDArray[np.int64]:
        """The kind of each record's file, of all tables, shape (n,); all have to be of the log."""
        by_id = [table.by_id for table in tables]
        found = [self.kind[np.searchsorted(self.ids, known.ids)][known.index] for known in by_id]
        return np.concatenate([np.zeros(0, np.int64), *found])

    @property
    def number_of_ranks(self) -> NDArray[np.int64]:
        """Of each kind, the ranks with files of it, shape (kinds,); of one that all have some of, as many as any."""
        found: NDArray[np.int64] = np.bincount(self.used, minlength=len(self.names))
        found[self.used[self.user < 0]] = EVERY
        return found

    def ranks_of(self, kind: int) -> NDArray[np.int64]:
        found: NDArray[np.int64] = self.user[self.used == kind]
        return found

    def beyond(self, ranks: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Of each kind, whether other ranks than these have files of it, shape (kinds,)."""
        return np.bincount(self.used[~isin(self.user, ranks)], minlength=len(self.names)) > 0


EVERY = np.iinfo(np.int64).max
"""Stands for all ranks: a larger number than any job has."""


@cached_per_log
def file_kinds(rows: LogRows) -> FileKinds:
    """The kinds of the files that the highest layers used."""
    tables = rows.highest
    named = named_files_of(rows, tables)
    # A number stands for what has no name.
    names, kind = named.numbered(templates_of([name or "0" for name in named.names]))
    none = np.zeros(0, np.int64)
    kinds = FileKinds(named.ids, kind, names, none, none)
    ranks = np.concatenate([none, *(t.ranks for t in tables)])
    width = int(ranks.max(initial=0)) + 2
    pairs = unique(kinds.of(tables) * width + ranks + 1)
    return replace(kinds, used=pairs // width, user=pairs % width - 1)
