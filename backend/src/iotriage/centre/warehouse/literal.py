"""Texts, paths and Parquet files within a statement of SQL, where DuckDB takes no parameter."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path


def literal(text: Path | str) -> str:
    return "'" + str(text).replace("'", "''") + "'"


def parquet_scan(files: Iterable[Path]) -> str:
    """The rows of the files, as a table in FROM."""
    return f"read_parquet([{', '.join(map(literal, files))}])"


def parquet_union(files: Iterable[Path]) -> str:
    """A scan of files of one table, each of which may lack columns that others have."""
    return f"read_parquet([{', '.join(map(literal, files))}], union_by_name = true, hive_partitioning = false)"
