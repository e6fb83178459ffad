"""`Selection`: what a metric's formula is computed over, which is the evidence of a whole job or of one group of its
files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cached_property, lru_cache
from operator import is_
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.core.documented import Documented
from iotriage.metrics.core.metric import Outcome, Scope, Where
from iotriage.metrics.core.past_mpiio import NO_FILES, PastMpiio, files_past_mpiio
from iotriage.metrics.core.table_cache import cached_per_table
from iotriage.metrics.core.text_statements import Stated, ranks_in_darshan_texts, stated_ranks
from iotriage_parsers.evidence import (
    SHARED_RANK,
    Counter,
    CounterTable,
    DarshanLog,
    DxtTrace,
    Heatmap,
    LustreLayout,
    MpiioStats,
    MpiioTimers,
    Part,
)
from iotriage_parsers.evidence.darshan import NONE_MISSING, MissingCounter
from iotriage_parsers.evidence.mpiio_stats import Direction
from iotriage_parsers.evidence.problem import ProblemCode
from iotriage_parsers.frozen import frozen, frozen_identity

P = TypeVar("P", bound=Part)
Id = TypeVar("Id", np.int64, np.uint64)


@frozen_identity
class LogRows:
    """The records of one Darshan log that belong to the selection: all of them (`whole`), or those of some files.

    `source` is the log's index in the case. `others` are the tables of HDF5, PnetCDF and DAOS, by module. `traced`
    names the tables that were worked out from traces; `passed_on` are the files whose MPI-IO calls, by the traces,
    reach POSIX unchanged. Where the log was put together from the logs of several processes (`process_logs`), `owners`
    has the source of each record; else it is None. `side_by_side` is the number of calls that a process made at a time,
    where its timers add up calls of several threads (`threads`); else 1. `missing` are the counters that this number
    was worked out without. Results computed from these records alone are cached here (see `cached_per_log`).
    """

    source: int
    log: DarshanLog
    posix: CounterTable | None
    mpiio: CounterTable | None
    stdio: CounterTable | None
    lustre: tuple[LustreLayout, ...]
    whole: bool
    others: Mapping[str, CounterTable] = field(default_factory=dict)
    traced: frozenset[str] = frozenset()
    passed_on: frozenset[int] = frozenset()
    owners: Mapping[int, int] | None = None
    side_by_side: float = 1.0
    missing: frozenset[MissingCounter] = NONE_MISSING
    cache: dict[object, object] = field(default_factory=dict, init=False, repr=False)

    @property
    def nprocs(self) -> int | None:
        return self.log.job.nprocs

    @cached_property
    def cut(self) -> frozenset[str]:
        """The tables that were worked out from traces and lack calls. They say nothing of the ranks and files that are
        not in them, so no pattern and no balance is worked out from them."""
        return frozenset(m for m in self.traced if (table := self.table(m)) is not None and table.partial)

    @cached_property
    def past_mpiio(self) -> PastMpiio:
        """The files with records of both layers that the program also uses with POSIX calls of its own. Empty where
        records are missing."""
        both = None if self.posix is None or self.mpiio is None else _shared(self.mpiio, self.posix)
        lack = any(self._lacks_records(module) for module in ("MPI-IO", "POSIX"))
        if both is None or self.posix is None or self.mpiio is None or not len(both) or lack:
            return PastMpiio(NO_FILES, NO_FILES)
        return files_past_mpiio(both, _shared(self.posix, self.mpiio))

    def _lacks_records(self, module: str) -> bool:
        info = self.log.module(module)
        return module in self.traced or (info is not None and (info.partial or info.status == "partly-read"))

    @cached_property
    def mpiio_leading(self) -> CounterTable | None:
        """MPI-IO records without those of files that are used past it more than by it."""
        return None if self.mpiio is None else _not_of(self.mpiio, self.past_mpiio.lead)

    @cached_property
    def posix_below_mpiio(self) -> CounterTable | None:
        """POSIX records of the files that MPI-IO opened too, and that it alone used."""
        if self.posix is None or self.mpiio is None:
            return None
        return _not_of(_shared(self.posix, self.mpiio), self.past_mpiio.files)

    @property
    def posix_alone(self) -> CounterTable | None:
        """POSIX records of the files that MPI-IO did not open, or that are used past it more than by it."""
        above = self.mpiio_leading
        return self.posix if self.posix is None or above is None else _records_not_in(self.posix, above)

    @cached_property
    def mpiio_seen_below(self) -> CounterTable | None:
        """MPI-IO records of the files of `posix_below_mpiio`."""
        if self.posix is None or self.mpiio is None:
            return None
        return _not_of(_shared(self.mpiio, self.posix), self.past_mpiio.files)

    def table(self, module: str) -> CounterTable | None:
        """The records of `module` ("POSIX", "H5D", …); None where the log has none."""
        named = {"POSIX": self.posix, "MPI-IO": self.mpiio, "STDIO": self.stdio}
        return named[module] if module in named else self.others.get(module)

    @cached_property
    def highest(self) -> tuple[CounterTable, ...]:
        """The tables with records in which each byte is counted once, at the highest layer that saw it: a file in DAOS
        has the id of the object that holds it."""
        dfs, daos = self.others.get("DFS"), self.others.get("DAOS")
        tables = (
            self.mpiio_leading,
            self.posix_alone,
            self.stdio,
            _without(dfs, self.mpiio),
            _without(daos, self.mpiio, dfs),
        )
        return tuple(t for t in tables if t is not None and len(t))

    @cached_property
    def layout_places(self) -> Mapping[int, tuple[int, ...]]:
        """Which of the `lustre` layouts are a file's, by its record."""
        found: dict[int, tuple[int, ...]] = {}
        for place, layout in enumerate(self.lustre):
            found[layout.record] = (*found.get(layout.record, ()), place)
        return found

    def layout_of(self, record: int) -> LustreLayout | None:
        """The layout of a file, the first where there are several."""
        places = self.layout_places.get(record)
        return None if places is None else self.lustre[places[0]]

    def heatmap(self, layer: str) -> Heatmap | None:
        """The heatmap of a layer; only of the whole log, since its bins do not tell files apart."""
        return next((h for h in self.log.heatmaps if h.layer == layer), None) if self.whole else None

    def source_of(self, record: int) -> int:
        """The source that has the record."""
        return self.source if self.owners is None else self.owners.get(record, self.source)

    def name_of(self, record: int) -> str | None:
        """None where the log has no name of it, or an empty one."""
        return self.log.names.get(record) or None

    def shown_name(self, record: int) -> str:
        return self.name_of(record) or nameless(record)

    def where(self, table: CounterTable, *counters: str, record: int | None = None) -> tuple[Where, ...]:
        """Locators of counters of `table`: of one record, or of the sum over all of them; none where the log does not
        have them, but the calls that they were worked out from."""
        if table.module in self.traced:
            return ()
        if record is None:
            return _of_sums(self.source, table.module, counters)
        file = self.name_of(record)
        rank = SHARED_RANK if record in _reduced(table) else None
        return tuple(Where(self.source_of(record), Counter(table.module, c, str(record), rank, file)) for c in counters)


@frozen_identity
class StatsBlock:
    """One MPICH_MPIIO_STATS block of the selection and the index of its source."""

    source: int
    block: MpiioStats


@frozen
class LostData:
    """How a source lost data: the codes of its problems. `printed` where it is a text of darshan-parser or
    darshan-dxt-parser: lines of the text are missing, not bytes of a log."""

    codes: frozenset[ProblemCode]
    printed: bool = False


@frozen_identity
class Selection:
    """The evidence that formulas are computed over: of a whole job, or of one group of its files.

    `logs` are the Darshan logs of the job, one for each step. `stats` are the trusted STATS blocks. `parts` is all
    evidence with the index of its source; for a group, the parts that name one of its files. `losses` has an entry for
    each source that lost data. `site` is the id of the site's profile, `site_osts` its number of OSTs, `site_cores` the
    cores that a job has on a node, and `not_for_jobs` the directories besides home that the site keeps for other
    purposes. For a group, `job` is the selection of the whole job, and `paths` are the paths of its files, by which
    texts are matched to them. `documented` is what the site's documents measured for such files. `ranks_of_logs` are
    the ranks of the largest log, or of all programs that ran side by side.

    A selection caches what is computed over it: `outcomes` has the metrics by id, `cache` what several of them share
    (see `cached_per_selection`). The cache was computed from the objects in `cache_key`; a copy by `replace` that has
    the same records shares it, but not the outcomes.
    """

    scope: Scope
    logs: tuple[LogRows, ...]
    stats: tuple[StatsBlock, ...]
    parts: tuple[tuple[int, Part], ...] = ()
    pattern: str | None = None
    files: int | None = None
    losses: tuple[LostData, ...] = ()
    site_osts: int | None = None
    site: str | None = None
    site_cores: int | None = None
    not_for_jobs: tuple[str, ...] = ()
    job: Selection | None = None
    paths: frozenset[str] = frozenset()
    documented: Documented | None = None
    ranks_of_logs: int | None = None
    outcomes: dict[str, Outcome] = field(default_factory=dict, init=False, repr=False)
    cache: dict[object, object] = field(default_factory=dict, repr=False)
    cache_key: tuple[object, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        records = (self.scope, self.logs, self.stats, self.parts, self.job, self.paths)
        if not self.cache_key or any(a is not b for a, b in zip(records, self.cache_key, strict=True)):
            object.__setattr__(self, "cache", {})
            object.__setattr__(self, "cache_key", records)

    @property
    def whole(self) -> Selection:
        """The selection of the whole job: evidence about the run as a whole belongs to no group."""
        return self.job or self

    @property
    def has_more_than_logs(self) -> bool:
        """Whether there is evidence beside the records of Darshan logs: a text, or a trace."""
        return len(self.parts) > len(self.logs)

    @cached_property
    def has_all_of_job(self) -> bool:
        """Whether this is a group with all files of its job, so that the job's metrics are its own. A trace belongs to
        the files of its log; a text belongs to the files that it names."""
        job = self.job
        if job is None or len(self.logs) < len(job.logs) or len(job.parts) > len(job.logs) + len(job.of(DxtTrace)):
            return False
        return all(map(is_, self.logs, job.logs))

    def of(self, kind: type[P]) -> tuple[tuple[int, P], ...]:
        """The evidence of one type, each with the index of its source."""
        found = self._by_kind.get(kind)
        return () if found is None else tuple((source, part) for source, part in found if isinstance(part, kind))

    @cached_property
    def _by_kind(self) -> Mapping[type[object], Sequence[tuple[int, Part]]]:
        found: dict[type[object], list[tuple[int, Part]]] = {}
        for source, part in self.parts:
            found.setdefault(type(part), []).append((source, part))
        return found

    @cached_property
    def nprocs(self) -> int | None:
        if self.ranks_of_logs is not None:
            return self.ranks_of_logs
        in_texts = ranks_in_darshan_texts(self.whole.parts)
        return in_texts if in_texts is not None else self._ranks_of_other_texts

    @cached_property
    def _ranks_of_other_texts(self) -> int | None:
        """A communicator may have fewer ranks than the job, never more. One of a single rank says nothing of the job
        where there are several files: each rank may have its own."""
        of_stats = max((n for s in self.stats if (n := s.block.ranks_in_communicator) is not None), default=None)
        stated, alone = self.stated_ranks, of_stats == 1 and len({s.block.file for s in self.whole.stats}) > 1
        if of_stats is None or (stated is None and alone):
            return None if stated is None else stated.value
        surely = stated is not None and (stated.confidence == "measured" or alone)
        return stated.value if stated is not None and surely and stated.value > of_stats else of_stats

    @cached_property
    def stated_ranks(self) -> Stated | None:
        """The ranks by sources other than Darshan and MPICH_MPIIO_STATS."""
        return stated_ranks(self.whole.parts)

    @cached_property
    def stats_of_close(self) -> Mapping[tuple[int, str, Direction, int], StatsBlock]:
        """The STATS blocks by source, file, direction and occurrence."""
        return {(s.source, s.block.file, s.block.direction, s.block.occurrence): s for s in self.stats}

    @cached_property
    def writes(self) -> tuple[StatsBlock, ...]:
        return tuple(s for s in self.stats if s.block.direction == "write")

    @cached_property
    def reads(self) -> tuple[StatsBlock, ...]:
        return tuple(s for s in self.stats if s.block.direction == "read")

    def tables(self, module: str) -> tuple[tuple[LogRows, CounterTable], ...]:
        """The non-empty tables of a module ("POSIX", "H5D", …), each with its log."""
        found = self._tables.get(module)
        if found is None:
            of_logs = [(rows, rows.table(module)) for rows in self.logs]
            found = self._tables[module] = tuple([(rows, t) for rows, t in of_logs if t is not None and len(t)])
        return found

    @cached_property
    def _tables(self) -> dict[str, tuple[tuple[LogRows, CounterTable], ...]]:
        return {}


def nameless(record: int) -> str:
    """The label of a file that has no name, used wherever it is shown."""
    return f"(record {record}, name not in the log)"


def base_name(path: str) -> str:
    """The name after the last slash. Sources state the path of one file differently: relative, absolute, or below
    another mount."""
    return path.rsplit("/", 1)[-1]


TITLE_LOST = "(title lost)"
"""What the file of times without a title is called."""


def named_file(block: MpiioTimers) -> str:
    return TITLE_LOST if block.file is None else block.file


@lru_cache(maxsize=4096)
def _of_sums(source: int, module: str, counters: tuple[str, ...]) -> tuple[Where, ...]:
    return tuple(Where(source, Counter(module, counter)) for counter in counters)


@cached_per_table
def _reduced(table: CounterTable) -> frozenset[int]:
    """The records that were reduced over all ranks."""
    return frozenset(table.ids[table.ranks < 0].tolist())


@cached_per_table
def _shared(table: CounterTable, other: CounterTable) -> CounterTable:
    """The records of `table` whose files `other` has too."""
    return select_rows(table, _has(other, table))


@cached_per_table
def _records_not_in(table: CounterTable, other: CounterTable) -> CounterTable:
    return select_rows(table, ~_has(other, table))


def _not_of(table: CounterTable, files: NDArray[np.uint64]) -> CounterTable:
    """The table without the records of these files; itself where there are none."""
    return select_rows(table, ~of_files(table, files)) if len(files) else table


@cached_per_table
def _has(table: CounterTable, other: CounterTable) -> NDArray[np.bool_]:
    """Which records of `other` are of files that the table has too."""
    return of_files(other, table.by_id.ids)


def _without(table: CounterTable | None, *above: CounterTable | None) -> CounterTable | None:
    """The records of `table` that no table of `above` has."""
    if table is None:
        return None
    seen = [t.ids for t in above if t is not None]
    return select_rows(table, ~of_files(table, np.concatenate(seen))) if seen else table


FEW = 64
"""Ids up to which looking them up one by one takes less time than NumPy's sorting."""


def isin(ids: NDArray[Id], wanted: NDArray[Id]) -> NDArray[np.bool_]:
    """Which of `ids` are among `wanted`."""
    if not len(ids) or not len(wanted):
        return np.zeros(len(ids), dtype=np.bool_)
    if len(ids) + len(wanted) <= FEW:
        known = set(wanted.tolist())
        return np.array([i in known for i in ids.tolist()], dtype=np.bool_)
    # np.isin hashes every one of them first, which takes ten times as long.
    if np.array_equal(ids, wanted):
        return np.ones(len(ids), dtype=np.bool_)
    ordered = np.sort(wanted)
    found: NDArray[np.bool_] = ordered[np.minimum(np.searchsorted(ordered, ids), len(ordered) - 1)] == ids
    return found


def of_files(table: CounterTable, files: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Which records of the table are of these files."""
    if len(table) + len(files) <= FEW or np.array_equal(table.ids, files):
        return isin(table.ids, files)
    # The table's files are in order already: what is looked for in any order takes three times as long.
    known = table.by_id
    return isin(known.ids, files)[known.index]


def with_files_of(table: CounterTable, some: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which records of the table are of the files of `some` of them."""
    files = np.zeros(len(table.by_id.ids), dtype=np.bool_)
    files[table.by_id.index[some]] = True
    return files[table.by_id.index]


def files_of(tables: Sequence[CounterTable]) -> NDArray[np.uint64]:
    """The ids of the files that the tables have records of, in their order."""
    if not tables:
        return NO_FILES
    # As a rule one layer has all files: what the others have beside them is few.
    found, *others = sorted((table.by_id.ids for table in tables), key=len, reverse=True)
    for ids in others:
        beside = ids[~isin(ids, found)]
        found = unique(np.concatenate((found, beside))) if len(beside) else found
    return found


def places_of_files(tables: Sequence[CounterTable]) -> tuple[NDArray[np.uint64], list[NDArray[np.intp]]]:
    """`files_of` the tables, and of each table the place of each record's file among them. No records are sorted
    again."""
    every = files_of(tables)
    return every, [np.searchsorted(every, known.ids)[known.index] for known in (t.by_id for t in tables)]


def unique(values: NDArray[Id]) -> NDArray[Id]:
    """The different integers among `values`, in their order."""
    if len(values) <= FEW:
        return np.array(sorted(set(values.tolist())), dtype=values.dtype)
    # np.unique imports numpy.ma, which takes longer than a whole diagnosis.
    ordered = np.sort(values)
    return ordered[np.concatenate(([True], ordered[1:] != ordered[:-1]))]


def unique_inverse(values: NDArray[Id]) -> tuple[NDArray[Id], NDArray[np.intp]]:
    """The different integers among `values`, in their order, and the place among them of each, shape (n,)."""
    if len(values) > FEW:
        return _numbered_of_many(values)
    ordered = sorted(set(every := values.tolist()))
    places = {value: place for place, value in enumerate(ordered)}
    return np.array(ordered, dtype=values.dtype), np.array([places[value] for value in every], dtype=np.intp)


def _numbered_of_many(values: NDArray[Id]) -> tuple[NDArray[Id], NDArray[np.intp]]:
    if values.dtype == np.uint64 or values.min() < 0 or values.max() >= len(values):
        every = unique(values)
        if len(every) * FEW < len(values):
            return every, np.searchsorted(every, values)
        return np.unique(values, return_inverse=True)
    # Ranks have small numbers, and need no sorting.
    there = np.bincount(values) > 0
    return np.flatnonzero(there).astype(values.dtype), (np.cumsum(there) - 1)[values]


def select_rows(table: CounterTable, mask: NDArray[np.bool_]) -> CounterTable:
    """The rows of `mask`; the table itself where these are all, and its one empty table where there are none, so that
    what was worked out of either serves again."""
    chosen = np.count_nonzero(mask)
    if chosen == len(mask):
        return table
    return table.rows(mask) if chosen else table.without_rows


@cached_per_table
def own_records(table: CounterTable) -> CounterTable:
    """The records that single ranks have, without those reduced over all ranks."""
    return select_rows(table, table.ranks >= 0)
