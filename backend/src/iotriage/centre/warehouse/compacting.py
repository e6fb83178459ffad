"""Many small files of a day become one of each table. What they hold stays; the manifest is exchanged in one step."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from functools import partial
from pathlib import Path
from typing import Final

import duckdb

from iotriage.centre.warehouse.columns import TABLES, Table
from iotriage.centre.warehouse.literal import parquet_union
from iotriage.centre.warehouse.manifest import (
    CountedFile,
    day_folder,
    file_name,
    manifest_of,
    new_manifest,
    put_in_place,
    write_manifest,
)
from iotriage.centre.warehouse.parquet_file import write_parquet

MOST_FILES: Final = 8
"""So many files of one table a day has before they are put together."""


def compact(connection: duckdb.DuckDBPyConnection, root: Path, days: Iterable[date], shard: str, program: str) -> None:
    """Puts the shard's files of these days together, where they are many. Readers that hold the manifest of before find
    its files until the next run clears them away."""
    for day in days:
        folder = day_folder(root, day)
        manifest = manifest_of(folder, shard)
        if manifest is None:
            continue
        of_tables = {table: [f for f in manifest.files if f.table == table] for table in TABLES}
        if max(map(len, of_tables.values())) > MOST_FILES:
            files = [
                f for table, found in of_tables.items() for f in _together(connection, folder, shard, table, found)
            ]
            write_manifest(folder, shard, new_manifest(program, files, manifest.misdated))


def _together(
    connection: duckdb.DuckDBPyConnection, folder: Path, shard: str, table: Table, files: list[CountedFile]
) -> list[CountedFile]:
    if len(files) < 2:
        return files
    name = file_name(table, shard)
    put_in_place(folder, name, partial(_write, connection, [folder / f.name for f in files]))
    return [CountedFile(table, name, sum(f.rows for f in files))]


def _write(connection: duckdb.DuckDBPyConnection, files: list[Path], path: Path) -> None:
    write_parquet(connection, f"FROM {parquet_union(files)}", path)
