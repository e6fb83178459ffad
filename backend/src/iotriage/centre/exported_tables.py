"""The tables that other programs may have; whoever asks for their names needs no DuckDB."""

from __future__ import annotations

from typing import Final, Literal, get_args

ExportedTable = Literal["logs", "groups", "findings", "documents", "jobs"]
EXPORTED_TABLES: Final[tuple[ExportedTable, ...]] = get_args(ExportedTable)
