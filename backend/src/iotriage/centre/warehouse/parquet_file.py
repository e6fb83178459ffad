"""Answers of queries as Parquet."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import duckdb

from iotriage.centre.warehouse.literal import literal

ROW_GROUP: Final = "32MB"
"""Rows are put down when they are so much. DuckDB else holds 122,880 of them, and a case document has 0.1 to 0.5 MB."""


def write_parquet(
    connection: duckdb.DuckDBPyConnection, query: str, path: Path, named: Mapping[str, object] | None = None
) -> None:
    """Writes what `query` answers, with its parameters as `named`, in no order."""
    connection.execute(
        f"COPY ({query}) TO {literal(path)} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE_BYTES '{ROW_GROUP}')",
        named,
    )
