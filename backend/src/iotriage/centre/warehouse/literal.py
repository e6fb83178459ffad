"""A text or a path within a statement of SQL, where DuckDB takes no parameter."""

from __future__ import annotations

from pathlib import Path


def literal(text: Path | str) -> str:
    return "'" + str(text).replace("'", "''") + "'"
