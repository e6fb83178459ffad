"""In which folder each file of a table lies. A hundred thousand files lie in few folders: what is asked of a folder is
asked once, and not of each of its files."""

from __future__ import annotations

from collections.abc import Collection
from os.path import commonprefix

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.core.selection import LogRows, unique, unique_inverse
from iotriage.metrics.core.selection_cache import cached_per_log
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.evidence.darshan import Float64s
from iotriage_parsers.frozen import frozen_identity


@frozen_identity
class Folders:
    """`names` of the folders, each with its slash at the end, "" for files that the log does not name; `of_file` is the
    place among them of each file's, in the order of the table's `by_id.ids`, shape (files,)."""

    names: tuple[str, ...]
    of_file: NDArray[np.intp]

    def sums(self, of_files: Float64s) -> Float64s:
        """Of each folder, shape (folders,), what its files have, shape (files,)."""
        return np.bincount(self.of_file, of_files, minlength=len(self.names)).astype(np.float64, copy=False)


@cached_per_log
def folders_of(rows: LogRows, table: CounterTable) -> Folders:
    """`table` is one of the log's."""
    every, ids = _folders_of_all(rows), table.by_id.ids
    used, of_file = unique_inverse(every.of_record[np.searchsorted(every.ids, ids)])
    return Folders(tuple([every.names[place] for place in used.tolist()]), of_file)


@frozen_identity
class _FoldersOfAll:
    """Of every record of a log's tables, `ids` in rising order, the place of its folder among the `names`."""

    ids: NDArray[np.uint64]
    names: tuple[str, ...]
    of_record: NDArray[np.int64]


@cached_per_log
def _folders_of_all(rows: LogRows) -> _FoldersOfAll:
    """Once for all tables, which mostly have the same files."""
    tables = [t for t in (rows.posix, rows.mpiio, rows.stdio, *rows.others.values()) if t is not None]
    ids = unique(np.concatenate([table.by_id.ids for table in tables]))
    paths = map(rows.log.names.get, ids.tolist())
    folders = ["" if path is None else path[: path.rfind("/") + 1] for path in paths]
    place = {folder: i for i, folder in enumerate(dict.fromkeys(folders))}
    return _FoldersOfAll(ids, tuple(place), np.array(list(map(place.__getitem__, folders)), dtype=np.int64))


def folder_above(folders: Collection[str]) -> str:
    """The folder that all of them lie in, each given with its slash at the end; "" is the root. ValueError of none."""
    # What the first and the last in order begin with, all begin with.
    return commonprefix((min(folders), max(folders))).rpartition("/")[0]  # noqa: RUF071 - a name may hold "//"
