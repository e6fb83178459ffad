"""What the charts are drawn from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from iotriage.analysis.charts.accesses import access_order, alignment, common_sizes, file_splits, independent_limits
from iotriage.analysis.charts.aggregating import aggregating
from iotriage.analysis.charts.file_systems import file_systems
from iotriage.analysis.charts.layer_growth import layer_growth
from iotriage.analysis.charts.ost_use import ost_use
from iotriage.analysis.charts.rank_use import rank_columns, rank_use
from iotriage.analysis.charts.timer_phases import timer_phases
from iotriage.analysis.document import (
    AggregatorBins,
    Charts,
    CollectiveSplit,
    Layer,
    LayerShare,
    SizeBin,
    SizeHistogram,
)
from iotriage.metrics import outcome
from iotriage.metrics.core.lacking import lacks_some
from iotriage.metrics.core.metric import Value
from iotriage.metrics.core.prefix import access_counters, prefix_of
from iotriage.metrics.core.selection import LogRows, Selection, StatsBlock, unique
from iotriage.metrics.mpiio.aggregators_active import utilisation
from iotriage.metrics.tables.account.beside import ranks_of_mean
from iotriage.metrics.tables.account.time_account import time_account
from iotriage.metrics.tables.calls.size_bins import DIRECTIONS, HIGHS, LOWS, accesses_by_size, bins_of, exactly_1_mib
from iotriage.metrics.tables.counters import is_partial, sum_timers, total
from iotriage.metrics.tables.files.shared import effective_ranks, largest_shared_file, movers
from iotriage.metrics.tables.files.uses import FileUse
from iotriage.metrics.tables.texts.stats_fields import place
from iotriage_parsers.evidence import AggregatorsActive, CounterTable

LAYERS: dict[Layer, str] = {
    "HDF5": "H5D",
    "PnetCDF": "PNETCDF_VAR",
    "MPI-IO": "MPI-IO",
    "DFS": "DFS",
    "DAOS": "DAOS",
    "POSIX": "POSIX",
    "STDIO": "STDIO",
}
"""From the call to the disk, with the Darshan module that records each."""

COLLECTIVE_LIBRARIES: tuple[Layer, ...] = ("HDF5", "PnetCDF", "MPI-IO")
"""Where a record reduced over all ranks means that all ranks called."""

HISTOGRAMS: tuple[Literal["MPI-IO", "POSIX"], ...] = ("MPI-IO", "POSIX")

CALLS: dict[Layer, tuple[str, ...]] = {
    "HDF5": ("H5D_READS", "H5D_WRITES"),
    "PnetCDF": tuple(f"PNETCDF_VAR_{k}_{w}S" for k in ("INDEP", "COLL", "NB") for w in ("READ", "WRITE")),
    "MPI-IO": access_counters("MPI-IO", "read", "write"),
    "POSIX": ("POSIX_READS", "POSIX_WRITES"),
    "STDIO": ("STDIO_READS", "STDIO_WRITES"),
    "DFS": ("DFS_READS", "DFS_READXS", "DFS_WRITES", "DFS_WRITEXS"),
    "DAOS": tuple(
        f"DAOS_{k}" for k in ("OBJ_FETCHES", "OBJ_UPDATES", "ARRAY_READS", "ARRAY_WRITES", "KV_GETS", "KV_PUTS")
    ),
}


def build_charts(job: Selection, uses: Sequence[FileUse]) -> Charts:
    """`uses` are the files of the job."""
    return Charts(
        tuple(share for layer in LAYERS if (share := _layer(job, layer)) is not None),
        tuple(split for way in ("write", "read") if (split := _split(job, way)) is not None),
        _aggregators(job),
        sizes(job),
        timer_phases(job, uses),
        ranks=rank_use(job),
        osts=ost_use(job, uses),
        aggregating=aggregating(job),
        growth=layer_growth(job),
        splits=file_splits(job),
        common_sizes=common_sizes(job),
        order=access_order(job),
        alignment=alignment(job),
        file_systems=file_systems(job, uses),
    )


def _layer(job: Selection, layer: Layer) -> LayerShare | None:
    module = LAYERS[layer]
    tables = job.tables(module)
    if not tables or (layer == "DAOS" and job.tables("DFS")):
        return None
    prefix = prefix_of(tables[0][1])
    only = [t for _, t in tables]
    timers = [f"{prefix}_F_{way}_TIME" for way in ("READ", "WRITE", "META")]
    counters = (f"{prefix}_BYTES_READ", f"{prefix}_BYTES_WRITTEN", *CALLS[layer], *timers)
    read, write, metadata = (_of_mean_rank(job, tables, timer) for timer in timers)
    return LayerShare(
        layer=layer,
        bytes_read=_sum_known(only, f"{prefix}_BYTES_READ"),
        bytes_written=_sum_known(only, f"{prefix}_BYTES_WRITTEN"),
        calls=_sum_known(only, *CALLS[layer]),
        ranks=_ranks(job, layer),
        read_s=read,
        write_s=write,
        metadata_s=metadata,
        partial=any(is_partial(rows, module) or lacks_some(t, *counters) for rows, t in tables),
    )


def _sum_known(tables: list[CounterTable], *counters: str) -> int | None:
    """The sum of the counters over the records that have them; None where none has."""
    found = [v for t in tables for c in counters if (v := t.total(c)) is not None]
    return sum(found) if found else None


def _of_mean_rank(job: Selection, tables: Sequence[tuple[LogRows, CounterTable]], timer: str) -> float | None:
    """Seconds of the stages of the job one after the other; None where the account has no times, and where no record
    has them of what was done."""
    if all(t.lacks(timer) == "all" for _, t in tables) and any(lacks_some(t, timer) for _, t in tables):
        return None
    known = [sum_timers(t, timer) / ranks_of_mean(job, rows) for rows, t in tables if rows.nprocs]
    return None if time_account(job) is None or len(known) < len(tables) else sum(known)


def _ranks(job: Selection, layer: Layer) -> float | None:
    """Ranks that moved the bytes of the layer: where all are told apart, `movers`; else all of a library that all
    call, those that have records of it where none is of all ranks, and of the calls to the storage as many as the
    variance says."""
    columns = next((c for c in rank_columns(job) if c.layer == layer), None)
    if columns is not None and not columns.partial:
        return movers(columns.moved.tolist())
    if layer in COLLECTIVE_LIBRARIES:
        ranks = [t.ranks for _, t in job.tables(LAYERS[layer])]
        if ranks and all(len(r) and r.min() >= 0 for r in ranks):
            return float(len(unique(np.concatenate(ranks))))
        return float(job.nprocs) if job.nprocs is not None else None
    file = largest_shared_file(job) if layer == "POSIX" else None
    found = effective_ranks(file) if file is not None else None
    return float(found.value) if isinstance(found, Value) and not isinstance(found.value, str) else None


def _split(job: Selection, direction: Literal["read", "write"]) -> CollectiveSplit | None:
    alone = outcome(job, f"mpiio.independent_{direction}s")
    together = outcome(job, f"mpiio.collective_{direction}s")
    if not isinstance(alone, Value) or not isinstance(together, Value):
        return None
    nonblocking = total(job, "MPI-IO", f"MPIIO_NB_{direction.upper()}S")
    # Where they stand does not tell: darshan-parser's totals are lines of a text too.
    of_stats = alone != total(job, "MPI-IO", f"MPIIO_INDEP_{direction.upper()}S")
    limits = independent_limits(job, direction) or (None, None, None)
    return CollectiveSplit(
        direction,
        int(alone.value),
        int(together.value),
        int(nonblocking.value) if isinstance(nonblocking, Value) else None,
        "MPICH_MPIIO_STATS" if of_stats else "Darshan",
        *limits,
    )


def _aggregators(job: Selection) -> tuple[AggregatorBins, ...]:
    return tuple(_activity(b, a) for b in job.writes if (a := b.block.aggregators_active) is not None)


def _activity(block: StatsBlock, active: AggregatorsActive) -> AggregatorBins:
    used = utilisation(active)
    known = used.calls > 0 and not active.degenerate
    return AggregatorBins(
        file=block.block.file,
        one=active.one,
        low=active.low,
        high=active.high,
        all=active.all,
        n=active.n,
        where=place(block, "aggregators active")[0],
        utilisation_least=used.least / used.calls if known else None,
        utilisation_most=used.most / used.calls if known else None,
        total_bytes=block.block.total_bytes,
    )


def sizes(job: Selection) -> tuple[SizeHistogram, ...]:
    """The access sizes of the selection, by layer and direction."""
    found = []
    for layer in HISTOGRAMS:
        tables = job.tables(layer)
        for direction in DIRECTIONS:
            counts = [accesses_by_size(t, direction).tolist() for _, t in tables]
            sums = [sum(of_bin) for of_bin in zip(*counts, strict=True)]
            if not any(sums):
                continue
            found.append(
                SizeHistogram(
                    layer,
                    direction,
                    tuple(SizeBin(lo, hi, n) for lo, hi, n in zip(LOWS, HIGHS, sums, strict=True)),
                    sum(exactly_1_mib(t, direction) for _, t in tables),
                    any(is_partial(rows, layer) or lacks_some(t, *bins_of(t, direction)) for rows, t in tables),
                )
            )
    return tuple(found)
