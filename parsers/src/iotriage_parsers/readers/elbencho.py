"""elbencho's table of phases: operations and bytes per second of each, over the time until the last thread was done.

The column FIRST DONE, what was moved when the first thread had finished, is not kept; latencies and the use of
processors are not either. Processes and nodes are not printed; the command, where it stands above, names them.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from typing import Final

from iotriage_parsers.evidence import BenchmarkRates, Lines, PhaseRate, Problem
from iotriage_parsers.evidence.benchmark_rates import RateUnit
from iotriage_parsers.text.blocks import MOST_RUNS, BlockReader, BlockResult, LineResult
from iotriage_parsers.text.changed_figures import ChangedFigures
from iotriage_parsers.text.line_start import at_line_start
from iotriage_parsers.text.lines import Line
from iotriage_parsers.text.wording import phases_phrase, rates_of
from iotriage_parsers.text.wrapped_rows import WrappedRows

_HEAD: Final = re.compile(r"OPERATION\s+RESULT TYPE\s+FIRST DONE\s+LAST DONE")
_COMMAND: Final = re.compile(r"\belbencho\s+-\S.{0,4000}")
_QUOTED_COMMAND: Final = re.compile(r'COMMAND LINE: "(?:[^"]{0,400}/)?(elbencho".{0,4000})')
"""As `--resfile` has it: each word in quotes."""
_QUOTED: Final = re.compile(r'"([^"]*)"')
_RULE: Final = re.compile(r"[=\s]{20,}|-{3,}")
_PHASE: Final = r"([A-Z][A-Z0-9_-]{0,30}(?:\+[a-z]){0,4})"
"""Behind a plus what is done within the phase: `WRITE+s+r` looks at each file and reads it."""
_DIRECTIONS: Final = r"(?: (?:write|read|total))?"
"""Of a phase that writes and reads at once, as with `--rwmixpct`."""
_ROW: Final = re.compile(
    rf"(?:{_PHASE}\s+)?([A-Z][A-Za-z/%() \[\].]{{1,40}}?|time ms|entries(?:/s)?)\s*:\s*(?:(\S{{1,40}})\s+)?(\S{{1,40}})"
)
_TWO_FIGURES: Final = re.compile(
    rf"(?:{_PHASE}\s+)?"
    r"(?:(?:Elapsed (?:time|ms)|time ms)"
    rf"|(?:IOPS|(?:Throughput )?Mi?B/s|(?:Files|Dirs|Entries|entries|Objects|Buckets)/s){_DIRECTIONS})"
    r"\s*:\s*(\S{1,40}\s+\S{1,40})?.*"
)
"""Rows that stand for both columns. One alone is what a mail left of the line: nobody could say of which column."""
_PIECE: Final = re.compile(r"[\d.,hms:]{1,40}(?:\s+[\d.,hms:]{1,40})?")
_REST: Final = re.compile(r"[\d.]{1,20}(?:m?s)?")
_RATE: Final = re.compile(
    r"(IOPS|(?:Throughput )?(MiB|MB)/s|(Files|Dirs|Entries|entries|Objects|Buckets)/s)(?: (write|read))?"
)
"""What both directions come to is their sum."""
_ELAPSED: Final = ("Elapsed time", "Elapsed ms", "time ms")
_OWN: Final = re.compile(
    r"Elapsed |time ms|IOPS|Throughput |Mi?B|Total |Files|Dirs|[Ee]ntries|Objects|Buckets|I/?Os?\b|Ent|CPU util"
)
_FIGURE: Final = re.compile(r"\d{1,20}(?:\.\d{1,9})?")
_TIME: Final = re.compile(r"(?:(\d{1,9})h:?)?(?:(\d{1,9})m:?)?(?:(\d{1,9}(?:\.\d{1,9})?)s)?")
_BYTES: Final = {"MiB": 2**20, "MB": 10**6}
MOST_RATES: Final = 1_000
FOREIGN_LINES: Final = 20


class ElbenchoMachine:
    """There is no end: another table, or a run of lines of other shapes, is it."""

    def __init__(self, line: Line, before: Iterable[Line]) -> None:
        self._first = self._last = line.number
        self._command: str | None = None
        self._phase = ""
        self._rates: list[PhaseRate] = []
        self._seconds: list[tuple[str, float]] = []
        self._torn: int | None = None
        self._foreign = 0
        self._latest: tuple[Line, int, int] | None = None
        self._changed = ChangedFigures("elbencho")
        self._rows = WrappedRows("elbencho's table", _TWO_FIGURES, _has_both_figures)
        for earlier in before:
            command = _command_in(earlier.text)
            if command is not None:
                self._command, self._first = command, earlier.number
            if earlier.text.strip():
                break

    def feed(self, line: Line) -> LineResult:
        text = line.text.strip()
        if _HEAD.match(text):
            return LineResult.OVER
        rest = self._rest(line, text)
        if rest is not None:
            return rest
        of_both = _TWO_FIGURES.match(text)
        if of_both is not None or (self._rows.is_open and _PIECE.fullmatch(text)):
            if of_both is not None and of_both.group(1):
                self._phase = of_both.group(1).lower()
            if of_both is not None and _ROW.fullmatch(text) is None and self._changed.looked_at(text, line.number):
                self._rows.give_up()
                self._last = line.number
                return LineResult.TAKEN
            whole = self._rows.row(Line(line.number, text, line.ended))
            if whole is None:
                return self._piece(line)
            text, begun = whole.text, whole.number
        else:
            self._rows.give_up()
            begun = line.number
        row = _ROW.fullmatch(text)
        if row is None or not (self._phase or row.group(1)):
            self._foreign += bool(text) and not _RULE.fullmatch(text)
            return LineResult.OVER if self._foreign > FOREIGN_LINES else LineResult.FOREIGN
        if not _OWN.match(row.group(2)):
            # Other tools part a name and its figure so too.
            return LineResult.HELD
        self._foreign = 0
        self._last = line.number
        if line.ended:
            self._latest = Line(begun, text), len(self._rates), len(self._seconds)
            self._take(row, begun)
        else:
            self._torn = line.number
        return LineResult.TAKEN

    def _rest(self, line: Line, text: str) -> LineResult | None:
        """Takes a row once more whose last figure goes on, alone, on the line behind it; None where none does."""
        latest, self._latest = self._latest, None
        if latest is None or line.number != self._last + 1 or _REST.fullmatch(text) is None:
            return None
        before, rates, seconds = latest
        row = _ROW.fullmatch(f"{before.text}{text}")
        if row is None:
            return None
        del self._rates[rates:], self._seconds[seconds:]
        self._last = line.number
        self._torn = self._torn if line.ended else line.number
        if line.ended:
            self._take(row, before.number)
        return LineResult.TAKEN

    def _piece(self, line: Line) -> LineResult:
        self._foreign, self._last = 0, line.number
        self._torn = self._torn if line.ended else line.number
        return LineResult.TAKEN

    def close(self) -> BlockResult:
        seconds = dict(self._seconds)
        rates = tuple(
            PhaseRate(r.phase, r.unit, r.line, r.mean, seconds=seconds.get(r.phase.split(" ")[0])) for r in self._rates
        )
        lines = Lines(self._first, self._last)
        complete = bool(rates) and self._torn is None
        run = BenchmarkRates("elbencho", lines, complete, rates, command_line=self._command)
        torn = self._rows.problems() if self._torn is None else ()
        changed = (*torn, *self._changed.problems())
        if complete or (changed and not self._rates and self._torn is None):
            return BlockResult((run,), changed)
        message = f"the elbencho table at lines {lines.first}-{lines.last} is cut off: what stands before is read"
        cut = Problem("unterminated", message, loses_data=True, line=self._torn or lines.first)
        return BlockResult((run,), (cut, *changed))

    def _take(self, row: re.Match[str], number: int) -> None:
        operation, kind, _, last = row.groups()
        if operation is not None:
            self._phase = operation.lower()
        if kind in _ELAPSED:
            seconds = _duration(last) if kind == "Elapsed time" else _milliseconds(last)
            if seconds is None:
                self._changed.looked_at(last, number)
            self._seconds += [(self._phase, seconds)] if seconds is not None else []
            return
        rate = _RATE.fullmatch(kind)
        if rate is None or len(self._rates) >= MOST_RATES:
            return
        if not _FIGURE.fullmatch(last):
            self._changed.looked_at(last, number)
            return
        _, prefix, counted_things, direction = rate.groups()
        unit: RateUnit = "B/s" if prefix else "ops/s"
        phase = " ".join(filter(None, (self._phase, (counted_things or "").lower(), direction)))
        self._rates.append(PhaseRate(phase, unit, number, float(last) * _BYTES.get(prefix, 1)))


def _command_in(text: str) -> str | None:
    quoted = _QUOTED_COMMAND.search(text)
    if quoted is not None:
        return shlex.join(_QUOTED.findall(f'"{quoted.group(1)}'))
    plain = _COMMAND.search(text)
    return None if plain is None else plain.group().strip()


def _has_both_figures(text: str) -> bool:
    row = _TWO_FIGURES.fullmatch(text)
    return row is not None and row.group(2) is not None


def _milliseconds(text: str) -> float | None:
    return float(text) / 1000 if _FIGURE.fullmatch(text) else None


def _duration(text: str) -> float | None:
    """Seconds of "2m5.755s", "1h:2m:3s" or "312ms"; None for another shape."""
    if text.endswith("ms"):
        return _milliseconds(text[:-2])
    time = _TIME.fullmatch(text)
    if time is None or not any(time.groups()):
        return None
    hours, minutes, seconds = (float(part or 0) for part in time.groups())
    return hours * 3600 + minutes * 60 + seconds


reader: Final = BlockReader(
    id="elbencho",
    title="elbencho output",
    anchors=(b"OPERATION ",),
    begins=at_line_start(_HEAD),
    start=ElbenchoMachine,
    describe=lambda parts: phases_phrase("elbencho", rates_of(parts, "elbencho"), "table"),
    precedence=36,
    most_blocks=MOST_RUNS,
)
