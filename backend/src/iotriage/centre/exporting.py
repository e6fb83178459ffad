"""A table of the warehouse as JSON lines: one object a row, with the columns that `iotriage.centre.warehouse.columns`
names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date
from pathlib import Path
from typing import Final

from iotriage.centre.exported_tables import ExportedTable
from iotriage.centre.warehouse.columns import MetricsRead
from iotriage.centre.warehouse.reading import opened
from iotriage.metrics.core.registry import metrics_of_scope

_ROWS_TOGETHER: Final = 1_000


def _metrics_of(table: ExportedTable) -> MetricsRead:
    """All that the table has; no table is declared with those of another."""
    match table:
        case "logs":
            return {"steps": metrics_of_scope("job")}
        case "groups":
            return {"groups": metrics_of_scope("group")}
        case "findings" | "documents" | "jobs":
            return {}


def json_lines(root: Path, days: Iterable[date], table: ExportedTable) -> Iterator[str]:
    """Each line without its end. Columns that are NULL, and their fields, are left out. Raises `BadManifestError`."""
    connection = opened(root, days, _metrics_of(table))
    try:
        found = connection.execute(f"SELECT {_line_of(table)}::VARCHAR FROM {table} AS x")
        while rows := found.fetchmany(_ROWS_TOGETHER):
            for (line,) in rows:
                yield line
    finally:
        connection.close()


def _line_of(table: ExportedTable) -> str:
    # What is null within a document is part of it, as its contract says; none of that table's columns is NULL.
    return "to_json(x)" if table == "documents" else "json_merge_patch('{}', to_json(x))"
