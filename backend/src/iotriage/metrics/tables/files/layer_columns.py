"""The figures of the same files at each layer, as columns, since a log may have a hundred thousand files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.core.by_file import summed
from iotriage.metrics.core.prefix import PREFIX
from iotriage.metrics.tables.files.named import NamedFiles
from iotriage.metrics.tables.rank_times import known_seconds, rank_times
from iotriage_parsers.evidence import NOT_AVAILABLE, CounterTable
from iotriage_parsers.evidence.darshan import Int64s
from iotriage_parsers.frozen import frozen_identity

T = TypeVar("T", bound=np.generic)

LAYERS = ("MPI-IO", "POSIX", "STDIO", "DFS", "DAOS")
"""The layers of a file, from the highest to the lowest."""


@frozen_identity
class _FileSums:
    """Adds up what the records of a table have, by file: `at` is the place of each record's file among `files`."""

    table: CounterTable
    at: NDArray[np.int64]
    files: int

    @classmethod
    def of_table(cls, table: CounterTable, every: NamedFiles) -> _FileSums:
        return cls(table, every.places(table.by_id.ids)[table.by_id.index], len(every.ids))

    def of(self, *counters: str) -> Int64s:
        return summed([self.table.count(counter) for counter in counters], self.at, self.files)

    def or_not_available(self, counter: str) -> Int64s:
        found = self.of(counter)
        found[self.rows_where(self.table.count(counter) >= 0) == 0] = NOT_AVAILABLE
        return found

    def lacking(self, *counters: str) -> NDArray[np.bool_]:
        """Files of which a record lacks one of the counters."""
        found = np.zeros(self.files, dtype=np.bool_)
        for counter in counters:
            if self.table.lacks(counter):
                found |= self.rows_where(self.table.as_recorded(counter) < 0) > 0
        return found

    def rows_where(self, mask: NDArray[np.bool_]) -> NDArray[np.int64]:
        return np.bincount(self.at[mask], minlength=self.files).astype(np.int64)

    def largest(self, counters: tuple[str, ...]) -> NDArray[np.int64]:
        out = np.full(self.files, -1, dtype=np.int64)
        for counter in counters:
            np.maximum.at(out, self.at, self.table.count(counter))
        return out


INDEPENDENT = ("MPIIO_INDEP_READS", "MPIIO_INDEP_WRITES")

COLLECTIVE = ("MPIIO_COLL_READS", "MPIIO_COLL_WRITES", "MPIIO_SPLIT_READS", "MPIIO_SPLIT_WRITES")


@frozen_identity
class TableColumns:
    """Per-file sums of one table over the files `every`, in the order of their names, shape (files,) each. Bytes that
    no record of a file has are −1. `rank` is that of a file's last record; `lacks_bytes` and `lacks_calls` are whether
    a record lacks what it moved, or how many of its calls were independent or collective."""

    records: NDArray[np.int64]
    reduced: NDArray[np.bool_]
    rank: NDArray[np.int64]
    bytes_read: Int64s
    bytes_written: Int64s
    readers: NDArray[np.int64]
    writers: NDArray[np.int64]
    writer: NDArray[np.int64]
    independent: Int64s
    collective: Int64s
    size: NDArray[np.int64]
    variance: NDArray[np.float64]
    slowest_s: NDArray[np.float64]
    metadata_s: NDArray[np.float64]
    lacks_bytes: NDArray[np.bool_]
    lacks_calls: NDArray[np.bool_]

    @classmethod
    def of(cls, table: CounterTable, every: NamedFiles) -> TableColumns:
        prefix, n = PREFIX[table.module], len(every.ids)
        sums = _FileSums.of_table(table, every)
        at = sums.at
        reduced_rows = table.ranks < 0
        slowest = rank_times(table)
        reduced = np.zeros(n, dtype=np.bool_)
        variance = np.full(n, np.nan)
        if reduced_rows.any():
            of_all = table.seconds(f"{prefix}_F_SLOWEST_RANK_TIME")
            slowest = np.where(reduced_rows, known_seconds(of_all), slowest)
            reduced[at[reduced_rows]] = True
            if table.module == "POSIX":
                variance[at[reduced_rows]] = table.seconds("POSIX_F_VARIANCE_RANK_BYTES")[reduced_rows]
        slowest_s = np.zeros(n)
        np.maximum.at(slowest_s, at, slowest)
        rank = np.full(n, -1, dtype=np.int64)
        rank[at] = table.ranks
        writer = np.full(n, -1, dtype=np.int64)
        wrote = table.count(f"{prefix}_BYTES_WRITTEN") > 0
        writer[at[wrote]] = table.ranks[wrote]
        mpiio = table.module == "MPI-IO"
        none: Int64s = np.zeros(n, dtype=np.int64)
        records_size = table.module in ("POSIX", "STDIO")
        sizes = (f"{prefix}_MAX_BYTE_READ", f"{prefix}_MAX_BYTE_WRITTEN") if records_size else ()
        return cls(
            records=np.bincount(at, minlength=n).astype(np.int64),
            reduced=reduced,
            rank=rank,
            bytes_read=sums.or_not_available(f"{prefix}_BYTES_READ"),
            bytes_written=sums.or_not_available(f"{prefix}_BYTES_WRITTEN"),
            readers=sums.rows_where(table.count(f"{prefix}_BYTES_READ") > 0),
            writers=sums.rows_where(wrote),
            writer=writer,
            independent=sums.of(*INDEPENDENT) if mpiio else none,
            collective=sums.of(*COLLECTIVE) if mpiio else none,
            size=sums.largest(sizes),
            variance=variance,
            slowest_s=slowest_s,
            metadata_s=_added_up(at, table.seconds(f"{prefix}_F_META_TIME"), n),
            lacks_bytes=sums.lacking(f"{prefix}_BYTES_READ", f"{prefix}_BYTES_WRITTEN"),
            lacks_calls=sums.lacking(*INDEPENDENT, *COLLECTIVE) if mpiio else np.zeros(n, dtype=np.bool_),
        )


class Layers:
    """The columns of the same files at each layer, the highest first. `present` is whether the layer has records of the
    file, shape (layers, files); `top` the index of the highest that has, shape (files,)."""

    def __init__(self, columns: Mapping[str, TableColumns]) -> None:
        self.modules = [m for m in LAYERS if m in columns]
        self._columns = [columns[m] for m in self.modules]
        self.present = np.stack([c.records > 0 for c in self._columns])
        self.top = self.present.argmax(axis=0)

    def at_top(self, of: Callable[[TableColumns], NDArray[T]]) -> NDArray[T]:
        """The column at the highest layer of each file, shape (files,)."""
        *higher, lowest = self._columns
        found = of(lowest)
        for layer, present in zip(reversed(higher), reversed(self.present[:-1]), strict=True):
            found = np.where(present, of(layer), found)
        return found

    def of_files(self) -> list[tuple[str, ...]]:
        """The layers that have records of each file."""
        codes = (self.present * (1 << np.arange(len(self.modules)))[:, None]).sum(axis=0).tolist()
        names = {code: tuple(m for i, m in enumerate(self.modules) if code >> i & 1) for code in set(codes)}
        return [names[code] for code in codes]

    def with_streams(self, of: Callable[[TableColumns], Int64s]) -> Int64s:
        """The bytes at the highest layer, and those of streams, which pass no other layer."""
        found = self.at_top(of)
        if "STDIO" not in self.modules or len(self.modules) == 1:
            return found
        stdio = self.modules.index("STDIO")
        return found + np.where(self.top != stdio, np.maximum(of(self._columns[stdio]), 0), 0)


def _added_up(at: NDArray[np.int64], times: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    """Seconds by file; NaN where no record of the file has the timer."""
    found = np.bincount(at, known_seconds(times), n).astype(np.float64)
    found[np.bincount(at[np.isfinite(times)], minlength=n) == 0] = np.nan
    return found
