"""MPICH_MPIIO_AGGREGATOR_PLACEMENT_DISPLAY: a table of ranks and nodes for each file.

No public text shows this table; its shape is known from memory only (a title with the file, a line with the reorder
method, a header `AGG Rank nid`, a row an aggregator). So the lines are kept as they stand, and ranks and nodes are read
only under that header.
"""

from __future__ import annotations

import re
from typing import Final

from iotriage_parsers.evidence import AggregatorPlacement, Lines, Part, PlacedAggregator, Problem
from iotriage_parsers.text.blocks import BlockReader, BlockResult, LineResult
from iotriage_parsers.text.lines import Line

_TITLE: Final = re.compile(r"(?:PE[ \t]+\d{1,9}:[ \t]+)?Aggregator Placement for[ \t]+(?=\S)")
_SERVER: Final = re.compile(r"PE[ \t]+\d{1,9}:[ \t]")
_HEADER: Final = re.compile(r"AGG[ \t]+Rank[ \t]+nid\s*$", re.IGNORECASE)
_DASHES: Final = re.compile(r"-{2,}(?:[ \t]+-{2,})+\s*$")
_ASSIGNMENTS: Final = re.compile(r"(?:(?:Rank|Agg)[A-Za-z]{2,40}[ \t]*=[ \t]*-?\d{1,9}(?:[ \t]+|$))+$")
_ROW: Final = re.compile(r"(\d{1,9})[ \t]+(\d{1,9})[ \t]+([A-Za-z0-9][\w.-]{0,63})\s*$")

_TORN_ROW: Final = re.compile(r"\d{1,9}(?:[ \t]+\d{0,9})?")

FOREIGN_LINES: Final = 3
MOST_LINES_SHOWN: Final = 40
MOST_AGGREGATORS: Final = 100_000


def _begins(text: str) -> int | None:
    match = _TITLE.search(text)
    return match.start() if match else None


class _PlacementMachine:
    def __init__(self, line: Line) -> None:
        title = _TITLE.search(line.text)
        assert title is not None
        self._file = line.text[title.end() :].strip().removesuffix(":")
        self._cut = not line.ended
        self._header = False
        self._first = self._last = line.number
        self._text = [line.text.rstrip()]
        self._rows: list[PlacedAggregator] = []
        self._foreign = 0

    def feed(self, line: Line) -> LineResult:
        if _TITLE.search(line.text):
            return LineResult.OVER
        prefix = _SERVER.match(line.text)
        text = line.text[prefix.end() if prefix else 0 :].strip()
        if self._header and (row := _ROW.match(text)) is not None:
            return self._row(row, line)
        if self._header and not line.ended and _TORN_ROW.fullmatch(text):
            self._cut = True
            return self._take(line)
        if _HEADER.match(text) or _DASHES.match(text) or (not self._rows and _ASSIGNMENTS.match(text)):
            if self._rows:
                return LineResult.OVER
            self._header = self._header or _HEADER.match(text) is not None
            return self._take(line)
        self._foreign += 1
        return LineResult.OVER if self._foreign > FOREIGN_LINES else LineResult.FOREIGN

    def close(self) -> BlockResult:
        if not self._header and len(self._text) == 1:
            return self._found(("the table under it was not found",))
        numbers = [r.number for r in self._rows]
        doubts = []
        if not self._rows:
            doubts.append(
                "no aggregator was read from it" if self._header else "its columns are not those that are known"
            )
        elif sorted(numbers) != list(range(len(numbers))):
            doubts.append("its numbers do not run from 0 without a gap")
        if self._cut:
            doubts.append("it is cut off")
        return self._found(tuple(doubts))

    def _row(self, row: re.Match[str], line: Line) -> LineResult:
        number, rank, node = row.groups()
        if not line.ended or len(self._rows) >= MOST_AGGREGATORS:
            self._cut = True
            return self._take(line)
        if any(int(number) == held.number for held in self._rows[-1:]) or (self._rows and int(number) == 0):
            return LineResult.OVER
        self._rows.append(PlacedAggregator(int(number), int(rank), node, line.number))
        return self._take(line)

    def _take(self, line: Line) -> LineResult:
        self._foreign = 0
        self._last = line.number
        if len(self._text) < MOST_LINES_SHOWN:
            self._text.append(line.text.rstrip())
        return LineResult.TAKEN

    def _found(self, doubts: tuple[str, ...]) -> BlockResult:
        lines = Lines(self._first, self._last)
        part = AggregatorPlacement(self._file, tuple(self._rows), tuple(self._text), lines, not doubts)
        if not doubts:
            return BlockResult((part,))
        message = f"aggregator placement at line {self._first}: {', '.join(doubts)}"
        return BlockResult(
            (part,), (Problem("truncated" if self._cut else "note", message, self._cut, line=self._first),)
        )


def _describe(parts: tuple[Part, ...]) -> str | None:
    tables = [p for p in parts if isinstance(p, AggregatorPlacement)]
    if not tables:
        return None
    number = "1 table" if len(tables) == 1 else f"{len(tables):,} tables"
    return f"aggregator placement: {number}"


reader: Final = BlockReader(
    id="mpich_aggregator_placement",
    title="MPICH aggregator placement",
    anchors=(b"Aggregator Placement for ",),
    begins=_begins,
    start=lambda line, _: _PlacementMachine(line),
    describe=_describe,
    precedence=30,
)
