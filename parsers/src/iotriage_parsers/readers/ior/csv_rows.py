"""`-O summaryFormat=CSV`: rows only, recognised by their column line."""

from __future__ import annotations

import re
from typing import Final

from iotriage_parsers.evidence import Problem
from iotriage_parsers.readers.ior.results import MOST_ITERATIONS, OPERATIONS, OneTest, iteration
from iotriage_parsers.text.blocks import BlockResult, LineResult
from iotriage_parsers.text.lines import Line
from iotriage_parsers.text.numbers import whole

CSV_HEADER: Final = r"access,bw\(MiB/s\),"
_FIGURE: Final = re.compile(r"[-.\d]|(?:inf|nan|NA)?$")
"""How what stands behind an operation begins: a sentence may begin with one's name too."""


class CsvMachine:
    """Rows come as IOR gets through its tests, between what others print. Nothing tells whether some are missing at the
    end."""

    def __init__(self, line: Line) -> None:
        self._columns = [c.strip() for c in line.text.strip().split(",")]
        self._test = OneTest(line.number, line.number)
        self._torn: list[int] = []

    def feed(self, line: Line) -> LineResult:
        cells = [c.strip() for c in line.text.strip().split(",")]
        operation = OPERATIONS.get(cells[0].lower())
        if operation is None or len(cells) == 1 or _FIGURE.match(cells[1]) is None:
            return LineResult.OVER if cells[:2] == self._columns[:2] else LineResult.FOREIGN
        if len(self._test.iterations) >= MOST_ITERATIONS:
            return LineResult.OVER
        if len(cells) != len(self._columns) or not line.ended:
            self._torn.append(line.number)
            return LineResult.TAKEN
        row = dict(zip(self._columns, cells, strict=True))
        self._test.iterations.append(iteration(operation, line.number, row))
        self._test.block_kib = row.get("block(KiB)")
        self._test.transfer_kib = row.get("xfer(KiB)")
        self._test.tasks = whole(row.get("numTasks", ""))
        self._test.last = line.number
        return LineResult.TAKEN

    def close(self) -> BlockResult:
        problems = tuple(
            Problem("torn", f"line {number} is torn: a row of IOR's CSV has other cells", loses_data=True, line=number)
            for number in self._torn
        )
        if not self._test.iterations:
            return BlockResult((), problems)
        return BlockResult((self._test.run(self._test, "csv", complete=not self._torn),), problems)
