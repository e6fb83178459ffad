"""How many files are in use at the same time, each from its first to its last read or write."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.core.prefix import prefix_of
from iotriage.metrics.core.selection import LogRows, Selection
from iotriage.metrics.tables.rank_times import rank_bytes
from iotriage_parsers.evidence import CounterTable


def files_at_once(s: Selection, of: Collection[tuple[int, int]] | None = None) -> float:
    """0 where no log has the times; `of` the files of these sources and records alone, by streams too: of all files
    these may be logs, which are open for as long as the run is, unless they have most of the bytes."""
    together, any_of_them = seconds_in_use(s, of)
    return together / any_of_them if any_of_them > 0 else 0.0


def seconds_in_use(s: Selection, of: Collection[tuple[int, int]] | None) -> tuple[float, float]:
    """The seconds of these files added up, and those in which any of them was in use."""
    together = any_of_them = 0.0
    for rows in s.logs:
        tables = (rows.posix, rows.stdio) if of is not None or _by_streams(rows) else (rows.posix,)
        known = [_in_use(rows, table, of) for table in tables if table is not None and len(table)]
        if not known:
            continue
        begins, ends = (np.concatenate(each) for each in zip(*known, strict=True))
        together += float((ends - begins).sum())
        order = np.argsort(begins)
        reached = np.maximum.accumulate(ends[order]) if len(order) else ends
        before = np.concatenate([[-np.inf], reached[:-1]]) if len(order) else ends
        any_of_them += float(np.maximum(reached - np.maximum(begins[order], before), 0.0).sum())
    return together, any_of_them


def _by_streams(rows: LogRows) -> bool:
    """Whether most of the bytes are moved by streams."""
    streams, calls = (0.0 if t is None else float(rank_bytes(t).sum()) for t in (rows.stdio, rows.posix))
    return streams > calls


def _in_use(
    rows: LogRows, table: CounterTable, of: Collection[tuple[int, int]] | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """When each file was first and last read or written, in seconds of the run, where the log says so."""
    n, index = len(table.by_id.ids), table.by_id.index
    begins, ends = np.full(n, np.inf), np.full(n, -np.inf)
    for way in ("READ", "WRITE") if table.module not in rows.cut else ():
        stamps = (f"{prefix_of(table)}_F_{way}_{which}_TIMESTAMP" for which in ("START", "END"))
        first, last = (table.seconds(stamp) for stamp in stamps)
        np.minimum.at(begins, index, np.where(np.isfinite(first) & (first > 0), first, np.inf))
        np.maximum.at(ends, index, np.where(np.isfinite(last) & (last > 0), last, -np.inf))
    known = np.isfinite(begins) & (ends > begins)
    if of is not None:
        known &= np.array([(rows.source, record) in of for record in table.by_id.ids.tolist()], dtype=np.bool_)
    return begins[known], ends[known]
