"""Logs whose headers state a day that had not come when they were taken in, or none that there is: of a clock that was
ahead. Each lies on the day of its folder or file, and so copies of one may lie on several. It counts on the first of
these, whichever copy was taken in first and by which shard; on the others it is a copy. So it is on the day that the
header states, where that has come by the time of a later copy.

A day's manifests say which it has, together with the files that hold them: a day that has none costs nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path

import duckdb

from iotriage.centre.warehouse.literal import parquet_union
from iotriage.centre.warehouse.manifest import (
    Manifest,
    day_folder,
    days_in,
    manifest_of,
    manifests_in,
    with_misdated,
    write_manifest,
)


def first_days(root: Path) -> Mapping[str, date]:
    """By content of each of these logs the first day that it lies on. Raises `BadManifestError`."""
    first: dict[str, date] = {}
    for day in days_in(root):
        for content in _of_day(root, day):
            first.setdefault(content, day)
    return first


def counted_earlier(root: Path, days: Iterable[date]) -> Mapping[date, tuple[str, ...]]:
    """Of those of `days` that have any, the contents that count on an earlier day. Raises `BadManifestError`."""
    of_days = {day: found for day in days if (found := _of_day(root, day))}
    if not of_days:
        return {}
    first = first_days(root)
    earlier = {day: sorted(c for c in contents if first.get(c, day) < day) for day, contents in of_days.items()}
    return {day: tuple(contents) for day, contents in earlier.items() if contents}


def note_copies(connection: duckdb.DuckDBPyConnection, root: Path, shard: str, days: Iterable[date]) -> None:
    """Has the shard's manifests of these days, whose lock is held, say which of their logs count on an earlier day,
    where that was not known when they were written: of shards that run over midnight one reads a log before the day
    that it states has come, another a copy after it. Raises `BadManifestError`, and OSError."""
    first = first_days(root)
    for day in days:
        folder = day_folder(root, day)
        manifest = manifest_of(folder, shard)
        earlier = [content for content, on in first.items() if on < day]
        if manifest is not None and (copies := _unnoted(connection, folder, manifest, earlier)):
            write_manifest(folder, shard, with_misdated(manifest, (*manifest.misdated, *copies)))


def _unnoted(
    connection: duckdb.DuckDBPyConnection, folder: Path, manifest: Manifest, earlier: Sequence[str]
) -> Collection[str]:
    """Those of the contents `earlier` that the manifest's files hold and that it does not say."""
    steps = _steps_of(folder, manifest)
    if not steps or not earlier:
        return ()
    query = (
        f"SELECT DISTINCT content FROM {parquet_union(steps)} WHERE outcome = 'read' AND list_contains($of, content)"
    )
    held = connection.execute(query, {"of": [*earlier]}).fetchall()
    return {content for (content,) in held} - {*manifest.misdated}


def _steps_of(folder: Path, manifest: Manifest) -> Sequence[Path]:
    return [folder / file.name for file in manifest.files if file.table == "steps"]


def _of_day(root: Path, day: date) -> frozenset[str]:
    manifests = manifests_in(day_folder(root, day))
    return frozenset(content for _, manifest in manifests for content in manifest.misdated)
