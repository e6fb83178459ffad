"""DLIO, which MLPerf Storage runs: the lines `[METRIC]` of its end, of training, evaluation and checkpoints.

Rates are means over the epochs, with their standard deviation in brackets. Its MB are 2^20 bytes and its GB 2^30,
which later versions call MiB and GiB. The time that the simulated accelerators compute is left out of them: they are
not bytes over the run's time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from iotriage_parsers.evidence import BenchmarkRates, BenchmarkSetting, Lines, PhaseRate, Problem
from iotriage_parsers.evidence.benchmark_rates import RateUnit
from iotriage_parsers.text.blocks import MOST_RUNS, BlockReader, BlockResult, LineResult, Machine
from iotriage_parsers.text.changed_figures import ChangedFigures
from iotriage_parsers.text.cut_columns import cut_problem
from iotriage_parsers.text.line_start import at_line_start
from iotriage_parsers.text.lines import Line
from iotriage_parsers.text.wording import phases_phrase, plural, rates_of
from iotriage_parsers.text.wrapped_rows import WrappedRows

_METRIC: Final = re.compile(r"\[METRIC\]\s+(?:={5,}|(\S[^:=]{0,80}):\s*(\S.{0,200}))")
_NAMED: Final = re.compile(r"\[METRIC\]\s+\S[^:=]{0,80}(?::|$)")
"""The name may go on behind a break too."""
_GOES_ON: Final = re.compile(r"(?!\[)\S.{0,200}")
_REST: Final = re.compile(r"[\d.]{1,20}(?:\s+\(±?\s?\d{1,15}(?:\.\d{1,9})?\))?")
_NO_NUMBER: Final = re.compile(r"-?(?:nan|inf)\b")
"""What NumPy's mean is of nothing, or of bytes over no time."""
_RATE: Final = re.compile(r"(\d{1,15}(?:\.\d{1,9})?)(?:\s+\(±?\s?(\d{1,15}(?:\.\d{1,9})?)\))?")
_CUT: Final = re.compile(r"(\d{1,15}(?:\.\d{1,9})?)\s+\([±\d. ]{0,30}|\d{1,15}(?:\.\d{0,3})?")
"""A figure whose deviation is cut is whole; one without any has four decimals, or is cut itself."""
_WHAT: Final = re.compile(
    r"(Training|Eval|Checkpoint save|Checkpoint load) "
    r"(?:(Accelerator Utilization \[AU\] \(%\))"
    r"|(?:I/O )?Throughput \((samples|[MG]i?B)/second\)|(duration \(seconds\)))"
)
_BROKEN: Final = re.compile(r"[\d.]$")
"""A figure that may go on: with its deviation behind it it does not."""
_RULE: Final = re.compile(r"=+")
_ACCELERATORS: Final = "Number of Simulated Accelerators"
_UNITS: Final[dict[str, tuple[RateUnit, float]]] = {
    "samples": ("samples/s", 1.0),
    "MB": ("B/s", 2.0**20),
    "MiB": ("B/s", 2.0**20),
    "GB": ("B/s", 2.0**30),
    "GiB": ("B/s", 2.0**30),
}
MOST_LINES: Final = 1_000
FOREIGN_LINES: Final = 20


class DlioMachine:
    """The lines of one summary; the same metric once more begins another."""

    def __init__(self, line: Line) -> None:
        self._first = self._last = line.number
        self._accelerators: int | None = None
        self._rates: list[PhaseRate] = []
        self._durations: list[tuple[str, float]] = []
        self._settings: list[BenchmarkSetting] = []
        self._torn: int | None = None
        self._foreign = 0
        self._seen: set[str] = set()
        self._latest: tuple[str, str, int, tuple[int, int, int]] | None = None
        self._changed = ChangedFigures("DLIO")
        self._cut: dict[int, int] = {}
        self._no_numbers: list[tuple[str, int]] = []
        self._rows = WrappedRows("DLIO's metrics", _NAMED, lambda text: _METRIC.fullmatch(text) is not None)
        self.feed(line)

    def feed(self, line: Line) -> LineResult:
        text, number = line.text.strip(), line.number
        if self._latest is not None and number == self._last + 1 and _REST.fullmatch(text):
            return self._again(line, text)
        self._latest = None
        if _NAMED.match(text) or (self._rows.is_open and _GOES_ON.fullmatch(text)):
            whole = self._rows.row(Line(number, text, line.ended))
            if whole is None:
                self._foreign, self._last = 0, number
                self._torn = self._torn if line.ended else number
                return LineResult.TAKEN
            text, number = whole.text, whole.number
        else:
            self._rows.give_up()
        metric = _METRIC.fullmatch(text)
        if metric is None:
            self._foreign += bool(text)
            return LineResult.OVER if self._foreign > FOREIGN_LINES else LineResult.FOREIGN
        name, value = metric.groups()
        if name is not None and (name in self._seen or len(self._seen) >= MOST_LINES):
            return LineResult.OVER
        self._foreign = 0
        self._last = line.number
        if not line.ended:
            self._torn = line.number
        elif name is not None:
            self._seen.add(name)
            if _BROKEN.search(value):
                self._latest = name, value, number, (len(self._rates), len(self._durations), len(self._settings))
            self._take(name, self._uncut(name, value, line, number), number)
        return LineResult.TAKEN

    def _uncut(self, name: str, value: str, line: Line, number: int) -> str:
        """What is whole of a figure that ends within its bracket; of one that ends before it, nothing is kept."""
        cut = _CUT.fullmatch(value) if _what(name) is not None else None
        if cut is not None:
            self._cut[number] = len(line.text)
        return value if cut is None else cut[1] or ""

    def _again(self, line: Line, text: str) -> LineResult:
        """Takes the metric before this line once more, whose figure goes on here."""
        assert self._latest is not None
        (name, value, number, (rates, durations, settings)), self._latest = self._latest, None
        del self._rates[rates:], self._durations[durations:], self._settings[settings:]
        self._cut.pop(number, None)
        self._foreign, self._last = 0, line.number
        if line.ended:
            self._take(name, self._uncut(name, f"{value}{text}", line, number), number)
        else:
            self._torn = line.number
        return LineResult.TAKEN

    def close(self) -> BlockResult:
        if not self._seen and self._torn is None:
            return BlockResult()
        seconds = dict(self._durations)
        rates = tuple(
            PhaseRate(r.phase, r.unit, r.line, r.mean, stddev=r.stddev, seconds=seconds.get(r.phase))
            for r in self._rates
        )
        run = BenchmarkRates(
            "DLIO",
            Lines(self._first, self._last),
            self._torn is None and not self._cut,
            rates,
            nprocs=self._accelerators,
            settings=tuple(self._settings),
        )
        cut = self._rows.problems() if self._torn is None else ()
        if self._cut:
            number, column = next(iter(self._cut.items()))
            left_out = "what ends there without its bracket is left out"
            cut = (*cut, cut_problem("DLIO's metrics", column, number, left_out))
        changed = (*cut, *self._changed.problems(), *self._not_numbers())
        if self._torn is None:
            return BlockResult((run,), changed)
        message = f"line {self._torn} is torn: a metric of DLIO is cut"
        return BlockResult((run,), (Problem("torn", message, loses_data=True, line=self._torn), *changed))

    def _not_numbers(self) -> Iterator[Problem]:
        if self._no_numbers:
            (name, number), *others = self._no_numbers
            more = f" (and of {plural(len(others), 'more metric')})" if others else ""
            message = (
                f"line {number}: DLIO printed no number for {name}{more}, as where no epoch or step was counted: it is "
                "missing, and not 0"
            )
            yield Problem("not-a-number", message, line=number)

    def _take(self, name: str, value: str, number: int) -> None:
        what, rate = _what(name), _RATE.fullmatch(value)
        if name == _ACCELERATORS and value.isascii() and value.isdigit() and len(value) < 10:
            self._accelerators = int(value)
        elif what is not None and (not value or (rate is None and self._changed.looked_at(value, number))):
            return
        elif what is None or rate is None:
            if what is not None and _NO_NUMBER.match(value):
                self._no_numbers.append((name, number))
            self._settings.append(BenchmarkSetting(name, value, number))
        else:
            phase, utilisation, per_second, _ = what.groups()
            mean, deviation = float(rate.group(1)), float(rate.group(2)) if rate.group(2) else None
            if utilisation:
                self._rate(phase, "share", number, mean, deviation, 1 / 100)
            elif per_second:
                unit, scale = _UNITS[per_second]
                self._rate(phase, unit, number, mean, deviation, scale)
            else:
                self._durations.append((phase.lower(), mean))

    def _rate(
        self, phase: str, unit: RateUnit, number: int, mean: float, deviation: float | None, scale: float
    ) -> None:
        spread = deviation * scale if deviation is not None else None
        self._rates.append(PhaseRate(phase.lower(), unit, number, mean * scale, stddev=spread))


def _what(name: str) -> re.Match[str] | None:
    """Which figure it is; a mail breaks the name behind its slash too."""
    return _WHAT.fullmatch(name.replace("/ ", "/"))


def _start(line: Line, _before: Iterable[Line]) -> Machine:
    return DlioMachine(line)


reader: Final = BlockReader(
    id="dlio",
    title="DLIO or MLPerf Storage metrics",
    anchors=(b"[METRIC] ",),
    begins=at_line_start(_METRIC),
    start=_start,
    describe=lambda parts: phases_phrase("DLIO", rates_of(parts, "DLIO"), "run"),
    precedence=35,
    most_blocks=MOST_RUNS,
)
