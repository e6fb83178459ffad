"""`mmlsfs`: the table of a file system's attributes, of which those are kept that say how data are laid out."""

from __future__ import annotations

import re
from typing import Final

from iotriage_parsers.evidence import Lines, StorageLayout, StripeField
from iotriage_parsers.readers.storage_layout.answer import result, text_of
from iotriage_parsers.text.blocks import BlockResult, LineResult
from iotriage_parsers.text.lines import Line
from iotriage_parsers.text.numbers import count

FIRST: Final = re.compile(r"flag\s+value\s+description")
_RULE: Final = re.compile(r"-{5,}(?:\s-{5,}){2}")
_ROW: Final = re.compile(r"(-\w|--[\w-]{1,40})\s+(\S.*)")
_MORE: Final = re.compile(r"\s{10,}(\S{1,400})\s+(\S.*)")
"""A second value of the attribute above."""
_MORE_OF_BLOCKS: Final = re.compile(r"\s*\d{1,12}\s+Block size\b.*")
"""The same, whose words tell it where the blanks were lost; below a line of another shape it may be the rest of one."""
_WHAT: Final = re.compile(r"\S{1,4000}")
_OF_LAYOUT: Final = ("-f", "-B", "-j", "-r", "-d", "-P", "-T", "-V", "-n", "--subblocks-per-full-block")
FOREIGN_LINES: Final = 2


class FileSystemMachine:
    """Over with the first lines of another shape. A part of the table without the block size says nothing here.
    Of several block sizes the last one is that of the pools which hold data alone."""

    def __init__(self, line: Line) -> None:
        self._first = self._last = line.number
        self._fields: list[StripeField] = []
        self._label = ""
        self._torn = not line.ended
        self._foreign = 0

    def feed(self, line: Line) -> LineResult:
        text = line.text.strip()
        if FIRST.match(text):
            return LineResult.OVER
        row = _ROW.fullmatch(text)
        pattern = _MORE if self._foreign or _MORE.fullmatch(line.text.rstrip()) else _MORE_OF_BLOCKS
        more = pattern.fullmatch(line.text.rstrip()) if row is None and self._label else None
        if row is None and more is None:
            self._foreign += bool(text) and not _RULE.fullmatch(text)
            return LineResult.OVER if self._foreign > FOREIGN_LINES else LineResult.FOREIGN
        self._foreign = 0
        self._last = line.number
        if not line.ended:
            self._torn = True
        elif row is not None:
            self._label = row.group(1)
            self._keep(row.group(2), line.number)
        elif self._label == "-B":
            self._keep(text, line.number)
        return LineResult.TAKEN

    def close(self) -> BlockResult:
        sizes = [f for f in self._fields if f.label == "-B"]
        if not sizes:
            return BlockResult()
        block = count(sizes[-1].text).number
        disks = text_of(self._fields, "-d")
        lines = Lines(self._first, self._last)
        layout = StorageLayout(
            tool="mmlsfs",
            file_system="gpfs",
            lines=lines,
            complete=not self._torn,
            path=text_of(self._fields, "-T"),
            unit_bytes=block if isinstance(block, int) else None,
            targets=len([d for d in disks.split(";") if d]) if disks is not None else None,
            pattern=text_of(self._fields, "-j"),
            fields=tuple(self._fields),
        )
        return result(layout, "the table of mmlsfs", lines, torn=self._torn)

    def _keep(self, rest: str, number: int) -> None:
        what = _WHAT.match(rest)
        # A list of disks without its description behind it goes on where the line was cut.
        cut = what is not None and self._label == "-d" and not rest[what.end() :].strip()
        if what is not None and not cut and self._label in _OF_LAYOUT and len(self._fields) < 2 * len(_OF_LAYOUT):
            self._fields.append(StripeField(self._label, what.group(), number))
