"""Texts, paths and Parquet files within a statement of SQL, where DuckDB takes no parameter."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path


def literal(text: Path | str) -> str:
    return "'" + str(text).replace("'", "''") + "'"


def parquet_scan(files: Iterable[Path]) -> str:
    """The rows of the files, as a table in FROM."""
    return f"read_parquet([{', '.join(map(literal, files))}])"
