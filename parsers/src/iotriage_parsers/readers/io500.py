"""IO500: `result_summary.txt`, what the program prints, and `result.txt`, the same as an INI file.

Phases of IOR are in GiB/s (2^30), all others in thousands of operations per second; the score is the square root of the
product of both. What each phase was run with stands in `result.txt` alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final

from iotriage_parsers.evidence import BenchmarkRates, BenchmarkSetting, Lines, Part, PhaseRate, Problem
from iotriage_parsers.evidence.benchmark_rates import RateUnit
from iotriage_parsers.text.blocks import MOST_RUNS, BlockReader, BlockResult, LineResult, Machine
from iotriage_parsers.text.changed_figures import ChangedFigures
from iotriage_parsers.text.cut_columns import cut_problem
from iotriage_parsers.text.line_start import at_line_start
from iotriage_parsers.text.lines import Line
from iotriage_parsers.text.numbers import decimals
from iotriage_parsers.text.wording import plural, rates_of
from iotriage_parsers.text.wrapped_rows import WrappedRows

GIB: Final = 2**30

_FIRST: Final = re.compile(r"IO500 version (\S{1,80})|version\s{0,20}= (io500-\S{1,80})")
_FIGURE: Final = r"(\d{1,12}(?:\.\d{1,12})?)"
_INVALID: Final = "-invalid"
"""Some versions say so in the brackets, others behind the row."""
_ROW: Final = rf"\[RESULT(?:{_INVALID})?\]\s+[a-z][\w-]{{1,60}}\s+{_FIGURE} (?:GiB/s|kIOPS)"
"""A summary begins with its rows in some versions, and where it was copied into a ticket."""
_UNSCORED: Final = re.compile(r"\[\s{1,8}\]")
"""Before a phase of the extended mode that no score counts, and before what is none: `timestamp` has 0."""
_RESULT: Final = re.compile(
    rf"\[(?:RESULT(?:{_INVALID})?|\s{{1,8}})\]\s+([a-z][\w-]{{1,60}})\s+{_FIGURE} (GiB/s|kIOPS)\s*: "
    rf"time {_FIGURE} seconds(\s*\[INVALID\])?\s*"
)
_LAST: Final = r"(\d{1,12}\.\d{6})"
"""With fewer decimals the line is cut within it."""
_SCORES: Final = re.compile(
    rf"\[SCORE(?:{_INVALID}|\s)?\]\s+Bandwidth {_FIGURE} G\w?B/s : IOPS {_FIGURE} kiops : "
    rf"TOTAL {_LAST}(\s*\[INVALID\])?\s*"
)
_BEGINS: Final = re.compile(rf"\[(?:(?:RESULT|SCORE)(?:{_INVALID}|\s)?|\s{{1,8}})\]")
_SECTION: Final = re.compile(r"\[([A-Za-z][\w-]{0,60})\]")
_SETTING: Final = re.compile(r"([A-Za-z][\w-]{0,60})\s*=\s*(.{0,8000})")
_NUMBER: Final = re.compile(rf"{_FIGURE}(?!\S)")
_DECIMALS: Final = {"score": 6, "t_delta": 4, "BW": 6, "MD": 6, "SCORE": 6}
"""As `result.txt` prints them: with fewer the line is cut within the figure."""
_STARTED: Final = re.compile(r"; START (\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2})")
_COMMENT: Final = re.compile(r";|ERROR |WARNING")
_SCALE: Final[dict[str, tuple[RateUnit, float]]] = {"GiB/s": ("B/s", GIB), "kIOPS": ("ops/s", 1000)}
_SCORE_KEYS: Final[dict[str, tuple[str, RateUnit, float]]] = {
    "MD": ("metadata score", "ops/s", 1000),
    "BW": ("bandwidth score", "B/s", GIB),
    "SCORE": ("score", "score", 1),
}
MOST_PHASES: Final = 1_000
MOST_SETTINGS: Final = 5_000


@dataclass(slots=True)
class _Section:
    name: str
    line: int
    values: dict[str, BenchmarkSetting] = field(default_factory=dict)

    def number(self, key: str) -> float | None:
        found = self.values.get(key)
        match = _NUMBER.match(found.text) if found is not None else None
        return float(match.group(1)) if match is not None and decimals(match.group(1)) >= _DECIMALS[key] else None

    @property
    def valid(self) -> bool:
        return not any("INVALID" in s.text or s.key.upper() == "INVALID" for s in self.values.values())


class Io500Machine:
    """Begins with its version, or with a row where rows alone were pasted. Over behind its scores; `result.txt` with
    its END, or a line that is none of an INI file."""

    def __init__(self, line: Line) -> None:
        first = _FIRST.search(line.text)
        self._first = self._last = line.number
        self._ini = first is not None and first.group(2) is not None
        self._version = None if first is None else first.group(1) or first.group(2)
        self._rates: list[PhaseRate] = []
        self._sections = [_Section("", line.number)]
        self._kept = 0
        self._began: str | None = None
        self._scored = False
        self._of_rows = first is None
        self._changed = ChangedFigures("the IO500")
        self._cut: dict[int, int] = {}
        self._rows = WrappedRows("the IO500's result", _BEGINS, _is_whole)
        if first is None:
            self.feed(line)

    def feed(self, line: Line) -> LineResult:
        text = line.text.strip()
        if not text:
            return LineResult.FOREIGN
        if _FIRST.match(text):
            return LineResult.OVER
        answer = self._ini_line(line, text) if self._ini else self._summary_line(line, text)
        if answer in (LineResult.TAKEN, LineResult.LAST):
            self._last = line.number
        return answer

    def close(self) -> BlockResult:
        rates = tuple(self._rates) or tuple(self._of_sections())
        heads = (section.values for section in self._sections if section.name in ("", "run"))
        head = {key: setting for values in heads for key, setting in values.items()}
        procs = head["procs"].text if "procs" in head else ""
        run = BenchmarkRates(
            "IO500",
            Lines(self._first, self._last),
            (self._scored or self._of_rows) and not self._cut,
            rates,
            version=self._version,
            nprocs=int(procs) if procs.isdecimal() and len(procs) < 10 else None,
            file=head["datadir"].text if "datadir" in head else None,
            began_local=self._began,
            settings=tuple(s for section in self._sections for s in section.values.values()),
        )
        changed = (*self._rows.problems(), *self._changed.problems())
        if self._cut:
            left_out = "figures that lack decimals there are left out"
            number, column = next(iter(self._cut.items()))
            changed = (*changed, cut_problem("the IO500's result", column, number, left_out))
        if self._scored:
            return BlockResult((run,), changed)
        where = f"lines {self._first}-{self._last}"
        if self._of_rows:
            message = f"rows of an IO500 without its head and its score, at {where}: which run is not known"
            return BlockResult((run,), (Problem("note", message, line=self._first), *changed))
        message = f"the IO500 result at {where} has no score: what stands before is read"
        cut = Problem("unterminated", message, loses_data=True, line=self._first)
        return BlockResult((run,), (cut, *changed))

    def _summary_line(self, line: Line, text: str) -> LineResult:
        if text == "[INVALID]" and self._rates:
            # A mail program broke the row before its last word.
            of_row = len(_SCORE_KEYS) if self._scored else 1
            self._rates[-of_row:] = [replace(rate, valid=False) for rate in self._rates[-of_row:]]
            return LineResult.LAST if self._scored else LineResult.TAKEN
        if self._scored:
            return LineResult.OVER
        if text.startswith(("[RESULT", "[SCORE")) and self._changed.looked_at(text, line.number):
            return LineResult.TAKEN
        whole = self._rows.row(Line(line.number, text, line.ended))
        if whole is None:
            return LineResult.TAKEN if self._rows.is_open else LineResult.FOREIGN
        line, text = whole, whole.text
        result = _RESULT.fullmatch(text)
        if result is not None and line.ended and len(self._rates) < MOST_PHASES:
            name, figure, printed, seconds, invalid = result.groups()
            if any(rate.phase == name for rate in self._rates):
                return LineResult.OVER
            if _UNSCORED.match(text) and not float(figure):
                return LineResult.TAKEN
            unit, scale = _SCALE[printed]
            valid = invalid is None and _INVALID not in text
            self._rates.append(
                PhaseRate(name, unit, line.number, float(figure) * scale, seconds=float(seconds), valid=valid)
            )
            return LineResult.TAKEN
        scores = _SCORES.fullmatch(text)
        if scores is None:
            return LineResult.FOREIGN
        valid = scores.group(4) is None and _INVALID not in text
        figures = zip(("BW", "MD", "SCORE"), scores.groups(), strict=False)
        self._rates.extend(_score(key, float(figure or 0), line.number, valid) for key, figure in figures)
        self._scored = True
        return LineResult.TAKEN

    def _ini_line(self, line: Line, text: str) -> LineResult:
        if text.startswith("; END"):
            return LineResult.LAST
        section = _SECTION.fullmatch(text)
        if section is not None:
            if len(self._sections) < MOST_PHASES:
                self._sections.append(_Section(section.group(1), line.number))
            return LineResult.TAKEN
        setting = _SETTING.fullmatch(text)
        started = _STARTED.fullmatch(text)
        if started is not None and self._began is None:
            self._began = started.group(1)
            return LineResult.TAKEN
        if setting is None:
            return LineResult.FOREIGN if _COMMENT.match(text) else LineResult.OVER
        key, value = setting.groups()
        if line.ended and self._kept < MOST_SETTINGS:
            self._kept += 1
            self._sections[-1].values.setdefault(key, BenchmarkSetting(key, value.strip(), line.number))
            if key in _DECIMALS and (figure := _NUMBER.match(value.strip())) is None:
                self._changed.looked_at(value, line.number)
            elif key in _DECIMALS and figure is not None and decimals(figure.group(1)) < _DECIMALS[key]:
                self._cut[line.number] = len(line.text)
            self._scored = self._scored or (self._sections[-1].name == "SCORE" and key == "SCORE")
        return LineResult.TAKEN

    def _of_sections(self) -> Iterable[PhaseRate]:
        for section in self._sections:
            if section.name == "SCORE":
                for key in ("BW", "MD", "SCORE"):
                    figure = section.number(key)
                    if figure is not None:
                        yield _score(key, figure, section.values[key].line, section.valid)
            elif (figure := section.number("score")) is not None:
                unit, scale = _SCALE["GiB/s" if section.name.startswith("ior") else "kIOPS"]
                yield PhaseRate(
                    section.name.lower(),
                    unit,
                    section.values["score"].line,
                    figure * scale,
                    seconds=section.number("t_delta"),
                    valid=section.valid,
                    command_line=section.values["exe"].text if "exe" in section.values else None,
                )


def _is_whole(text: str) -> bool:
    return _RESULT.fullmatch(text) is not None or _SCORES.fullmatch(text) is not None


def _score(key: str, figure: float, line: int, valid: bool) -> PhaseRate:
    name, unit, scale = _SCORE_KEYS[key]
    return PhaseRate(name, unit, line, figure * scale, valid=valid)


def _start(line: Line, _before: Iterable[Line]) -> Machine:
    return Io500Machine(line)


def _describe(parts: tuple[Part, ...]) -> str | None:
    runs = rates_of(parts, "IO500")
    if not runs:
        return None
    return f"IO500: {plural(len(runs), 'result')} ({plural(sum(len(r.rates) for r in runs), 'figure')})"


reader: Final = BlockReader(
    id="io500",
    title="IO500 result",
    anchors=(b"IO500 version ", b"= io500-", b"[RESULT]", b"[RESULT-invalid]"),
    begins=at_line_start(re.compile(f"{_FIRST.pattern}|{_ROW}")),
    start=_start,
    describe=_describe,
    precedence=38,
    most_blocks=MOST_RUNS,
)
