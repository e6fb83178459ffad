"""Open MPI's OMPIO with `--mca io_ompio_verbose_info_parsing`: the hints that it found in the MPI_Info of an open file.

Every process may print each line. What OMPIO says it does with a hint, at the end of the line, is not kept, and of
hints that were not given it says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from iotriage_parsers.evidence import Hint, Lines, MpiioHints, Part, Problem
from iotriage_parsers.text.blocks import BlockReader, BlockResult, LineResult, Machine, line_finder
from iotriage_parsers.text.line_start import at_line_start
from iotriage_parsers.text.lines import Line
from iotriage_parsers.text.wording import plural
from iotriage_parsers.wrapped_lines import OF_TERMINALS

_ROW: Final = re.compile(r"File: (.{1,4096}?) info: ([A-Za-z]\w{0,63}) value (\S{1,255})(?:\s(.{0,200}))?")
_OWN: Final = line_finder(rb"File: ")
MOST_FILES: Final = 1_000
MOST_HINTS: Final = 200


class OmpioMachine:
    """All such lines of a text, by file. A hint that stands there again with another value, as for a file that was
    opened twice, makes the file's hints untrusted."""

    def __init__(self, line: Line) -> None:
        self._files: dict[str, list[Hint]] = {}
        self._last: dict[str, int] = {}
        self._torn: int | None = None
        self.feed(line)

    def next_own(self, data: bytes, start: int, end: int) -> int:
        return _OWN(data, start, end)

    def feed(self, line: Line) -> LineResult:
        row = _ROW.fullmatch(line.text.strip())
        if row is None:
            return LineResult.FOREIGN
        # A blank follows each value, which a terminal's width may have cut.
        at_width = len(line.text) in OF_TERMINALS and not line.text.endswith(" ")
        if row.group(4) is None and (at_width or not line.ended):
            self._torn = line.number
            return LineResult.TAKEN
        file, key, value, _ = row.groups()
        hints = self._files.get(file)
        if hints is None:
            if len(self._files) >= MOST_FILES:
                return LineResult.FOREIGN
            hints = self._files.setdefault(file, [])
        if len(hints) < MOST_HINTS and not any((h.key, h.value) == (key, value) for h in hints):
            hints.append(Hint(key, value, line.number))
        self._last[file] = line.number
        return LineResult.TAKEN

    def close(self) -> BlockResult:
        parts: list[MpiioHints] = []
        problems: list[Problem] = []
        for file, hints in self._files.items():
            trusted = len({h.key for h in hints}) == len(hints)
            lines = Lines(hints[0].line, self._last[file])
            parts.append(MpiioHints("ompio", file, tuple(hints), lines, trusted, trusted, stage="requested"))
            if not trusted:
                message = f"OMPIO names hints of one file with several values at lines {lines.first}-{lines.last}"
                problems.append(Problem("interleaved", message, loses_data=True, line=lines.first))
        if self._torn is not None:
            message = f"line {self._torn} is torn: a hint that OMPIO prints is cut"
            problems.append(Problem("torn", message, loses_data=True, line=self._torn))
        return BlockResult(tuple(parts), tuple(problems))


def _start(line: Line, _before: Iterable[Line]) -> Machine:
    return OmpioMachine(line)


def _describe(parts: tuple[Part, ...]) -> str | None:
    lists = [p for p in parts if isinstance(p, MpiioHints) and p.printed_by == "ompio"]
    return f"OMPIO's hints of {plural(len(lists), 'file')}" if lists else None


reader: Final = BlockReader(
    id="ompio_hints",
    title="hints that Open MPI's OMPIO prints",
    anchors=(b" info: ",),
    begins=at_line_start(_ROW),
    start=_start,
    describe=_describe,
    precedence=29,
)
