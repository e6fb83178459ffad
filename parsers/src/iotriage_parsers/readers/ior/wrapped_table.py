"""The head and the rows of IOR's tables where a mail program or a terminal broke them at blanks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from iotriage_parsers.evidence.run_result import BenchmarkOperation
from iotriage_parsers.text.lines import Line

Row = tuple[Line, list[str], BenchmarkOperation]

MOST_PIECES: Final = 6
LEAST_CELLS: Final = 2
"""Of the first piece of a row: the operation and its rate."""
_COLUMN: Final = re.compile(
    r"(?:(?:block|xfer)\(KiB\)|(?:bw|aggs)\(MiB(?:/s)?\)|(?:Latency|open|wr/rd|close|total|Mean|Stonewall)\(s\)|IOPS|iter"
    r"|(?:Max|Min|Mean)\((?:OPs|MiB)\)|Stonewall\(MiB\)|StdDev|Test#|#Tasks|tPN|reps|fPP|reord|reordoff|reordrand|seed"
    r"|segcnt|blksiz|xsize|API|RefNum)"
)
_CELL: Final = re.compile(
    r"-|[-+.\d]\S*|n/?a|nan|inf|MPIIO|POSIX|HDF5|NCMPI|MMAP|DFS|DAOS|CEPHFS|RADOS|S3\S*|AIO", re.IGNORECASE
)


class WrappedTable:
    """What was read last of a table, as long as the next line may go on with it."""

    def __init__(self) -> None:
        self._columns: list[str] | None = None
        self._row: Row | None = None
        self._wanted = self._pieces = 0
        self._last = 0

    @property
    def is_open(self) -> bool:
        """Whether the next line may be a piece of what was read last."""
        return self._columns is not None or self._row is not None

    def begin_columns(self, line: Line, columns: list[str]) -> None:
        self._columns, self._last, self._pieces = columns, line.number, 1

    def columns(self, line: Line, text: str) -> list[str] | None:
        """All columns, where this line has more of those that were begun."""
        names = text.replace("Std Dev", "StdDev").replace(" (", "(").split()
        known = self._columns is not None and all(_COLUMN.fullmatch(name) for name in names)
        if self._columns is None or not known or not self._is_next(line):
            self._columns = None
            return None
        self._columns = [*self._columns, *names]
        return self._columns

    def begins(self, line: Line, cells: list[str], operation: BenchmarkOperation, columns: Sequence[str]) -> bool:
        """Whether this is a row that lacks cells, which then is held."""
        lacks = LEAST_CELLS <= len(cells) < len(columns)
        if not lacks or not line.ended or not all(_CELL.fullmatch(cell) for cell in cells[1:]):
            return False
        self._row, self._wanted, self._last, self._pieces = (line, cells, operation), len(columns), line.number, 1
        return True

    def takes(self, line: Line, text: str) -> bool:
        """Whether this line has more cells of the row that is held."""
        if self._row is None or not self._is_next(line):
            return False
        more = text.split()
        first, cells, operation = self._row
        if len(cells) + len(more) > self._wanted or not all(_CELL.fullmatch(cell) for cell in more):
            return False
        self._row = first._replace(ended=line.ended), [*cells, *more], operation
        return True

    def whole(self) -> Row | None:
        """The row, once it has all its cells."""
        return self.held() if self._row is not None and len(self._row[1]) == self._wanted else None

    def held(self) -> Row | None:
        """The row as far as it was read, which is held no longer."""
        row, self._row = self._row, None
        return row

    def _is_next(self, line: Line) -> bool:
        if line.number != self._last + 1 or self._pieces >= MOST_PIECES:
            return False
        self._last, self._pieces = line.number, self._pieces + 1
        return True
