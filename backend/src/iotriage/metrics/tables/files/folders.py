"""In which folder each file of a table lies. A hundred thousand files lie in few folders: what is asked of a folder is
asked once, and not of each of its files."""

from __future__ import annotations

from collections.abc import Collection
from os.path import commonprefix

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.core.selection import LogRows, unique_inverse
from iotriage.metrics.core.selection_cache import cached_per_log
from iotriage.metrics.tables.files.named import named_files
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
        """What the files have, shape (files,), summed by folder, shape (folders,)."""
        return np.bincount(self.of_file, of_files, minlength=len(self.names)).astype(np.float64, copy=False)


@cached_per_log
def folders_of(rows: LogRows, table: CounterTable) -> Folders:
    """`table` is one of the log's."""
    names, of_record = _folders_of_all(rows)
    used, of_file = unique_inverse(of_record[np.searchsorted(named_files(rows).ids, table.by_id.ids)])
    return Folders(tuple([names[place] for place in used.tolist()]), of_file)


@cached_per_log
def _folders_of_all(rows: LogRows) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    """The folders, and the place among them of that of each of the log's `named_files`."""
    named = named_files(rows)
    return named.numbered([path[: path.rfind("/") + 1] for path in named.names])


def folder_above(folders: Collection[str]) -> str:
    """The folder that all of them lie in, each given with its slash at the end; "" is the root. ValueError of none."""
    # What the first and the last in order begin with, all begin with.
    return commonprefix((min(folders), max(folders))).rpartition("/")[0]  # noqa: RUF071 - a name may hold "//"
