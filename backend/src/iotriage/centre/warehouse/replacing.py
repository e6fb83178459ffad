"""Rows of a day that others take the place of: the files of before are written again without them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import duckdb

from iotriage.centre.warehouse.columns import TABLES
from iotriage.centre.warehouse.literal import parquet_union
from iotriage.centre.warehouse.manifest import CountedFile, file_name, put_in_place
from iotriage.centre.warehouse.parquet_file import write_parquet
from iotriage.centre.warehouse.reading import count_of

_REPLACED = """
CREATE OR REPLACE TEMP TABLE replaced AS
SELECT "row" FROM {before} WHERE "row" IN (SELECT "row" FROM {now})
    OR content IN (SELECT content FROM {now} WHERE outcome <> 'copy')
"""
"""What is said about the same file, or about the same content wherever it lay."""

_KEPT = """FROM {before} WHERE "row" NOT IN (FROM replaced)"""


def without_logs(
    connection: duckdb.DuckDBPyConnection,
    folder: Path,
    shard: str,
    before: Sequence[CountedFile],
    now: Sequence[CountedFile],
) -> Iterator[CountedFile]:
    """The rows of the files `before` that are of other logs than those of the files `now`, in files of their own."""
    of_steps = _read(folder, [f for f in before if f.table == "steps"])
    if not of_steps:
        return
    connection.execute(_REPLACED.format(before=of_steps, now=_read(folder, [f for f in now if f.table == "steps"])))
    for table in TABLES:
        files = [f for f in before if f.table == table]
        if files:
            kept = _KEPT.format(before=_read(folder, files))
            if rows := count_of(connection, f"SELECT count(*) FROM ({kept})"):
                name = file_name(table, shard)
                put_in_place(folder, name, partial(write_parquet, connection, kept))
                yield CountedFile(table, name, rows)


def _read(folder: Path, files: Sequence[CountedFile]) -> str:
    return parquet_union(folder / file.name for file in files) if files else ""
