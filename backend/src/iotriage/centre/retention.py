"""Removes old data of a warehouse: whole days, and, earlier than these, the documents of their jobs."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Final

from iotriage.centre.judging import cached_days
from iotriage.centre.report import rollup
from iotriage.centre.retained_days import write_retained_since
from iotriage.centre.shards import lock_shard
from iotriage.centre.warehouse.derived import drop_derived
from iotriage.centre.warehouse.manifest import (
    CountedFile,
    day_folder,
    days_in,
    manifest_of,
    new_manifest,
    write_manifest,
)
from iotriage.release import __version__
from iotriage_parsers.frozen import frozen

_MANIFEST: Final = re.compile(r"manifest-(\d+-of-\d+)\.json")


@frozen
class Dropped:
    """The days that are dropped, and the days that keep their rows and lose their documents."""

    days: tuple[date, ...]
    without_documents: tuple[date, ...]


def days_to_drop(root: Path, before: date, documents_before: date) -> Dropped:
    """The days before `before`, and those before `documents_before` that have documents. Raises `BadManifestError`."""
    days = tuple(days_in(root))
    kept = (day for day in days if before <= day < documents_before)
    return Dropped(
        tuple(day for day in days if day < before),
        tuple(day for day in kept if any(_documents(day_folder(root, day), s) for s in _shards(root, day))),
    )


def drop_days(root: Path, before: date, documents_before: date) -> Dropped:
    """Removes these days. Where a call is cut off, the next one goes on. Raises `BusyError` while an ingest writes,
    `BadManifestError`, and OSError."""
    dropped = days_to_drop(root, before, documents_before)
    for day in dropped.days:
        for shard in _shards(root, day):
            with lock_shard(root, shard):
                # Nothing counts any more before anything is gone.
                (day_folder(root, day) / f"manifest-{shard}.json").unlink(missing_ok=True)
        shutil.rmtree(day_folder(root, day))
        for derived in (rollup.FOLDER, cached_days.FOLDER):
            drop_derived(root / derived, day)
    write_retained_since(root, before)
    for day in dropped.without_documents:
        for shard in _shards(root, day):
            with lock_shard(root, shard):
                _drop_documents(day_folder(root, day), shard)
    return dropped


def _drop_documents(folder: Path, shard: str) -> None:
    dropped = _documents(folder, shard)
    manifest = manifest_of(folder, shard)
    if manifest is None or not dropped:
        return
    kept = (f for f in manifest.files if f not in dropped)
    write_manifest(folder, shard, new_manifest(__version__, kept, manifest.misdated))
    for file in dropped:
        (folder / file.name).unlink(missing_ok=True)


def _documents(folder: Path, shard: str) -> list[CountedFile]:
    manifest = manifest_of(folder, shard)
    return [] if manifest is None else [file for file in manifest.files if file.table == "documents"]


def _shards(root: Path, day: date) -> Iterator[str]:
    for path in sorted(day_folder(root, day).glob("manifest-*.json")):
        named = _MANIFEST.fullmatch(path.name)
        if named is not None:
            yield named[1]
