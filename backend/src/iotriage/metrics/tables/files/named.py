"""The files of a log in the order of its names. Memory has the names in that order: to look up a hundred thousand in
the order of their records takes several times as long."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.core.selection import LogRows, files_of
from iotriage.metrics.core.selection_cache import cached_per_log
from iotriage.metrics.tables.files.names import unnamed
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.frozen import frozen_identity

FEW_OF_ALL = 8
"""Names for each file asked about, from which it takes less time to look each up than to look through all names."""


@frozen_identity
class NamedFiles:
    """`ids` (n,) are the records of files in rising order, `order` (n,) their places among these in the order of the
    log's names, those without a name last, and `names` (n,) what each is called, in that order, "" where the log does
    not say."""

    ids: NDArray[np.uint64]
    order: NDArray[np.intp]
    names: Sequence[str]

    @cached_property
    def _place(self) -> NDArray[np.intp]:
        found = np.empty(len(self.order), np.intp)
        found[self.order] = np.arange(len(self.order))
        return found

    def places(self, ids: NDArray[np.uint64]) -> NDArray[np.intp]:
        """Where in the order of names each is, shape (n,); all have to be among the `ids`."""
        return self._place if ids is self.ids else self._place[np.searchsorted(self.ids, ids)]

    def numbered(self, texts: Sequence[str]) -> tuple[tuple[str, ...], NDArray[np.int64]]:
        """The different ones of `texts`, one for each of `names`, by the first of the `ids` that has it, and the place
        among them of that of each of the `ids`, shape (n,)."""
        place = {text: i for i, text in enumerate(dict.fromkeys(texts))}
        of_file = np.empty(len(self.ids), np.int64)
        of_file[self.order] = np.fromiter(map(place.__getitem__, texts), np.int64, len(texts))
        first = np.empty(len(place), np.int64)
        first[of_file[::-1]] = np.arange(len(of_file))[::-1]
        by_first = np.argsort(first)
        every, number = list(place), np.empty(len(place), np.int64)
        number[by_first] = np.arange(len(place))
        return tuple([every[i] for i in by_first.tolist()]), number[of_file]


@cached_per_log
def named_files(rows: LogRows) -> NamedFiles:
    """The files of all tables of the log, which mostly have the same ones."""
    every = (rows.posix, rows.mpiio, rows.stdio, *rows.others.values())
    return in_order_of_names(files_of([t for t in every if t is not None and len(t)]), rows.log.names)


@cached_per_log
def files_without_name(rows: LogRows) -> NDArray[np.uint64]:
    """The records of files that the log does not name, or names by a number."""
    files = named_files(rows)
    return files.ids[files.order][unnamed(files.names)]


def most_have_names(logs: Sequence[LogRows]) -> bool:
    """Whether half of the files or more have a name: else nobody knows what is among them."""
    return 2 * sum(len(files_without_name(rows)) for rows in logs) <= sum(len(named_files(rows).ids) for rows in logs)


def named_files_of(rows: LogRows, tables: Sequence[CounterTable]) -> NamedFiles:
    """The files of some tables of the log."""
    every, ids = named_files(rows), files_of(tables)
    return every if len(ids) == len(every.ids) else in_order_of_names(ids, rows.log.names)


def in_order_of_names(ids: NDArray[np.uint64], names: Mapping[int, str]) -> NamedFiles:
    """`ids` in rising order, each once; `names` by id."""
    if len(ids) * FEW_OF_ALL < len(names):
        return NamedFiles(ids, np.arange(len(ids)), [names.get(record, "") for record in ids.tolist()])
    known = np.fromiter(names, np.uint64, len(names))
    place = np.minimum(np.searchsorted(ids, known), max(0, len(ids) - 1))
    mine = ids[place] == known if len(ids) else np.zeros(len(known), np.bool_)
    nameless = np.ones(len(ids), np.bool_)
    nameless[place[mine]] = False
    texts = list(names.values())
    if not mine.all():
        texts = [texts[i] for i in np.flatnonzero(mine).tolist()]
    order = np.concatenate((place[mine], np.flatnonzero(nameless)))
    return NamedFiles(ids, order, texts + [""] * int(nameless.sum()))
