"""`beegfs entry info` of BeeGFS 8: a row for each file or directory. Its --retro form is that of BeeGFS 7."""

from __future__ import annotations

import re
from typing import Final

from iotriage_parsers.evidence import Lines, StorageLayout, StripeField
from iotriage_parsers.text.blocks import BlockResult, LineResult
from iotriage_parsers.text.lines import Line

FIRST: Final = re.compile(r"PATH\s{2,}ENTRY ID\s{2,}TYPE(?:\s|$)")
_PATTERN: Final = re.compile(r"([A-Za-z][\w -]{1,30}?)\s?\((\d{1,9})x(\d{1,15})([KMGT]?)(?:i?B)?\)")
_TARGETS: Final = re.compile(r"\d{1,9}(?:,\s?\d{1,9})*")
_POWERS: Final = " KMGT"
MOST_ROWS: Final = 10_000


class TableMachine:
    """Over with the first line that is no row, nor empty. Cells stand two blanks apart; one that is longer pushes the
    others."""

    def __init__(self, line: Line) -> None:
        self._layouts: list[StorageLayout] = []
        self._header = line.number

    def feed(self, line: Line) -> LineResult:
        if not line.text.strip():
            return LineResult.FOREIGN
        cells = [cell for cell in re.split(r"\s{2,}|\t", line.text.strip()) if cell]
        at = next((i for i, cell in enumerate(cells) if _PATTERN.fullmatch(cell)), None)
        if at is None or at < 3 or len(self._layouts) >= MOST_ROWS:
            return LineResult.OVER
        pattern = _PATTERN.fullmatch(cells[at])
        assert pattern is not None
        fields = [StripeField("STRIPE PATTERN", cells[at], line.number)]
        targets = int(pattern[2])
        if at + 1 < len(cells) and _TARGETS.fullmatch(cells[at + 1]):
            targets = cells[at + 1].count(",") + 1
            fields.append(StripeField("STORAGE TARGETS", cells[at + 1], line.number))
        self._layouts.append(
            StorageLayout(
                tool="beegfs entry info",
                file_system="beegfs",
                lines=Lines(self._header, line.number),
                complete=line.ended,
                path=cells[0],
                unit_bytes=int(pattern[3]) * 1024 ** _POWERS.index(pattern[4] or " "),
                targets=targets,
                pattern=pattern[1],
                fields=tuple(fields),
            )
        )
        return LineResult.TAKEN

    def close(self) -> BlockResult:
        return BlockResult(tuple(self._layouts))
