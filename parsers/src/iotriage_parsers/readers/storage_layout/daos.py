"""`daos container query` and `daos pool query`: chunk size and class of objects of a container, targets of a pool."""

from __future__ import annotations

import re
from typing import Final

from iotriage_parsers.evidence import Lines, StorageLayout, StripeField
from iotriage_parsers.readers.storage_layout.answer import result, text_of
from iotriage_parsers.text.blocks import BlockResult, LineResult
from iotriage_parsers.text.lines import Line

FIRST: Final = re.compile(r"Container UUID\s*:\s+[0-9a-f-]{8,36}|Pool [0-9a-f-]{8,36}, ntarget=\d{1,9}")
_POOL: Final = re.compile(r"Pool ([0-9a-f-]{8,36}), ntarget=(\d{1,9})(?:,.*)?")
_FIELD: Final = re.compile(
    r"(Container (?:UUID|Label|Type|redundancy factor)|Pool UUID|Number of .{1,30}|Latest .{1,30}|Highest .{1,40}"
    r"|(?:File |Dir )?Object Class|Chunk Size)\s*:\s+(\S.{0,200})"
)
_KEPT: Final = (
    "Container UUID",
    "Container Label",
    "Container Type",
    "Container redundancy factor",
    "Pool UUID",
    "Object Class",
    "File Object Class",
    "Dir Object Class",
    "Chunk Size",
)
_SIZE: Final = re.compile(r"(\d{1,15}(?:\.\d{1,6})?)\s*([KMGT]?)(i?)B?")
_POWERS: Final = " KMGT"
FOREIGN_LINES: Final = 2


class DaosMachine:
    """A pool is its one line; a container is over with lines of another shape. A container that is no POSIX one has
    neither chunk size nor class of objects, and is none the less whole."""

    def __init__(self, line: Line) -> None:
        self._first = self._last = line.number
        self._fields: list[StripeField] = []
        self._torn = not line.ended
        self._foreign = 0
        self._pool = _POOL.fullmatch(line.text.strip())
        if self._pool is None:
            self.feed(line)

    def feed(self, line: Line) -> LineResult:
        field = _FIELD.fullmatch(line.text.strip()) if self._pool is None else None
        if field is None:
            self._foreign += 1
            return LineResult.OVER if self._pool is not None or self._foreign > FOREIGN_LINES else LineResult.FOREIGN
        label, text = field.groups()
        if text_of(self._fields, label) is not None:
            return LineResult.OVER
        self._foreign = 0
        self._last = line.number
        if not line.ended:
            self._torn = True
        elif label in _KEPT:
            self._fields.append(StripeField(label, text.strip(), line.number))
        return LineResult.TAKEN

    def close(self) -> BlockResult:
        lines = Lines(self._first, self._last)
        if self._pool is not None:
            name, targets = self._pool.groups()
            field = StripeField("ntarget", targets, self._first)
            whole = None if self._torn else int(targets)
            layout = StorageLayout("daos", "daos", lines, not self._torn, name, targets=whole, fields=(field,))
        else:
            layout = StorageLayout(
                tool="daos",
                file_system="daos",
                lines=lines,
                complete=not self._torn,
                path=text_of(self._fields, "Container Label") or text_of(self._fields, "Container UUID"),
                unit_bytes=_bytes(text_of(self._fields, "Chunk Size") or ""),
                targets=None,
                pattern=text_of(self._fields, "File Object Class") or text_of(self._fields, "Object Class"),
                fields=tuple(self._fields),
            )
        return result(layout, "the answer of daos", lines, torn=self._torn)


def _bytes(text: str) -> int | None:
    """Of "1.0 MiB", "1048576" or "1 MB", whose last is decimal; None for another shape."""
    size = _SIZE.fullmatch(text)
    if size is None:
        return None
    power = _POWERS.index(size.group(2) or " ")
    step = 1024.0 if size.group(3) else 1000.0
    return round(float(size.group(1)) * step**power)
