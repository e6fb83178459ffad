"""What a formula is computed over: the records and blocks of the whole job, or of one group of its files."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.metric import Scope, Where
from iotriage_parsers.evidence import (
    SHARED_RANK,
    Counter,
    CounterTable,
    DarshanLog,
    Heatmap,
    LustreLayout,
    MpiioStats,
    Part,
)

P = TypeVar("P", bound=Part)


@dataclass(frozen=True, eq=False)
class LogRows:
    """The records of one Darshan log that belong to the selection. `source` is the log's index in the case."""

    source: int
    log: DarshanLog
    posix: CounterTable | None
    mpiio: CounterTable | None
    stdio: CounterTable | None
    lustre: tuple[LustreLayout, ...]
    whole: bool

    @property
    def nprocs(self) -> int | None:
        return self.log.job.nprocs

    @cached_property
    def posix_below_mpiio(self) -> CounterTable | None:
        """POSIX records of the files that MPI-IO opened too."""
        if self.posix is None or self.mpiio is None:
            return None
        return self.posix.rows(np.isin(self.posix.ids, self.mpiio.ids))

    @cached_property
    def posix_alone(self) -> CounterTable | None:
        """POSIX records of the files that MPI-IO did not open."""
        if self.posix is None or self.mpiio is None:
            return self.posix
        return self.posix.rows(~np.isin(self.posix.ids, self.mpiio.ids))

    @cached_property
    def mpiio_seen_below(self) -> CounterTable | None:
        """MPI-IO records of the files that have POSIX records too."""
        if self.posix is None or self.mpiio is None:
            return None
        return self.mpiio.rows(np.isin(self.mpiio.ids, self.posix.ids))

    @property
    def highest(self) -> tuple[CounterTable, ...]:
        """The tables in which each byte is counted once, at the highest layer that saw it."""
        return tuple(t for t in (self.mpiio, self.posix_alone, self.stdio) if t is not None)

    def heatmap(self, layer: str) -> Heatmap | None:
        """The heatmap of a layer; only of the whole job, since its bins do not tell files apart."""
        return next((h for h in self.log.heatmaps if h.layer == layer), None) if self.whole else None

    def name_of(self, record: int) -> str | None:
        return self.log.names.get(record)

    def where(self, table: CounterTable, *counters: str, record: int | None = None) -> tuple[Where, ...]:
        """Locators of counters of `table`: of one record, or of the sum over all of them."""
        file = self.name_of(record) if record is not None else None
        rank = SHARED_RANK if record is not None and bool((table.ranks[table.ids == record] < 0).any()) else None
        return tuple(
            Where(self.source, Counter(table.module, c, None if record is None else str(record), rank, file))
            for c in counters
        )


@dataclass(frozen=True, eq=False)
class StatsBlock:
    """One MPICH_MPIIO_STATS block of the selection and the index of its source."""

    source: int
    block: MpiioStats


@dataclass(frozen=True, eq=False)
class Selection:
    """`logs` are the Darshan logs of the job (one a step), `stats` the trusted STATS blocks, `parts` all evidence with
    the index of its source (of a group: what names one of its files). `partial_sources` counts the sources that lost
    data; `site_osts` is the number of OSTs of the file system the site knows; `job` is the whole that a group of files
    is part of."""

    scope: Scope
    logs: tuple[LogRows, ...]
    stats: tuple[StatsBlock, ...]
    parts: tuple[tuple[int, Part], ...] = ()
    pattern: str | None = None
    files: int | None = None
    partial_sources: int = 0
    site_osts: int | None = None
    job: Selection | None = None

    @property
    def whole(self) -> Selection:
        """The job that this is a part of, or itself: evidence about the run as a whole belongs to no group."""
        return self.job or self

    def of(self, kind: type[P]) -> tuple[tuple[int, P], ...]:
        """The evidence of one type, each with the index of its source."""
        return tuple((source, part) for source, part in self.parts if isinstance(part, kind))

    @cached_property
    def nprocs(self) -> int | None:
        of_logs = [n for rows in self.logs if (n := rows.nprocs) is not None]
        of_stats = [n for s in self.stats if (n := s.block.ranks_in_communicator) is not None]
        return max(of_logs or of_stats, default=None)

    @property
    def writes(self) -> tuple[StatsBlock, ...]:
        return tuple(s for s in self.stats if s.block.direction == "write")

    @property
    def reads(self) -> tuple[StatsBlock, ...]:
        return tuple(s for s in self.stats if s.block.direction == "read")

    def tables(self, module: str) -> tuple[tuple[LogRows, CounterTable], ...]:
        """The non-empty tables of "POSIX", "MPI-IO" or "STDIO", each with its log."""
        found = []
        for rows in self.logs:
            table = {"POSIX": rows.posix, "MPI-IO": rows.mpiio, "STDIO": rows.stdio}[module]
            if table is not None and len(table):
                found.append((rows, table))
        return tuple(found)


@runtime_checkable
class NamesFile(Protocol):
    """Evidence about one file, named as its source names it."""

    @property
    def file(self) -> str | None: ...


def whole_job(
    parts: Sequence[tuple[int, Part]],
    *,
    pattern: str | None = None,
    files: int | None = None,
    partial_sources: int = 0,
    site_osts: int | None = None,
) -> Selection:
    """The selection of everything: each part with the index of its source in the case."""
    rows = tuple(
        LogRows(i, p, p.posix, p.mpiio, p.stdio, p.lustre, whole=True) for i, p in parts if isinstance(p, DarshanLog)
    )
    blocks = tuple(StatsBlock(i, p) for i, p in parts if isinstance(p, MpiioStats) and p.trusted)
    return Selection("job", rows, blocks, tuple(parts), pattern, files, partial_sources, site_osts)


def base_name(path: str) -> str:
    """What stands after the last slash: sources give one file's path relative, absolute, or by another mount."""
    return path.rsplit("/", 1)[-1]


def only_files(
    job: Selection, ids: Mapping[int, NDArray[np.uint64]], names: Collection[str], pattern: str, files: int
) -> Selection:
    """The part of `job` that concerns some files: `ids` gives, by index of the source, their record ids; `names` are
    their base names, by which texts are joined to them."""
    rows = []
    for log in job.logs:
        wanted = ids.get(log.source)
        if wanted is None or not len(wanted):
            continue
        known = {int(i) for i in wanted}
        rows.append(
            LogRows(
                log.source,
                log.log,
                _rows_of(log.posix, wanted),
                _rows_of(log.mpiio, wanted),
                _rows_of(log.stdio, wanted),
                tuple(layout for layout in log.lustre if layout.record in known),
                whole=False,
            )
        )
    mine = tuple(
        (i, p) for i, p in job.parts if isinstance(p, NamesFile) and p.file is not None and base_name(p.file) in names
    )
    blocks = tuple(b for b in job.stats if base_name(b.block.file) in names)
    return Selection("group", tuple(rows), blocks, mine, pattern, files, job.partial_sources, job.site_osts, job)


def _rows_of(table: CounterTable | None, ids: NDArray[np.uint64]) -> CounterTable | None:
    return None if table is None else table.rows(np.isin(table.ids, ids))
