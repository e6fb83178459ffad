"""What the last run of `iotriage ingest` did, for each folder and shard: how far behind a centre is."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from contextlib import suppress
from datetime import date
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from iotriage.centre.warehouse.manifest import put_in_place
from iotriage_parsers.frozen import frozen


@frozen
class LastRun:
    """`ended` is in seconds since 1970; `newest_day` is that of the newest folder of a tree of dates. The counts are of
    logs (`IngestCounts`); `reasons` says why some failed."""

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


_LAST_RUN = TypeAdapter(LastRun)


def write_last_run(root: Path, run: LastRun) -> None:
    digest = hashlib.sha256(f"{run.folder} {run.shard}".encode(errors="surrogateescape")).hexdigest()
    content = _LAST_RUN.dump_json(run)
    put_in_place(root, f"last-run-{digest[:16]}.json", lambda path: path.write_bytes(content))


def last_runs(root: Path) -> tuple[LastRun, ...]:
    """One for each folder and shard that was taken in to its end; what cannot be read is passed over."""
    found = []
    for path in sorted(root.glob("last-run-*.json")):
        with suppress(OSError, ValidationError):
            found.append(_LAST_RUN.validate_json(path.read_bytes()))
    return tuple(found)
