"""Every counter of every record of a Darshan log, searched and paged: one counter of one record is a cell."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from iotriage.analysis.views.counters import exact, unit_of
from iotriage_parsers.evidence import NOT_AVAILABLE, SHARED_RANK, CounterTable, DarshanLog, Evidence, LustreLayout
from iotriage_parsers.frozen import frozen

LUSTRE = "LUSTRE"


@frozen
class ModuleRecords:
    """One module of a log: its records, how many files they are of, and the names of their counters. `partial`: the
    log lost records of it."""

    name: str
    records: int
    files: int
    counters: tuple[str, ...]
    partial: bool


@frozen
class CounterQuery:
    """Cells of `module`: all `words` in the counter's name, all `file_words` in the file's, in any case. `stated`
    leaves out zeros and what Darshan could not fill; `largest_first` sorts by value."""

    module: str
    words: str = ""
    file_words: str = ""
    record: int | None = None
    rank: int | None = None
    stated: bool = True
    largest_first: bool = False


@frozen
class CounterCell:
    """`record` is the record's id in decimal. `rank` is −1 for a record that Darshan reduced over all ranks. `value` is
    null where Darshan could not fill the counter, and a decimal string beyond 2^53."""

    record: str
    file: str | None
    rank: int
    name: str
    value: int | float | str | None
    unit: str | None


@frozen
class CounterPage:
    """`matched` counts the cells that were asked for, in `records` records; `cells` are those from `offset` on."""

    module: str
    matched: int
    records: int
    offset: int
    cells: tuple[CounterCell, ...]


def modules_of(evidence: Evidence) -> tuple[ModuleRecords, ...]:
    return tuple(
        ModuleRecords(t.module, len(t), len(np.unique(t.ids)), (*t.int_names, *t.float_names), t.partial)
        for log in evidence.of(DarshanLog)
        for t in (*log.tables.values(), *([_layouts(log.lustre)] if log.lustre else []))
        if len(t)
    )


def counter_page(evidence: Evidence, query: CounterQuery, offset: int, limit: int) -> CounterPage | None:
    """The cells of the query; None where the source has no such module."""
    for log in evidence.of(DarshanLog):
        table = _layouts(log.lustre) if query.module == LUSTRE and log.lustre else log.tables.get(query.module)
        if table is not None:
            return _page(log, table, query, offset, limit)
    return None


def _page(log: DarshanLog, table: CounterTable, query: CounterQuery, offset: int, limit: int) -> CounterPage:
    rows = np.flatnonzero(_records(log, table, query))
    names = (*table.int_names, *table.float_names)
    words = query.words.upper().split()
    columns = [i for i, name in enumerate(names) if all(word in name for word in words)]
    whole = np.array([i for i in columns if i < len(table.int_names)], dtype=np.intp)
    real = np.array([i for i in columns if i >= len(table.int_names)], dtype=np.intp) - len(table.int_names)
    ints, floats = table.ints[:, whole][rows], table.floats[:, real][rows]
    wanted = np.ones((len(rows), len(columns)), dtype=np.bool_)
    if query.stated:
        wanted = np.hstack([(ints != 0) & (ints != NOT_AVAILABLE), (floats != 0) & (floats >= 0)])
    cells = np.flatnonzero(wanted)
    if query.largest_first:
        values = np.hstack([ints.astype(np.float64), floats]).ravel()[cells]
        cells = cells[np.argsort(-np.nan_to_num(values, nan=-np.inf), kind="stable")]
    shown = cells[offset : offset + limit]
    found = [_cell(log, table, int(rows[at // len(columns)]), columns[at % len(columns)]) for at in shown.tolist()]
    records = int(wanted.any(axis=1).sum()) if columns else 0
    return CounterPage(table.module, len(cells), records, offset, tuple(found))


def _records(log: DarshanLog, table: CounterTable, query: CounterQuery) -> NDArray[np.bool_]:
    wanted = np.ones(len(table), dtype=np.bool_)
    if query.record is not None:
        wanted &= table.ids == np.uint64(query.record)
    if query.rank is not None:
        wanted &= table.ranks == query.rank
    words = query.file_words.lower().split()
    if words:
        ids = np.unique(table.ids)
        named = [all(w in log.names.get(i, "").lower() for w in words) for i in ids.tolist()]
        wanted &= np.isin(table.ids, ids[np.array(named, dtype=np.bool_)])
    return wanted


def _cell(log: DarshanLog, table: CounterTable, row: int, column: int) -> CounterCell:
    record = int(table.ids[row])
    if column < len(table.int_names):
        name, whole = table.int_names[column], int(table.ints[row, column])
        value = None if whole < 0 else exact(whole)
    else:
        at = column - len(table.int_names)
        name, real = table.float_names[at], float(table.floats[row, at])
        value = real if np.isfinite(real) and real >= 0 else None
    return CounterCell(str(record), log.names.get(record), int(table.ranks[row]), name, value, unit_of(name))


def _layouts(layouts: tuple[LustreLayout, ...]) -> CounterTable:
    """The striping of the files under the names of Darshan's LUSTRE module."""
    widest = max(len(x.osts) for x in layouts)
    rows = [
        (
            *(NOT_AVAILABLE if n is None else n for n in (x.stripe_size, x.stripe_count, x.osts_in_fs, x.mdts_in_fs)),
            *x.osts,
            *(NOT_AVAILABLE,) * (widest - len(x.osts)),
        )
        for x in layouts
    ]
    stated = ("LUSTRE_STRIPE_SIZE", "LUSTRE_STRIPE_WIDTH", "LUSTRE_OSTS", "LUSTRE_MDTS")
    return CounterTable(
        LUSTRE,
        (*stated, *(f"LUSTRE_OST_ID_{i}" for i in range(widest))),
        (),
        np.array([x.record for x in layouts], dtype=np.uint64),
        np.full(len(layouts), SHARED_RANK, dtype=np.int64),
        np.array(rows, dtype=np.int64),
        np.zeros((len(layouts), 0)),
    )
