"""How far a folder was taken in: the last day of its tree of dates, for each shard."""

from __future__ import annotations

import hashlib
from datetime import date
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from iotriage.centre.log_files import Shard, has_come, path_as_text
from iotriage.centre.warehouse.manifest import put_in_place
from iotriage_parsers.frozen import frozen


@frozen
class Watermark:
    folder: str
    shard: str
    day: date


_WATERMARK = TypeAdapter(Watermark)


def read_watermark(root: Path, folder: Path, shard: Shard) -> date | None:
    """The last day that was taken in completely; None where the folder never was, and then all of it is searched. Also
    None where that day is still to come: every log before it would be skipped."""
    try:
        day = _WATERMARK.validate_json((root / _name(folder, shard)).read_bytes()).day
    except (OSError, ValidationError):
        return None
    return day if has_come(day) else None


def write_watermark(root: Path, folder: Path, shard: Shard, day: date) -> None:
    mark = _WATERMARK.dump_json(Watermark(path_as_text(folder.absolute()), shard.name, day))
    put_in_place(root, _name(folder, shard), lambda path: path.write_bytes(mark))


def _name(folder: Path, shard: Shard) -> str:
    digest = hashlib.sha256(f"{folder.absolute()} {shard.name}".encode(errors="surrogateescape")).hexdigest()
    return f"watermark-{digest[:16]}.json"
