"""The names of the tables that other programs may export. Separate from exporting, so that asking for the names does
not import DuckDB."""

from __future__ import annotations

from typing import Final, Literal, get_args

ExportedTable = Literal["logs", "groups", "findings", "documents", "jobs"]
EXPORTED_TABLES: Final[tuple[ExportedTable, ...]] = get_args(ExportedTable)
