"""Makes selections: `select_job` of all evidence of a case, `select_files` of one group of its files."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.core.selection import (
    FEW,
    LogRows,
    Selection,
    StatsBlock,
    base_name,
    isin,
    named_file,
    select_rows,
)
from iotriage.metrics.tables.at_a_time import ranks_of_job
from iotriage.metrics.tables.records.process_logs import merge_process_logs
from iotriage.metrics.tables.records.shared_pointers import without_shared_pointers
from iotriage.metrics.tables.records.streams_by_descriptor import with_stream_opens_in_posix
from iotriage.metrics.tables.records.threads import without_thread_overlap
from iotriage.metrics.tables.records.traced import LogOfTraces, traced_logs
from iotriage_parsers.evidence import CounterTable, DarshanLog, LustreLayout, MpiioStats, MpiioTimers, Part

OTHER_MODULES = frozenset({"H5F", "H5D", "PNETCDF_FILE", "PNETCDF_VAR", "DFS", "DAOS"})
"""Modules of the libraries above MPI-IO, and of DAOS."""


def select_job(parts: Sequence[tuple[int, Part]]) -> Selection:
    """The selection of everything: each part with the index of its source in the case. What is known of the job beside
    its parts, as the pattern of its files and what its site has, is put into it when it is known (`replace`)."""
    parts, owners = merge_process_logs(parts)
    traced = traced_logs(parts)
    logs = {i: p for i, p in parts if isinstance(p, DarshanLog)} | {i: t.log for i, t in traced.items()}
    found = (_rows_of_log(i, logs[i], traced.get(i), owners.get(i)) for i in sorted(logs))
    rows = tuple(without_thread_overlap(without_shared_pointers(with_stream_opens_in_posix(one))) for one in found)
    blocks = tuple(StatsBlock(i, p) for i, p in parts if isinstance(p, MpiioStats) and p.trusted)
    return Selection("job", rows, blocks, tuple(parts), ranks_of_logs=ranks_of_job(rows))


def _rows_of_log(source: int, log: DarshanLog, traced: LogOfTraces | None, owners: Mapping[int, int] | None) -> LogRows:
    tables = {} if traced is None else traced.tables
    posix, mpiio = _own(tables.get("POSIX", log.posix)), _own(tables.get("MPI-IO", log.mpiio))
    if posix is not None and mpiio is not None:
        mpiio = mpiio.ordered_like(posix)
    passed_on = frozenset[int]() if traced is None else traced.passed_on
    return LogRows(
        source=source,
        log=log,
        posix=posix,
        mpiio=mpiio,
        stdio=_own(log.stdio),
        lustre=log.lustre,
        whole=True,
        others=_others(log),
        traced=frozenset(tables),
        passed_on=passed_on,
        owners=owners,
    )


def _own(table: CounterTable | None) -> CounterTable | None:
    """The same records in a table that keeps what is worked out of them no longer than the selection."""
    return None if table is None else table.copy()


def select_files(
    job: Selection,
    ids: Mapping[int, NDArray[np.uint64]],
    paths: Collection[str],
    pattern: str,
    files: int,
    every: Collection[str] = (),
) -> Selection:
    """The part of `job` that concerns some files: `ids` gives, by index of the source, their record ids; by the base
    names of `paths` texts are joined to them, unless they name one of `every` file of the job as it stands there: the
    runs of an ensemble have files of one name in a folder each."""
    names = {base_name(path) for path in paths}

    def is_mine(file: object) -> bool:
        return isinstance(file, str) and (file in paths if file in every else base_name(file) in names)

    found = ((log, ids.get(log.source)) for log in job.logs)
    rows = tuple(_rows_of_files(log, wanted) for log, wanted in found if wanted is not None and len(wanted))
    # Evidence about one file has its name in `file`, as its source names it.
    mine = tuple(
        (i, p)
        for i, p in job.parts
        if is_mine(named_file(p) if isinstance(p, MpiioTimers) else getattr(p, "file", None))
    )
    blocks = tuple(b for b in job.stats if is_mine(b.block.file))
    about_job = (job.losses, job.site_osts, job.site, job.site_cores, job.not_for_jobs)
    return Selection(
        "group", rows, blocks, mine, pattern, files, *about_job, job, frozenset(paths), ranks_of_logs=ranks_of_job(rows)
    )


def _rows_of_files(log: LogRows, wanted: NDArray[np.uint64]) -> LogRows:
    """The log itself where these are all of its files: what was worked out of it serves again."""
    found = LogRows(
        log.source,
        log.log,
        _rows_of(log.posix, wanted),
        _rows_of(log.mpiio, wanted),
        _rows_of(log.stdio, wanted),
        _layouts_of(log, wanted),
        whole=False,
        others={m: t for m, table in log.others.items() if len(t := _of_files(table, log.log, wanted))},
        traced=log.traced,
        passed_on=log.passed_on,
        owners=log.owners,
        side_by_side=log.side_by_side,
        missing=log.missing,
    )
    own = (found.posix is log.posix, found.mpiio is log.mpiio, found.stdio is log.stdio, found.lustre == log.lustre)
    return log if all(own) and found.others == log.others else found


def _rows_of(table: CounterTable | None, ids: NDArray[np.uint64]) -> CounterTable | None:
    if table is None:
        return None
    if len(table) + len(ids) <= FEW:
        return select_rows(table, isin(table.ids, ids))
    # The whole table is sorted once, not again for each group.
    known = table.by_id
    place = np.minimum(np.searchsorted(known.ids, ids), max(0, len(known.ids) - 1))
    wanted = np.zeros(len(known.ids), dtype=np.bool_)
    if len(wanted):
        wanted[place[known.ids[place] == ids]] = True
    return select_rows(table, wanted[known.index])


def _layouts_of(log: LogRows, wanted: NDArray[np.uint64]) -> tuple[LustreLayout, ...]:
    """Those of the files, in the order of the log."""
    if not log.lustre:
        return ()
    places = sorted(place for record in wanted.tolist() for place in log.layout_places.get(record, ()))
    return tuple(log.lustre[place] for place in dict.fromkeys(places))


def _others(log: DarshanLog) -> dict[str, CounterTable]:
    return {m: t.copy() for m, t in log.tables.items() if m in OTHER_MODULES and len(t)}


def file_ids(table: CounterTable, log: DarshanLog) -> NDArray[np.uint64]:
    """The id of the file that each record belongs to, shape (n,). Darshan before 3.3 did not record it for datasets:
    there it is found by the file's name, which the dataset's begins with; 0 where there is none."""
    if table.file_ids is None:
        return table.ids
    if table.file_ids.all():
        return table.file_ids
    by_name = {name: record for record, name in log.names.items()}
    named = [by_name.get(log.names.get(record, "").rpartition(":")[0], 0) for record in table.ids.tolist()]
    return np.where(table.file_ids != 0, table.file_ids, np.array(named, np.uint64))


def _of_files(table: CounterTable, log: DarshanLog, wanted: NDArray[np.uint64]) -> CounterTable:
    return select_rows(table, isin(file_ids(table, log), wanted))
