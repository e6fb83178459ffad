"""The largest file that was read or written."""

from __future__ import annotations

import numpy as np

from iotriage.metrics.core.prefix import PREFIX
from iotriage.metrics.core.selection import LogRows, Selection
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.core.table_cache import cached_per_table
from iotriage_parsers.evidence import CounterTable, LustreLayout


@cached_per_selection
def largest_file(s: Selection) -> tuple[LogRows, str, int, int] | None:
    """The log, module, record id and size in bytes of the file with the highest byte touched."""
    best: tuple[LogRows, str, int, int] | None = None
    for module in ("POSIX", "STDIO"):
        for rows, table in s.tables(module):
            found = _largest_of(table)
            if found is not None and (best is None or found[1] > best[3]):
                best = (rows, module, *found)
    return best


@cached_per_table
def _largest_of(table: CounterTable) -> tuple[int, int] | None:
    """Record id and size."""
    prefix = PREFIX[table.module]
    moved = np.maximum(table.count(f"{prefix}_BYTES_READ"), 0) + table.count(f"{prefix}_BYTES_WRITTEN")
    top = np.maximum(table.count(f"{prefix}_MAX_BYTE_READ"), table.count(f"{prefix}_MAX_BYTE_WRITTEN"))
    top = np.where(moved > 0, top, -1)
    row = int(top.argmax())
    return (int(table.ids[row]), int(top[row]) + 1) if top[row] >= 0 else None


def reaches(layout: LustreLayout, size_bytes: int | None) -> bool:
    """Whether a file of that size uses the component of its progressive layout that `layout` describes."""
    return layout.extent_start is None or size_bytes is None or size_bytes > layout.extent_start
