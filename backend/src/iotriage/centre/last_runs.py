"""What the last run of `iotriage ingest` did, for each folder and shard, and the last run that was begun. From these a
centre sees how far behind it is, and why."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import TypeAdapter, ValidationError

from iotriage.centre.warehouse.manifest import put_in_place
from iotriage_parsers.frozen import frozen

Known = TypeVar("Known")


@frozen
class LastRun:
    """`ended` is in seconds since 1970; `newest_day` is that of the newest folder of a tree of dates. The counts are of
    logs (`IngestCounts`); `reasons` says why some failed. `unlisted` are folders, of them the first, in which nothing
    could be looked for."""

    folder: str
    shard: str
    ended: float
    seconds: float
    newest_day: date | None
    found: int
    known: int
    read: int
    failed: int
    copies: int
    reasons: Mapping[str, int]
    unlisted: int = 0
    first_unlisted: str | None = None


@frozen
class LastTry:
    """A run that was begun, in seconds since 1970. `why` says why it failed; None of one that goes on, came to its end,
    or was ended before it could say anything."""

    folder: str
    shard: str
    began: float
    why: str | None


_LAST_RUN = TypeAdapter(LastRun)
_LAST_TRY = TypeAdapter(LastTry)


def write_last_run(root: Path, run: LastRun) -> None:
    content = _LAST_RUN.dump_json(run)
    put_in_place(root, _name("run", run.folder, run.shard), lambda path: path.write_bytes(content))


def write_last_try(root: Path, begun: LastTry) -> None:
    content = _LAST_TRY.dump_json(begun)
    put_in_place(root, _name("try", begun.folder, begun.shard), lambda path: path.write_bytes(content))


def last_runs(root: Path) -> tuple[LastRun, ...]:
    """One for each folder and shard that was taken in to its end; what cannot be read is passed over."""
    return tuple(_read(root, "run", _LAST_RUN))


def last_tries(root: Path) -> tuple[LastTry, ...]:
    """One for each folder and shard of which a run was begun; what cannot be read is passed over."""
    return tuple(_read(root, "try", _LAST_TRY))


def _name(what: Literal["run", "try"], folder: str, shard: str) -> str:
    digest = hashlib.sha256(f"{folder} {shard}".encode(errors="surrogateescape")).hexdigest()
    return f"last-{what}-{digest[:16]}.json"


def _read(root: Path, what: Literal["run", "try"], adapter: TypeAdapter[Known]) -> Iterator[Known]:
    for path in sorted(root.glob(f"last-{what}-*.json")):
        with suppress(OSError, ValidationError):
            yield adapter.validate_json(path.read_bytes())
