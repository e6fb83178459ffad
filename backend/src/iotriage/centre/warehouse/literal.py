"""A path within a statement of SQL, where DuckDB takes no parameter."""

from __future__ import annotations

from pathlib import Path


def literal(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"
