"""Files that are made of a day's files and beside them: one for each part, named after the digest of what it was made
of, so that what was made of anything else is made again. All of them may be deleted at any time."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path

import duckdb

from iotriage.centre.warehouse.manifest import day_folder, identity_of, manifests_in
from iotriage.centre.warehouse.misdated import counted_earlier
from iotriage.centre.warehouse.parquet_file import write_parquet
from iotriage_parsers.frozen import frozen


@frozen
class DerivedFiles:
    """The files of one day, one for each of `parts`."""

    folder: Path
    day: date
    parts: tuple[str, ...]
    digest: str

    @property
    def paths(self) -> tuple[Path, ...]:
        return tuple(self.folder / f"{self.day}-{self.digest}-{part}.parquet" for part in self.parts)

    @property
    def are_there(self) -> bool:
        return all(path.exists() for path in self.paths)

    def in_folder(self, folder: Path) -> DerivedFiles:
        return DerivedFiles(folder, self.day, self.parts, self.digest)

    def write(self, connection: duckdb.DuckDBPyConnection, queries: Mapping[str, str]) -> None:
        """The parts by query, and drops what was made of the day before. Several processes may make the same at once:
        each file gets its name when it is whole."""
        self.folder.mkdir(exist_ok=True)
        for part, path in zip(self.parts, self.paths, strict=True):
            unfinished = path.with_suffix(f".{os.getpid()}.part")
            write_parquet(connection, queries[part], unfinished)
            unfinished.replace(path)
        drop_derived(self.folder, self.day, self.paths)


def derived_files(
    root: Path, folder: str, days: Sequence[date], parts: tuple[str, ...], made_of: Callable[[date], str]
) -> list[DerivedFiles]:
    """Those of each of the days. `made_of` says what they are made of besides the day's own files. Raises
    `BadManifestError`."""
    earlier = counted_earlier(root, days)
    found = []
    for day in days:
        digest = hashlib.sha256(" ".join((made_of(day), *earlier.get(day, ()))).encode())
        for _, manifest in manifests_in(day_folder(root, day)):
            digest.update(identity_of(manifest))
        found.append(DerivedFiles(root / folder, day, parts, digest.hexdigest()[:16]))
    return found


def drop_derived(folder: Path, day: date, but: tuple[Path, ...] = ()) -> None:
    """Takes away what was made of the day."""
    for path in folder.glob(f"{day}-*.parquet"):
        if path not in but:
            path.unlink(missing_ok=True)
