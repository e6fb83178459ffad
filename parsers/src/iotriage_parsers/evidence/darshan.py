"""What a Darshan 3.x log holds, in bulk: one table a module, one row a record."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from functools import cached_property
from math import inf
from threading import local
from typing import Final, Literal, TypedDict, TypeVar

import numpy as np
from numpy.typing import NDArray

from iotriage_parsers.evidence.job import Job
from iotriage_parsers.evidence.lustre_layout import LustreLayout
from iotriage_parsers.frozen import frozen, frozen_identity

Int64s = NDArray[np.int64]
UInt64s = NDArray[np.uint64]
Float64s = NDArray[np.float64]
Bools = NDArray[np.bool_]

Number = TypeVar("Number", np.int64, np.float64)

NOT_AVAILABLE = -1
"""Darshan's mark for a counter it could not fill. It is absent, not −1 and not 0."""

Lacking = Literal["all", "some"]

SHARED_RANK = -1
"""The rank of a record that Darshan reduced over all ranks."""


@frozen_identity
class RecordsById:
    """The distinct `ids` of a table in their order, the place among them of each record's (`index`, shape (n,)), and
    how many `records` each has."""

    ids: UInt64s
    index: NDArray[np.intp]
    records: NDArray[np.intp]


@frozen
class MissingCounter:
    """A column of a table that some of its records, or all, do not have.

    A formula that adds up a column cannot tell the records that have no such counter from those that have 0, and one
    that reads four columns would have to ask of each. Instead a table notes it whenever such a column is read: what was
    worked out of it is then known to lack something, however many functions stand between.
    """

    table: CounterTable
    counter: str


NONE_MISSING: Final[frozenset[MissingCounter]] = frozenset()

Notes = set[MissingCounter] | Literal["nobody asks"] | None


class _OfThread(local):
    """The notes of the result that the thread works out: none yet where it is None."""

    notes: Notes = "nobody asks"


_thread = _OfThread()


def begin_notes() -> Notes:
    """From here on what is missing is noted for a result of its own. What is returned belongs to `end_notes`."""
    outer, _thread.notes = _thread.notes, None
    return outer


def end_notes(outer: Notes) -> frozenset[MissingCounter]:
    """What was noted since `begin_notes`. Of the outer result nothing of it is noted, unless by `note_missing`."""
    found, _thread.notes = _thread.notes, outer
    return NONE_MISSING if found is None or found == "nobody asks" else frozenset(found)


def note_missing(counters: Iterable[MissingCounter]) -> None:
    """Notes them for the result that is worked out, if one is."""
    notes = _thread.notes
    if isinstance(notes, set):
        notes.update(counters)
    elif notes is None:
        _thread.notes = set(counters)


@frozen_identity
class CounterTable:
    """The records of one module. `ids` (n,) uint64, `ranks` (n,) int64, `ints` (n, len(int_names)) int64,
    `floats` (n, len(float_names)) float64, all in the shape of the newest module version that we know.

    Names carry their module's prefix as in Darshan ("POSIX_BYTES_READ", "POSIX_F_META_TIME"). `file_ids` (n,) uint64 is
    the record id of the file that each HDF5 dataset or PnetCDF variable belongs to, 0 where it was not recorded; None
    for modules whose records are files themselves.

    To read a column that some records do not have is noted (`note_missing`), but for `as_recorded`,
    `seconds_as_recorded` and `lacks`: who calls these looks at what is not available.
    """

    module: str
    int_names: tuple[str, ...]
    float_names: tuple[str, ...]
    ids: UInt64s
    ranks: Int64s
    ints: Int64s
    floats: Float64s
    partial: bool = False
    file_ids: UInt64s | None = None

    def __len__(self) -> int:
        return len(self.ids)

    def count(self, name: str) -> Int64s:
        """The int64 column `name`, shape (n,); −1 means not available. KeyError for an unknown name."""
        found = self.as_recorded(name)
        self.note_if_missing(name)
        return found

    def as_recorded(self, name: str) -> Int64s:
        """As `count`, for those who ask of each −1 what it means."""
        found = self._counts.get(name)
        if found is None:
            found = self._counts[name] = self._count_column(name)
            if len(found) and found.min() < 0:
                self._lacking.add(name)
        return found

    def seconds(self, name: str) -> Float64s:
        """The float64 column `name`, shape (n,). Variances are floats too; the name says what it is."""
        found = self.seconds_as_recorded(name)
        self.note_if_missing(name)
        return found

    def note_if_missing(self, name: str) -> None:
        """Notes the counter as missing, where records lack it."""
        if self._lacking and self._notes and name in self._lacking:
            note_missing((MissingCounter(self, name),))

    def seconds_as_recorded(self, name: str) -> Float64s:
        """As `seconds`, for those who ask of each NaN what it means."""
        found = self._seconds.get(name)
        if found is None:
            found = self._seconds[name] = self._seconds_column(name)
            if len(found) and not (found.min() >= 0 and found.max() < inf):
                self._lacking.add(name)
        return found

    def total(self, name: str) -> int | None:
        """The exact sum of `name` over the records that have it; None where none has."""
        known = self._totals
        if name not in known:
            known[name] = _total(self.as_recorded(name))
        self.note_if_missing(name)
        return known[name]

    def lacks(self, name: str) -> Lacking | None:
        """Whether "all" records lack the counter, or only "some"; None where each has it. Nothing is noted."""
        values = self.as_recorded(name) if name in self.int_names else self.seconds_as_recorded(name)
        if name not in self._lacking:
            return None
        return "some" if (values >= 0).any() else "all"

    def _count_column(self, name: str) -> Int64s:
        return _column(self.ints, _index(self.int_names, name))

    def _seconds_column(self, name: str) -> Float64s:
        return _column(self.floats, _index(self.float_names, name))

    @cached_property
    def _counts(self) -> dict[str, Int64s]:
        """The columns that were asked for, and so on below: a few are asked for many times."""
        return {}

    @cached_property
    def _seconds(self) -> dict[str, Float64s]:
        return {}

    @cached_property
    def _notes(self) -> bool:
        return True

    def without_notes(self) -> CounterTable:
        """The table itself, of which nothing is noted any more: what made it cannot have some counters, and who reads
        them knows it by another way."""
        self.__dict__["_notes"] = False
        return self

    @cached_property
    def _lacking(self) -> set[str]:
        """Of the columns that were asked for, those that some records do not have."""
        return set()

    @cached_property
    def _totals(self) -> dict[str, int | None]:
        """Of very few records all at once: that takes less time than to fetch the columns of a few."""
        if not 0 < len(self.ids) <= VERY_FEW:
            return {}
        columns = list(zip(*self.ints.tolist(), strict=True))
        self._lacking.update([name for name, column in zip(self.int_names, columns, strict=True) if min(column) < 0])
        return dict(zip(self.int_names, map(_sum_known, columns), strict=True))

    @cached_property
    def cache(self) -> dict[object, object]:
        """What those who read the table worked out of its records alone, and keep here as long as the table."""
        return {}

    @cached_property
    def by_id(self) -> RecordsById:
        """The records by their ids, worked out once."""
        return _by_id(self.ids)

    def copy(self, *, ints: Int64s | None = None, floats: Float64s | None = None) -> CounterTable:
        """A table of the same records with nothing of their counters cached; with these counters, where given."""
        found = CounterTable(
            self.module,
            self.int_names,
            self.float_names,
            self.ids,
            self.ranks,
            self.ints if ints is None else ints,
            self.floats if floats is None else floats,
            self.partial,
            self.file_ids,
        )
        if "by_id" in self.__dict__:
            found.__dict__["by_id"] = self.by_id
        return found if self._notes else found.without_notes()

    def ordered_like(self, other: CounterTable) -> CounterTable:
        """The table itself, its records taken by their ids from the other where they are of the same files in the same
        order: as a rule MPI-IO's are those of POSIX, and to sort them again takes as long as reading them."""
        if "by_id" not in self.__dict__ and np.array_equal(self.ids, other.ids):
            self.__dict__["by_id"] = other.by_id
        return self

    @property
    def of_log(self) -> CounterTable:
        """The table that this one has records of: itself, where it is of all that were read."""
        return self

    @cached_property
    def without_rows(self) -> CounterTable:
        """An empty table of the same module and counters."""
        return self.rows(np.zeros(0, dtype=np.int64))

    def counts(self, first: str, how_many: int) -> Int64s:
        """The int64 columns from `first` on, shape (n, how_many), as `count` has one. KeyError for an unknown name."""
        found = self._count_columns(first, how_many)
        if self._notes and len(found) and found.min() < 0:
            at = _index(self.int_names, first)
            lacking = np.flatnonzero((found < 0).any(axis=0)).tolist()
            note_missing(MissingCounter(self, self.int_names[at + column]) for column in lacking)
        return found

    def _count_columns(self, first: str, how_many: int) -> Int64s:
        at = _index(self.int_names, first)
        return self.ints[:, at : at + how_many]

    def rows(self, mask: Bools | Int64s) -> CounterTable:
        """A table of the rows of `mask` (a boolean mask or row numbers)."""
        return _SelectedRows(self, mask)


class _SelectedRows(CounterTable):
    """Rows of another table, whose counters are fetched when they are asked for: of a hundred a few are, and to copy
    all would take most of the memory and a fifth of the time that a log of many files needs. `replace` cannot make
    another of it, but `copy` can."""

    _every: CounterTable
    _mask: Bools | Int64s

    def __init__(self, every: CounterTable, mask: Bools | Int64s) -> None:
        self.__dict__.update(
            module=every.module,
            int_names=every.int_names,
            float_names=every.float_names,
            ids=every.ids[mask],
            ranks=every.ranks[mask],
            partial=every.partial,
            file_ids=None if every.file_ids is None else every.file_ids[mask],
            _every=every,
            _mask=mask,
            _notes=every._notes,
        )

    @property
    def of_log(self) -> CounterTable:
        return self._every.of_log

    @cached_property
    def ints(self) -> Int64s:
        return self._every.ints[self._mask]

    @cached_property
    def floats(self) -> Float64s:
        return self._every.floats[self._mask]

    @cached_property
    def by_id(self) -> RecordsById:
        if len(self.ids) * FEW_OF_ALL < len(self._every):
            return _by_id(self.ids)
        every = self._every.by_id
        index = every.index[self._mask]
        records = np.bincount(index, minlength=len(every.ids))
        there = records > 0
        return RecordsById(every.ids[there], (np.cumsum(there) - 1)[index], records[there])

    def _count_column(self, name: str) -> Int64s:
        return self._every.as_recorded(name)[self._mask]

    def _seconds_column(self, name: str) -> Float64s:
        return self._every.seconds_as_recorded(name)[self._mask]

    def _count_columns(self, first: str, how_many: int) -> Int64s:
        return self._every._count_columns(first, how_many)[self._mask]


FEW_OF_ALL = 8
"""Rows of a table for each that is selected, from which it takes less time to sort these than to look at all."""


def _by_id(ids: UInt64s) -> RecordsById:
    if len(ids) > FEW:
        return RecordsById(*np.unique(ids, return_inverse=True, return_counts=True))
    every = sorted(set(values := ids.tolist()))
    places = {record: place for place, record in enumerate(every)}
    index = np.array([places[record] for record in values], dtype=np.intp)
    return RecordsById(np.array(every, dtype=np.uint64), index, np.bincount(index, minlength=len(every)))


def _column(values: NDArray[Number], at: int) -> NDArray[Number]:
    """Of many records a copy: read for the second time, their rows would be fetched again, a cache line for each."""
    column = values[:, at]
    return column if len(column) <= FEW else np.ascontiguousarray(column)


def _index(names: tuple[str, ...], name: str) -> int:
    try:
        return names.index(name)
    except ValueError:
        raise KeyError(name) from None


FEW = 64
"""Records up to which Python takes less time than NumPy."""


VERY_FEW = 8


def _sum_known(column: Iterable[int]) -> int | None:
    values = [value for value in column if value >= 0]
    return sum(values) if values else None


def _total(column: Int64s) -> int | None:
    if len(column) <= FEW:
        return _sum_known(column.tolist())
    known = column[column >= 0]
    return exact_sum(known) if len(known) else None


def exact_sum(values: Int64s) -> int:
    """The sum, which may be beyond what 64 bits hold."""
    if len(values) <= FEW:
        return sum(values.tolist())
    overflows = len(values) > 0 and float(np.abs(values.astype(np.float64)).sum()) >= 2.0**62
    return sum(values.tolist()) if overflows else int(values.sum())


@frozen_identity
class Heatmap:
    """Bytes per rank and time bin at one layer ("POSIX", "MPIIO", "STDIO"). `ranks` (n,), `read` and `written`
    (n, bins) int64 bytes; bin b covers [b, b+1) · `bin_width_s` seconds from the start of the run."""

    layer: str
    bin_width_s: float
    ranks: Int64s
    read: Int64s
    written: Int64s


ModuleStatus = Literal["read", "partly-read", "damaged", "unsupported", "empty"]


@frozen
class ModuleInfo:
    """One entry of the log's module map. `partial` is Darshan's own flag: the run had more records than its
    memory held, so every total of the module is a lower bound. `records` is None where they were not counted,
    `version` and `compressed_bytes` where a text that was made from the log does not state them."""

    name: str
    version: int | None
    compressed_bytes: int | None
    partial: bool
    status: ModuleStatus
    records: int | None = None
    reason: str | None = None


class ModuleTables(TypedDict):
    """The fields of a `DarshanLog` that hold the records of a module each."""

    posix: CounterTable | None
    mpiio: CounterTable | None
    stdio: CounterTable | None
    h5f: CounterTable | None
    h5d: CounterTable | None
    pnetcdf_file: CounterTable | None
    pnetcdf_var: CounterTable | None
    dfs: CounterTable | None
    daos: CounterTable | None
    bgq: CounterTable | None
    apmpi: CounterTable | None
    apxc: CounterTable | None


def module_tables(tables: Mapping[str, CounterTable | None]) -> ModuleTables:
    """The tables of a log, from tables by the name that Darshan gives their module."""
    return {
        "posix": tables.get("POSIX"),
        "mpiio": tables.get("MPI-IO"),
        "stdio": tables.get("STDIO"),
        "h5f": tables.get("H5F"),
        "h5d": tables.get("H5D"),
        "pnetcdf_file": tables.get("PNETCDF_FILE"),
        "pnetcdf_var": tables.get("PNETCDF_VAR"),
        "dfs": tables.get("DFS"),
        "daos": tables.get("DAOS"),
        "bgq": tables.get("BG/Q"),
        "apmpi": tables.get("APMPI"),
        "apxc": tables.get("APXC"),
    }


@frozen_identity
class DarshanLog:
    """A whole log, or the text that darshan-parser made of one. `names` maps record ids to file names; a byte that is
    not UTF-8 stands as \\xNN. A text knows no `byte_order`, and of Darshan 2.x no `compression`.

    `metadata` are the key=value lines of the job record; its "h" holds the hints Darshan used for its own log,
    not the application's. Records of HDF5 files, PnetCDF files and DAOS files have the id of the file's record in the
    layers below. `bgq` is one record about the partition of a Blue Gene/Q job. `apmpi` is what AUTOPERF saw of each
    rank's MPI calls, `hostnames` the node that it saw each rank on, and `apxc` what it counted at Cray XC routers.
    """

    log_version: str
    byte_order: Literal["little", "big"] | None
    compression: Literal["zlib", "bzip2", "none"] | None
    job: Job
    metadata: tuple[tuple[str, str], ...]
    names: Mapping[int, str]
    modules: tuple[ModuleInfo, ...]
    posix: CounterTable | None = None
    mpiio: CounterTable | None = None
    stdio: CounterTable | None = None
    lustre: tuple[LustreLayout, ...] = ()
    heatmaps: tuple[Heatmap, ...] = ()
    h5f: CounterTable | None = None
    h5d: CounterTable | None = None
    pnetcdf_file: CounterTable | None = None
    pnetcdf_var: CounterTable | None = None
    dfs: CounterTable | None = None
    daos: CounterTable | None = None
    bgq: CounterTable | None = None
    apmpi: CounterTable | None = None
    hostnames: Mapping[int, str] = field(default_factory=dict)
    apxc: CounterTable | None = None
    kind: Literal["darshan"] = field(default="darshan")

    @property
    def tables(self) -> Mapping[str, CounterTable]:
        """Every table that the log has, by its module."""
        found = (
            *(self.posix, self.mpiio, self.stdio, self.h5f, self.h5d, self.pnetcdf_file, self.pnetcdf_var),
            *(self.dfs, self.daos, self.bgq, self.apmpi, self.apxc),
        )
        return {table.module: table for table in found if table is not None}

    def module(self, name: str) -> ModuleInfo | None:
        """The module map's entry for `name` ("POSIX", "MPI-IO", …), or None where the log has no such module."""
        return self._modules.get(name)

    @cached_property
    def _modules(self) -> Mapping[str, ModuleInfo]:
        """The modules by name; of one that a damaged log has several times the first."""
        return {module.name: module for module in reversed(self.modules)}
