"""benchio (EPCC): the old output (MiB/s, ten repetitions a file), the new one (GiB/s, one), and its results as CSV.

The program is Fortran, so blanks, digits and E notation are those of the compiler. MiB and GiB are 2^20 and 2^30 bytes:
the amount of data over the time is the rate. The CSV names neither layer nor striping: only its file's name does.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from iotriage_parsers.evidence import (
    BenchmarkIteration,
    BenchmarkResult,
    BenchmarkRun,
    BenchmarkSetting,
    Lines,
    Part,
    Problem,
)
from iotriage_parsers.evidence.run_result import BenchmarkLayer, BenchmarkSource
from iotriage_parsers.text.blocks import MOST_RUNS, BlockReader, BlockResult, LineResult, Machine
from iotriage_parsers.text.changed_figures import ChangedFigures
from iotriage_parsers.text.cut_columns import cut_problem
from iotriage_parsers.text.line_start import at_line_start
from iotriage_parsers.text.lines import Line
from iotriage_parsers.text.numbers import decimals
from iotriage_parsers.text.wrapped_rows import WrappedRows

_FILE: Final = (
    r"(?:(?:[\w.+-]{1,100}/){0,20}(?:serial|proc|rank|node|mpiio|hdf5|netcdf|adios2?)\d{0,9}\.\w{1,8}"
    r"|(?:[\w.+-]{1,100}/){1,20}fpp)"
)
_FIRST: Final = re.compile(
    rf"Simple Parallel IO benchmark\s*$|Nodes, rates \([MG]iB/s\) repeat measurements|Writing to {_FILE}\s*$"
)
_BANNER: Final = "Simple Parallel IO benchmark"
_FLOAT: Final = r"([0-9]{0,20}\.?[0-9]{1,20}(?:[EeDd][+-]?[0-9]{1,3})?|[0-9]{1,20}\.)"
_UNIT: Final = r"([MG]iB)"
_PROCESSES: Final = re.compile(r"Running on\s+(\d{1,9})\s+process(?:\(es\)|es)?")
_NODES: Final = re.compile(r"Running on\s+(\d{1,9})\s+nodes?\b")
_NODE: Final = re.compile(r"Node number\s+\d+\s+is\s+\S+\s+with\s+(\d{1,9})\s+process")
_AMOUNT: Final = re.compile(rf"Total amount of data =\s+{_FLOAT}\s+{_UNIT}")
_SIZES: Final = re.compile(r"(Process grid is|Array size is|Global size is)\s+(\([\d, ]{1,80}\))")
_WRITING: Final = re.compile(rf"Writing to ({_FILE})")
_ROW: Final = re.compile(rf"time =\s+{_FLOAT}\s*, rate =\s+{_FLOAT}\s+{_UNIT}/s")
_BEST: Final = re.compile(rf"mintime =\s+{_FLOAT}\s*, maxrate =\s+{_FLOAT}\s+{_UNIT}/s")
_MEAN: Final = re.compile(rf"avgtime =\s+{_FLOAT}\s*, avgrate =\s+{_FLOAT}\s+{_UNIT}/s")
_OF_FIGURES: Final = ("time =", "mintime =", "avgtime =")
_BEGINS: Final = re.compile(r"(?:min|avg)?time =")
_PIECE: Final = re.compile(r"(?:, |(?:max|avg)?rate\b|[\d.]|[MG]iB/s).*|,|=.*")
"""What a mail left of such a row on the line below it."""
_CSV_HEADER: Final = re.compile(r"Nodes, rates \(([MG]iB)/s\) repeat measurements")
_CSV_ROW: Final = re.compile(r"(\d{1,9})\s*,[-+\d.eE,\s]{1,8000}")
_CSV_PIECE: Final = re.compile(r"[-+\d.eE\s]{0,8000}+,[-+\d.eE,\s]{0,8000}")
_MULTIPLIER: Final = re.compile(r"Multiplier\s*=\s*(\d{1,9})")
_UNITS: Final = {"MiB": 2**20, "GiB": 2**30}
_LAYERS: Final[tuple[tuple[str, BenchmarkLayer], ...]] = (
    ("serial", "serial"),
    ("proc", "proc"),
    ("rank", "proc"),
    ("fpp", "proc"),
    ("node", "node"),
    ("mpiio", "mpiio"),
    ("hdf5", "hdf5"),
    ("netcdf", "netcdf"),
    ("adios", "adios2"),
)

LONGEST_LINE: Final = 16_384
MOST_RESULTS: Final = 10_000
MOST_ITERATIONS: Final = 100_000


@dataclass(slots=True)
class _File:
    """The lines under one "Writing to"."""

    name: str
    line: int
    iterations: list[BenchmarkIteration] = field(default_factory=list)
    best: tuple[float, float, int] | None = None
    mean: tuple[float, float] | None = None

    def result(self) -> BenchmarkResult:
        *folders, name = self.name.split("/")
        best_s, best_rate, line = self.best or (None, None, None)
        mean_s, mean_rate = self.mean or (None, None)
        return BenchmarkResult(
            operation="write",
            line=line,
            layer=next((layer for start, layer in _LAYERS if name.startswith(start)), None),
            striping=folders[-1] if folders else None,
            file=self.name,
            max_bytes_per_s=best_rate,
            mean_bytes_per_s=mean_rate,
            mean_seconds=mean_s,
            min_seconds=best_s,
            iterations=tuple(self.iterations),
        )


class OutputMachine:
    """Over with the line "Finished". Without the program's title it is a fragment."""

    def __init__(self, line: Line) -> None:
        self._first = self._last = line.number
        self._settings: dict[str, BenchmarkSetting] = {}
        self._files: list[_File] = []
        self._per_node: list[int] = []
        self._rows = 0
        self._torn: list[int] = []
        self._changed = ChangedFigures("benchio")
        self._pieces = WrappedRows("benchio's output", _BEGINS, self._is_whole)
        self._fragment = not line.text.strip().startswith(_BANNER)
        self._ended = False
        if self._fragment:
            self.feed(line)

    def feed(self, line: Line) -> LineResult:
        text = line.text.strip()
        if len(text) > LONGEST_LINE:
            return LineResult.FOREIGN
        if text.startswith(_BANNER):
            return LineResult.OVER
        if text == "Finished" and not self._fragment:
            self._last, self._ended = line.number, True
            return LineResult.LAST
        if _BEGINS.match(text) or (self._pieces.is_open and _PIECE.fullmatch(text)):
            whole = self._pieces.row(Line(line.number, text, line.ended))
            taken = whole is None or self._figures(whole, whole.text)
        else:
            self._pieces.give_up()
            taken = self._figures(line, text) or self._head(line, text)
        if taken:
            self._last = line.number
        return LineResult.TAKEN if taken else LineResult.FOREIGN

    def close(self) -> BlockResult:
        written = [f for f in self._files if f.iterations or f.best]
        if self._fragment and not written:
            return BlockResult()
        source: BenchmarkSource = "fragment" if self._fragment else "text"
        amount = _AMOUNT.match(self._text("Total amount of data"))
        run = BenchmarkRun(
            tool="benchio",
            source=source,
            lines=Lines(self._first, self._last),
            complete=self._ended,
            results=tuple(f.result() for f in written),
            nprocs=self._whole(_PROCESSES, "Running on processes"),
            nodes=self._whole(_NODES, "Running on nodes"),
            ranks_per_node=self._per_node[0] if len(set(self._per_node)) == 1 else None,
            total_bytes=_bytes(amount),
            settings=tuple(self._settings.values()),
        )
        return BlockResult((run,), tuple(self._problems()))

    def _problems(self) -> Iterable[Problem]:
        yield from (*self._changed.problems(), *self._pieces.problems())
        for number in self._torn:
            yield Problem("torn", f"line {number} is torn: no figure of it is used", loses_data=True, line=number)
        where = f"lines {self._first}-{self._last}"
        if self._fragment:
            message = f"{where} are results of benchio without the head of its output: ranks and sizes are not known"
            yield Problem("note", message, line=self._first)
        elif not self._ended:
            message = f'the benchio output at {where} has no "Finished": what it had printed is read'
            yield Problem("unterminated", message, loses_data=True, line=self._first)

    def _text(self, key: str) -> str:
        found = self._settings.get(key)
        return "" if found is None else found.text

    def _whole(self, pattern: re.Pattern[str], key: str) -> int | None:
        match = pattern.match(self._text(key))
        return None if match is None else int(match.group(1))

    def _head(self, line: Line, text: str) -> bool:
        if self._files:
            return False
        if (node := _NODE.match(text)) is not None:
            self._per_node.append(int(node.group(1)))
            return len(self._per_node) < MOST_ITERATIONS
        sizes = _SIZES.match(text)
        keys = (
            ("Running on processes", _PROCESSES.match(text)),
            ("Running on nodes", _NODES.match(text)),
            ("Total amount of data", _AMOUNT.match(text)),
            (sizes.group(1) if sizes is not None else "", sizes),
        )
        for key, match in keys:
            if match is not None and key not in self._settings:
                self._settings[key] = BenchmarkSetting(key, text, line.number)
                return True
        return False

    def _is_whole(self, text: str) -> bool:
        """Whether the row is; one with figures that are changed is told of those."""
        return any(p.fullmatch(text) for p in (_ROW, _BEST, _MEAN)) or self._changed.finds(text)

    def _figures(self, line: Line, text: str) -> bool:
        writing = _WRITING.fullmatch(text)
        if writing is not None and len(self._files) < MOST_RESULTS:
            self._files.append(_File(writing.group(1), line.number))
            return True
        if not self._files:
            return False
        file = self._files[-1]
        if (row := _figures(_ROW, text)) is not None and self._rows < MOST_ITERATIONS:
            self._rows += 1
            number = len(file.iterations)
            file.iterations.append(
                BenchmarkIteration("write", line.number, number=number, bytes_per_s=row[1], seconds=row[0])
            )
            return True
        if (best := _figures(_BEST, text)) is not None:
            file.best = (*best, line.number)
            return True
        if (mean := _figures(_MEAN, text)) is not None:
            file.mean = mean
            return True
        if text.startswith(_OF_FIGURES) and self._changed.looked_at(text, line.number):
            return True
        if text.startswith("time =") and ("rate" in text or not line.ended):
            self._torn.append(line.number)
            return True
        return False


class CsvMachine:
    """A table of rates: a row a number of nodes, a column a repetition. Each row is a run of its own."""

    def __init__(self, line: Line, before: Iterable[Line]) -> None:
        header = _CSV_HEADER.match(line.text.strip())
        assert header is not None
        self._factor = _UNITS[header.group(1)]
        self._settings = [BenchmarkSetting("Nodes, rates", line.text.strip(), line.number)]
        above = next(iter(before), None)
        if above is not None and _MULTIPLIER.match(above.text.strip()):
            self._settings.insert(0, BenchmarkSetting("Multiplier", above.text.strip(), above.number))
        self._rows: list[Line] = []
        self._widths: set[int] = set()
        self._changed = ChangedFigures("benchio")

    def feed(self, line: Line) -> LineResult:
        text = line.text.strip()
        if not text:
            return LineResult.FOREIGN
        if _CSV_PIECE.fullmatch(text) is None or len(self._rows) >= MOST_RESULTS:
            return LineResult.OVER
        if _lacks_points(text) and self._changed.looked_at(text, line.number):
            return LineResult.TAKEN
        self._rows.append(line._replace(text=text))
        self._widths.add(len(line.text))
        return LineResult.TAKEN

    def close(self) -> BlockResult:
        found = self._table() if self._rows else BlockResult()
        return BlockResult(found.parts, (*found.problems, *self._changed.problems()))

    def _table(self) -> BlockResult:
        column = self._cut_at()
        if column is not None:
            left_out = "the figures that end there are left out, and what stood behind is not known"
            problem = cut_problem("benchio's table", column, self._rows[0].number, left_out)
            return BlockResult(tuple(self._run(row, not row.text.endswith(",")) for row in self._rows), (problem,))
        pieces = [_CSV_ROW.fullmatch(row.text) is None for row in self._rows]
        closed = any(pieces) or any(row.text.endswith(",") for row in self._rows)
        runs: list[BenchmarkRun] = []
        problems: list[Problem] = []
        broken = False
        for row, is_piece in zip(self._rows, pieces, strict=True):
            # Where a row ends with a comma all do: one that does not goes on in the next line, whose first figure
            # would else be taken for a number of nodes.
            part_of_row = broken or is_piece
            broken = closed and row.ended and not row.text.endswith(",")
            if part_of_row or broken:
                message = f"line {row.number} is torn: a row of benchio's table is cut. Its figures were left out"
                problems.append(Problem("torn", message, loses_data=True, line=row.number))
                continue
            cut = not row.ended and not row.text.endswith(",")
            if cut:
                message = f"line {row.number} was cut off: its last figure is not used"
                problems.append(Problem("torn", message, loses_data=True, line=row.number))
            runs.append(self._run(row, cut))
        return BlockResult(tuple(runs), tuple(problems))

    def _cut_at(self) -> int | None:
        """The column at which all rows end, where that is within figures: one has fewer decimals there than any
        of its row, or only some rows end with a comma."""
        if len(self._rows) == 1 or len(self._widths) != 1 or not all(_CSV_ROW.fullmatch(r.text) for r in self._rows):
            return None
        open_rows = [row.text for row in self._rows if not row.text.endswith(",")]
        cells = [text.split(",")[1:] for text in open_rows]
        within = any(decimals(row[-1]) < min(map(decimals, row[:-1]), default=0) for row in cells)
        return next(iter(self._widths)) if within or 0 < len(open_rows) < len(self._rows) else None

    def _run(self, row: Line, cut: bool) -> BenchmarkRun:
        nodes, *cells = row.text.rstrip(",").split(",")
        rates = [_number(cell.strip()) for cell in (cells[:-1] if cut else cells)]
        iterations = tuple(
            BenchmarkIteration("write", row.number, number=number, bytes_per_s=rate * self._factor)
            for number, rate in enumerate(rates)
            if rate is not None
        )
        return BenchmarkRun(
            tool="benchio",
            source="csv",
            lines=Lines(row.number, row.number),
            complete=not cut,
            results=(BenchmarkResult("write", iterations=iterations),) if iterations else (),
            nodes=int(nodes),
            settings=tuple(self._settings),
        )


def _start(line: Line, before: Iterable[Line]) -> Machine:
    if _CSV_HEADER.match(line.text.strip()):
        return CsvMachine(line, before)
    return OutputMachine(line)


def _figures(pattern: re.Pattern[str], text: str) -> tuple[float, float] | None:
    """Seconds and bytes per second of a line; None where it is no such line or a figure of it is unusable."""
    match = pattern.fullmatch(text)
    if match is None:
        return None
    seconds, rate = _number(match.group(1)), _number(match.group(2))
    return None if seconds is None or rate is None else (seconds, rate * _UNITS[match.group(3)])


def _bytes(match: re.Match[str] | None) -> int | None:
    number = None if match is None else _number(match.group(1))
    return None if match is None or number is None else round(number * _UNITS[match.group(2)])


def _lacks_points(text: str) -> bool:
    """Whether none of a row's rates has a point, which all have as Fortran prints them: where commas stand for those,
    they part the cells in two."""
    _, *rates = text.rstrip(",").split(",")
    return len(rates) > 1 and not any("." in rate for rate in rates)


def _number(text: str) -> float | None:
    try:
        value = float(text.upper().replace("D", "E")) if len(text) <= 40 else math.nan
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None


def _describe(parts: tuple[Part, ...]) -> str | None:
    runs = [p for p in parts if isinstance(p, BenchmarkRun) and p.tool == "benchio"]
    if not runs:
        return None
    layers = dict.fromkeys(result.layer for run in runs for result in run.results if result.layer is not None)
    return f"benchio: {len(runs):,} run{'' if len(runs) == 1 else 's'}" + (f" ({', '.join(layers)})" if layers else "")


reader: Final = BlockReader(
    id="benchio",
    title="benchio output",
    anchors=(b"Simple Parallel IO benchmark", b"iB/s) repeat measurements", b"Writing to "),
    begins=at_line_start(_FIRST),
    start=_start,
    describe=_describe,
    precedence=40,
    most_blocks=MOST_RUNS,
)
