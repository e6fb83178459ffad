"""`mmlsfs -Y`: one attribute a line, between colons, in which other characters stand as %XX."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import unquote

from iotriage_parsers.evidence import Lines, Problem, StorageLayout, StripeField
from iotriage_parsers.text.blocks import BlockResult, LineResult
from iotriage_parsers.text.lines import Line
from iotriage_parsers.text.numbers import count

FIRST: Final = re.compile(r"mmlsfs:\w{0,20}:HEADER:")
_ROW: Final = re.compile(r"mmlsfs:\w{0,20}:\d{1,9}:.{1,60000}")
_OF_LAYOUT: Final = (
    "minFragmentSize",
    "blockSize",
    "blockAllocationType",
    "defaultDataReplicas",
    "disks",
    "otherPools",
    "dataStoragePools",
    "defaultMountPoint",
    "filesystemVersion",
    "subblocksPerFullBlock",
)
MOST_FILE_SYSTEMS: Final = 200
MOST_FIELDS: Final = 40


class FieldsMachine:
    """Over with a line of another shape, but an empty one. Several file systems may follow one header."""

    def __init__(self, line: Line) -> None:
        self._first = self._last = line.number
        names = line.text.strip().split(":")
        self._columns = {name: names.index(name) for name in ("deviceName", "fieldName", "data") if name in names}
        self._of: dict[str, list[StripeField]] = {}
        self._torn = not line.ended

    def feed(self, line: Line) -> LineResult:
        text = line.text.strip()
        if not text:
            return LineResult.FOREIGN
        if _ROW.fullmatch(text) is None or len(self._columns) < 3:
            return LineResult.OVER
        cells = text.split(":")
        if not line.ended or len(cells) <= max(self._columns.values()):
            self._torn = True
            return LineResult.TAKEN
        self._last = line.number
        device, name, data = (unquote(cells[self._columns[c]]) for c in ("deviceName", "fieldName", "data"))
        fields = self._of.setdefault(device, []) if len(self._of) < MOST_FILE_SYSTEMS else self._of.get(device, [])
        if name in _OF_LAYOUT and data and len(fields) < MOST_FIELDS:
            fields.append(StripeField(name, data[:4000], line.number))
        return LineResult.TAKEN

    def close(self) -> BlockResult:
        layouts = tuple(found for fields in self._of.values() if (found := self._layout(fields)) is not None)
        if not layouts or not self._torn:
            return BlockResult(layouts)
        message = f"the fields of mmlsfs at lines {self._first}-{self._last} are cut off: what stands before is read"
        return BlockResult(layouts, (Problem("unterminated", message, loses_data=True, line=self._first),))

    def _layout(self, fields: list[StripeField]) -> StorageLayout | None:
        """None without a block size. Of several the last is that of the pools which hold data alone."""
        by_name = {f.label: f.text for f in fields}
        block = count(by_name.get("blockSize", "")).number
        if not isinstance(block, int):
            return None
        disks = [d for d in re.split(r"[;,]", by_name.get("disks", "")) if d]
        return StorageLayout(
            tool="mmlsfs",
            file_system="gpfs",
            lines=Lines(self._first, self._last),
            complete=not self._torn,
            path=by_name.get("defaultMountPoint"),
            unit_bytes=block,
            targets=len(disks) or None,
            pattern=by_name.get("blockAllocationType"),
            fields=tuple(fields),
        )
