"""In which folder each file of a table lies. A hundred thousand files lie in few folders: what is asked of a folder is
asked once, and not of each of its files."""

from __future__ import annotations

from collections.abc import Collection
from os.path import commonprefix

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.core.selection import LogRows
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
    # The layers mostly have the same files.
    return _of_files(rows, table.by_id.ids.tobytes())


@cached_per_log
def _of_files(rows: LogRows, ids: bytes) -> Folders:
    """`ids` are the records as they lie in memory."""
    paths = map(rows.log.names.get, np.frombuffer(ids, np.uint64).tolist())
    folders = ["" if path is None else path[: path.rfind("/") + 1] for path in paths]
    place = {folder: i for i, folder in enumerate(dict.fromkeys(folders))}
    return Folders(tuple(place), np.array(list(map(place.__getitem__, folders)), dtype=np.intp))


def folder_above(folders: Collection[str]) -> str:
    """The folder that all of them lie in, each given with its slash at the end; "" is the root. ValueError of none."""
    # What the first and the last in order begin with, all begin with.
    return commonprefix((min(folders), max(folders))).rpartition("/")[0]  # noqa: RUF071 - a name may hold "//"
