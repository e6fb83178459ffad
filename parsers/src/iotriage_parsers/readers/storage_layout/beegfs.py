"""`beegfs-ctl --getentryinfo`: chunk size and storage targets of a file, or of the new files of a directory."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from iotriage_parsers.evidence import Lines, StorageLayout, StripeField
from iotriage_parsers.readers.storage_layout.answer import result, text_of
from iotriage_parsers.text.blocks import BlockResult, LineResult
from iotriage_parsers.text.lines import Line

FIRST: Final = re.compile(r"EntryID:\s+\S")
_FIELD: Final = re.compile(r"(?:\+\s+)?(Entry type|EntryID|Metadata node|Type|Chunksize|Storage Pool):\s+(\S.{0,400})")
_TARGETS: Final = re.compile(r"\+\s+(Number of storage targets|Number of storage mirror groups):\s+(\S.{0,100})")
_COUNTS: Final = re.compile(r"(?:desired:\s*)?(\d{1,9})(?:;\s*actual:\s*(\d{1,9}))?")
_OWN: Final = re.compile(r"(?:Stripe pattern details:|\+ .*|(?:Metadata|Current).*:.*|\{|\})")
_SIZE: Final = re.compile(r"(\d{1,15})([KMGT]?)i?B?")
_COMMAND: Final = re.compile(r"\bbeegfs-ctl\s(.{0,400}?)--getentryinfo\s?(.{0,4000})")
_PATH: Final = re.compile(r"(Path|Mount|Entry type):\s+(\S.{0,1000})")
_POWERS: Final = " KMGT"


class EntryMachine:
    """Over with the next entry, or with a line of another shape, but an empty one, once targets were there."""

    def __init__(self, line: Line, before: Iterable[Line]) -> None:
        self._first = self._last = line.number
        self._fields: list[StripeField] = []
        self._path: str | None = None
        self._torn = False
        for earlier in before:
            text = earlier.text.strip()
            path, command = _PATH.fullmatch(text), _COMMAND.search(text)
            if path is not None:
                self._first = earlier.number
                self._path = path.group(2) if path.group(1) == "Path" else self._path
            elif command is not None:
                self._path = self._path or _requested_path(f"{command.group(1)} {command.group(2)}")
                break
            elif text not in ("", "{"):
                break
        self._taken(line)

    def feed(self, line: Line) -> LineResult:
        text = line.text.strip()
        if FIRST.match(text):
            return LineResult.OVER
        return self._taken(line)

    def close(self) -> BlockResult:
        if not any(f.label in ("Type", "Chunksize") for f in self._fields):
            return BlockResult()
        chunk = _SIZE.fullmatch(text_of(self._fields, "Chunksize") or "")
        counts = _COUNTS.fullmatch(text_of(self._fields, "Number of storage targets") or "")
        lines = Lines(self._first, self._last)
        complete = not self._torn and chunk is not None and counts is not None
        layout = StorageLayout(
            tool="beegfs-ctl --getentryinfo",
            file_system="beegfs",
            lines=lines,
            complete=complete,
            path=self._path,
            unit_bytes=int(chunk.group(1)) * 1024 ** _POWERS.index(chunk.group(2) or " ")
            if chunk is not None
            else None,
            targets=int(counts.group(2) or counts.group(1)) if counts is not None else None,
            pattern=text_of(self._fields, "Type"),
            fields=tuple(self._fields),
        )
        return result(layout, "the BeeGFS entry", lines, torn=not complete)

    def _taken(self, line: Line) -> LineResult:
        text = line.text.strip()
        field = _FIELD.fullmatch(text) or _TARGETS.fullmatch(text)
        if field is None:
            if _OWN.fullmatch(text):
                return LineResult.TAKEN
            over = text and text_of(self._fields, "Number of storage targets") is not None
            return LineResult.OVER if over else LineResult.FOREIGN
        if text_of(self._fields, field.group(1)) is not None:
            return LineResult.OVER
        self._last = line.number
        if line.ended:
            self._fields.append(StripeField(field.group(1), field.group(2).strip(), line.number))
        else:
            self._torn = True
        return LineResult.TAKEN


def _requested_path(arguments: str) -> str | None:
    words = [w for w in arguments.split() if not w.startswith("-")]
    return words[-1] if words else None
