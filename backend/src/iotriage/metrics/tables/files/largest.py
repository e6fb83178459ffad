"""The largest file that was read or written."""

from __future__ import annotations

import numpy as np

from iotriage.metrics.core.prefix import PREFIX
from iotriage.metrics.core.selection import LogRows, Selection
from iotriage.metrics.core.selection_cache import cached_per_log, cached_per_selection
from iotriage.metrics.core.table_cache import cached_per_table
from iotriage_parsers.evidence import CounterTable, LustreLayout


@cached_per_selection
def largest_file(s: Selection) -> tuple[LogRows, str, int, int] | None:
    """The log, module, record id and size in bytes of the file with the highest byte touched; of several the first by
    name, as files are listed, whatever the order of their records."""
    best: tuple[LogRows, str, int, int] | None = None
    for module in ("POSIX", "STDIO"):
        for rows, table in s.tables(module):
            size, _ = _largest_of(table)
            if not size or (best is not None and size < best[3]):
                continue
            record = _first_by_name(rows, table)
            if best is None or size > best[3] or rows.shown_name(record) < best[0].shown_name(best[2]):
                best = (rows, module, record, size)
    return best


@cached_per_log
def _first_by_name(rows: LogRows, table: CounterTable) -> int:
    _, records = _largest_of(table)
    return min(records, key=rows.shown_name)


@cached_per_table
def _largest_of(table: CounterTable) -> tuple[int, list[int]]:
    """The size, and the ids of the records that have it; 0 and none where no bytes were moved."""
    prefix = PREFIX[table.module]
    moved = np.maximum(table.count(f"{prefix}_BYTES_READ"), 0) + table.count(f"{prefix}_BYTES_WRITTEN")
    top = np.maximum(table.count(f"{prefix}_MAX_BYTE_READ"), table.count(f"{prefix}_MAX_BYTE_WRITTEN"))
    top = np.where(moved > 0, top, -1)
    highest = int(top.max())
    return (highest + 1, table.ids[top == highest].tolist()) if highest >= 0 else (0, [])


def reaches(layout: LustreLayout, size_bytes: int | None) -> bool:
    """Whether a file of that size uses the component of its progressive layout that `layout` describes."""
    return layout.extent_start is None or size_bytes is None or size_bytes > layout.extent_start
