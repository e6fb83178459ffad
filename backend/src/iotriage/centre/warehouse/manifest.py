"""Which files of a day count. Each shard has its own manifest of a day, which it alone writes."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Final

from pydantic import TypeAdapter, ValidationError

from iotriage.centre.warehouse.columns import SCHEMA, TABLES, Table
from iotriage.store.on_disk import put_on_disk
from iotriage_parsers.frozen import frozen

_DAY: Final = re.compile(r"year=(\d{4})/month=(\d{2})/day=(\d{2})")


@frozen
class CountedFile:
    """`name` is that of a file beside the manifest."""

    table: Table
    name: str
    rows: int


@frozen
class Manifest:
    """`misdated` are the contents in its files of logs that state another day: `iotriage.centre.warehouse.misdated`."""

    schema: int
    program: str
    files: tuple[CountedFile, ...]
    misdated: tuple[str, ...] = ()


_MANIFEST: Final = TypeAdapter(Manifest)


@frozen
class CountedFiles:
    """Those of one table, and the rows in all of them."""

    paths: tuple[Path, ...]
    rows: int


class BadManifestError(Exception):
    """A manifest that is none, that cannot be read, or that a later version wrote, or one before the first release."""


def day_folder(root: Path, day: date) -> Path:
    return root / f"year={day.year:04}" / f"month={day.month:02}" / f"day={day.day:02}"


def days_in(root: Path) -> Iterator[date]:
    """The days that have a folder, in order."""
    for folder in sorted(root.glob("year=*/month=*/day=*")):
        named = _DAY.fullmatch(folder.relative_to(root).as_posix())
        if named is not None:
            with contextlib.suppress(ValueError):
                yield date(*map(int, named.groups()))


def manifest_of(folder: Path, shard: str) -> Manifest | None:
    """None where the shard has written nothing there. Raises `BadManifestError`."""
    return _read(_path(folder, shard))


def manifests_in(folder: Path) -> Iterator[tuple[str, Manifest]]:
    """Those of a day's folder, by shard. Raises `BadManifestError`."""
    for path in sorted(folder.glob("manifest-*.json")):
        manifest = _read(path)
        if manifest is not None:
            yield path.stem.removeprefix("manifest-"), manifest


def counted(root: Path, days: Iterable[date]) -> Mapping[Table, CountedFiles]:
    """The files that count of these days, by table, of all shards. Raises `BadManifestError`."""
    paths: dict[Table, list[Path]] = {table: [] for table in TABLES}
    rows: dict[Table, int] = dict.fromkeys(TABLES, 0)
    for day in days:
        folder = day_folder(root, day)
        for _, manifest in manifests_in(folder):
            for file in manifest.files:
                paths[file.table].append(folder / file.name)
                rows[file.table] += file.rows
    return {table: CountedFiles(tuple(paths[table]), rows[table]) for table in TABLES}


def write_manifest(folder: Path, shard: str, manifest: Manifest) -> None:
    """In the place of the one before, whole or not at all; what it names must be on disk already. Files that it names
    no more get the time of now: who read the one before, or copies the warehouse, looks for them a while longer."""
    before = manifest_of(folder, shard)
    content = _MANIFEST.dump_json(manifest, indent=1)
    put_in_place(folder, _path(folder, shard).name, lambda path: path.write_bytes(content))
    named = {file.name for file in manifest.files}
    for file in () if before is None else before.files:
        if file.name not in named:
            with contextlib.suppress(OSError):
                os.utime(folder / file.name)


def new_manifest(program: str, files: Iterable[CountedFile], misdated: Iterable[str] = ()) -> Manifest:
    return Manifest(SCHEMA, program, tuple(files), tuple(sorted(set(misdated))))


def with_misdated(manifest: Manifest, contents: Iterable[str]) -> Manifest:
    """The manifest, noting these."""
    return new_manifest(manifest.program, manifest.files, contents)


def identity_of(manifest: Manifest) -> bytes:
    """What tells it from one of other files: to note what lies in them changes none of what was made of them."""
    return _MANIFEST.dump_json(manifest, indent=1, exclude={"misdated"})


def uncounted(folder: Path, shard: str) -> Iterator[Path]:
    """Files of the shard that its manifest does not name: what was cut off left them."""
    manifest = manifest_of(folder, shard)
    named = {file.name for file in manifest.files} if manifest is not None else set()
    for path in folder.glob(f"*-{shard}-*.parquet*"):
        if path.name not in named:
            yield path


def file_name(table: Table, shard: str) -> str:
    """A name that no file has or had."""
    return f"{table}-{shard}-{secrets.token_hex(8)}.parquet"


def put_in_place(folder: Path, name: str, write: Callable[[Path], object]) -> None:
    """Has `write` make a file, puts it on disk, then under its name."""
    unfinished = folder / f"{name}.part"
    write(unfinished)
    put_on_disk(unfinished)
    unfinished.replace(folder / name)
    put_on_disk(folder)


def _path(folder: Path, shard: str) -> Path:
    return folder / f"manifest-{shard}.json"


def _read(path: Path) -> Manifest | None:
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as problem:
        raise BadManifestError(f"{path} cannot be read: {problem.strerror}") from None
    try:
        manifest = _MANIFEST.validate_json(content)
    except ValidationError as wrong:
        raise BadManifestError(f"{path}: {wrong.errors()[0]['msg']}") from None
    if manifest.schema > SCHEMA:
        raise BadManifestError(f"{path}: written by IOtriage {manifest.program}, which is newer than this")
    if manifest.schema < SCHEMA:
        raise BadManifestError(f"{path}: no release wrote this, and none reads it: take its logs into a new warehouse")
    return manifest
