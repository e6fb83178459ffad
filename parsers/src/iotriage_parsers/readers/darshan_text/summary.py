"""The blocks of `--total`, `--perf` and `--file`: figures of all records of a module together."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, cast, get_args

from iotriage_parsers.evidence import CounterTotal, DarshanPerf, DarshanTotals, FileCount, Lines, ModuleSummary, Problem
from iotriage_parsers.evidence.darshan_summary import FileKind
from iotriage_parsers.text.cut_columns import cut_problem

MIB: Final = 2**20

_TOTAL: Final = re.compile(r"total_([A-Z]\w{0,63}): *(\S{1,64})\s*")
_BROKEN: Final = re.compile(r"total_[A-Z]\w{0,63}: *")
_WHOLE: Final = re.compile(r"\.[0-9]{6}\s*$")
"""Seconds have six decimals: behind them nothing is left of a figure."""
_REST: Final = re.compile(r"[0-9.][0-9.]{0,39}\s*")
_LAST: Final = "_F_VARIANCE_RANK_BYTES"
_PREFIXES: Final = {"POSIX": "POSIX", "MPIIO": "MPI-IO", "STDIO": "STDIO"}
_NUMBER: Final = re.compile(r"-?[0-9]{1,19}")
_FLOAT: Final = re.compile(r"-?[0-9]{1,25}\.[0-9]{6}")
_LACKS_DECIMALS: Final = re.compile(r"-?[0-9]{1,25}\.[0-9]{0,5}")
"""Of seconds: the line is cut within them."""
_FILES: Final = re.compile(
    rf"# ({'|'.join(get_args(FileKind))}): (-?[0-9]{{1,19}}) (-?[0-9]{{1,19}}) (-?[0-9]{{1,19}})\s*"
)
_PERF: Final = re.compile(
    r"# (?:(unique|shared) files: )?([a-z]\w{0,40}(?: rank)?): *(-?[0-9.,]{1,45}|-?nan|-?inf)"
    r"(?: *# *(?:seconds|MiB/s))?\s*"
)
_SECONDS: Final = {
    ("unique", "slowest_rank_io_time"): "unique_slowest_s",
    ("unique", "slowest_rank_time"): "unique_slowest_s",
    (None, "slowest_rank_time"): "unique_slowest_s",
    (None, "slowest_rank_meta_time"): "unique_slowest_meta_s",
    ("unique", "slowest_rank_meta_only_time"): "unique_slowest_meta_s",
    ("unique", "slowest_rank_meta_time"): "unique_slowest_meta_s",
    ("unique", "slowest_rank_rw_only_time"): "unique_slowest_rw_s",
    ("shared", "time_by_slowest"): "shared_by_slowest_s",
    (None, "shared_time_by_slowest"): "shared_by_slowest_s",
    (None, "agg_time_by_slowest"): "agg_time_by_slowest_s",
}
"""Versions before 2.3 name what is shared within the word, and have no words before it."""
_SPEEDS: Final = ("agg_perf_by_slowest", "agg_perf_by_cumul", "agg_perf_by_open", "agg_perf_by_open_lastio")
_LESS_EXACT: Final = ("time_by_cumul_io_only", "time_by_cumul_meta_only", "time_by_open", "time_by_open_lastio")
_LABELS: Final = frozenset({*_SPEEDS, *_LESS_EXACT, "total_bytes", "slowest_rank"})


@dataclass(slots=True)
class _Block:
    first: int
    last: int
    totals: list[CounterTotal] = field(default_factory=list)
    perf: DarshanPerf | None = None
    files: dict[FileKind, FileCount] = field(default_factory=dict)


class Summaries:
    """Collects the figures by module; a text of Darshan 2.x has them once, under None."""

    def __init__(self) -> None:
        self._blocks: dict[str | None, _Block] = {}
        self._bad: list[tuple[int, str]] = []
        self._widths: dict[int, int] = {}
        self._cut: list[int] = []
        self.unread: set[str] = set()
        """Names of totals whose figures are no numbers."""
        self._latest: tuple[str | None, int, str] | None = None

    def __bool__(self) -> bool:
        return bool(self._blocks) or self._latest is not None

    def feed(self, module: str | None, number: int, text: str) -> bool:
        """Whether the line is one of these blocks'."""
        self._settle()
        if _TOTAL.fullmatch(text) or _BROKEN.fullmatch(text):
            self._latest = module, number, text
            self._widths[number] = len(text)
            return True
        if found := _FILES.fullmatch(text):
            kind = cast(FileKind, found[1])
            files, moved, offset = (int(found[i]) for i in (2, 3, 4))
            counted = FileCount(kind, files, _known(moved), _known(offset), number)
            self._block(module, number).files.setdefault(kind, counted)
            return True
        if found := _PERF.fullmatch(text):
            return self._perf(module, number, found)
        return False

    def goes_on(self, number: int, text: str) -> bool:
        """Whether the line is the rest of the total before it, which something broke within its figure or behind the
        colon: nothing else stands in these blocks that is a figure alone."""
        if self._latest is None or _REST.fullmatch(text) is None:
            return False
        module, began, row = self._latest
        if number != began + 1 or _WHOLE.search(row):
            return False
        self._latest = module, began, f"{row}{text.strip()}"
        self._settle()
        return True

    def _settle(self) -> None:
        """Keeps the latest total, which no other line can change any more."""
        latest, self._latest = self._latest, None
        found = None if latest is None else _TOTAL.fullmatch(latest[2])
        if latest is None:
            return
        module, number, text = latest
        if found is None:
            self._bad.append((number, text))
            return
        name, said = found.groups()
        value = _value(said)
        if value is None:
            self.unread.add(name)
            if _LACKS_DECIMALS.fullmatch(said):
                self._cut.append(number)
            else:
                self._bad.append((number, said))
        else:
            kept = None if value == -1 else value
            self._block(_module_of(name) or module, number).totals.append(CounterTotal(name, kept, number))

    def result(self) -> tuple[ModuleSummary, ...]:
        """The blocks, in the order of the text."""
        self._settle()
        column = self._cut_column
        return tuple(
            ModuleSummary(
                module=module,
                lines=Lines(block.first, block.last),
                totals=_totals(total for total in block.totals if self._widths[total.line] != column),
                perf=block.perf,
                files=tuple(block.files.values()),
            )
            for module, block in self._blocks.items()
        )

    def problems(self) -> tuple[Problem, ...]:
        """Figures that are no numbers, and those that are cut."""
        self._settle()
        found: list[Problem] = []
        if self._cut:
            line, column = self._cut[0], self._cut_column
            left_out = "figures that may go on behind it are left out"
            found.append(
                _torn_total(line) if column is None else cut_problem("darshan-parser's totals", column, line, left_out)
            )
        if self._bad:
            line, said = self._bad[0]
            first = f"{said!r} on line {line}"
            message = (
                f"a figure is not a number ({first}): it is left out"
                if len(self._bad) == 1
                else f"{len(self._bad):,} figures are not numbers (first: {first}): they are left out"
            )
            found.append(Problem("unrecognised-number", message, loses_data=True, line=line))
        return tuple(found)

    @property
    def _cut_column(self) -> int | None:
        """Where all lines end that are cut within their seconds; None where one is longer."""
        widest = max(self._widths.values(), default=0)
        return widest if self._cut and all(self._widths[number] == widest for number in self._cut) else None

    def _perf(self, module: str | None, number: int, found: re.Match[str]) -> bool:
        of, label, said = found[1], found[2].replace("slowest rank", "slowest_rank"), found[3]
        value = _value(said)
        if label not in _LABELS and (of, label) not in _SECONDS:
            return False
        if value is None or (value < 0 and label != "slowest_rank"):
            # Darshan divides by 0 seconds where no bytes were moved: "nan" there is no damage.
            if "nan" not in said and "inf" not in said:
                self._bad.append((number, said))
            return True
        block = self._block(module, number)
        perf = block.perf or DarshanPerf()
        if label == "total_bytes":
            perf = replace(perf, total_bytes=int(value))
        elif label == "slowest_rank":
            perf = replace(perf, unique_slowest_rank=int(value))
        elif label in _SPEEDS:
            perf = _with(perf, label, float(value) * MIB)
        elif (of, label) in _SECONDS:
            perf = _with(perf, _SECONDS[of, label], float(value))
        block.perf = perf
        return True

    def _block(self, module: str | None, number: int) -> _Block:
        block = self._blocks.setdefault(module, _Block(number, number))
        block.last = number
        return block


def cut_totals(modules: Iterable[ModuleSummary], unread: Collection[str]) -> Iterator[Problem]:
    """Totals that end before the last one, which darshan-parser prints for every log of Darshan 3; `unread` are there
    too."""
    for one in modules:
        names = [total.name for total in one.totals.counters] if one.totals is not None else []
        printed = (*names, *(name for name in unread if _module_of(name) == one.module))
        if names and one.module in _PREFIXES.values() and not any(name.endswith(_LAST) for name in printed):
            message = f"{one.module}: its totals end with {names[-1]}: what comes after it was cut off or left out."
            yield Problem("truncated", message, loses_data=True, where=one.module)


def cut_performance(modules: Sequence[ModuleSummary]) -> Iterator[Problem]:
    """Modules without the performance that is printed of others: the text ends before it, or within it."""
    of_layers = [one for one in modules if one.module in _PREFIXES.values()]
    timed = [one for one in of_layers if one.perf is not None]
    last = any(one.perf is not None and one.perf.agg_time_by_slowest_s is not None for one in timed)
    for one in of_layers if timed else ():
        if one.perf is None or (last and one.perf.agg_time_by_slowest_s is None):
            message = f"{one.module}: its performance is not in the text, or ends early: it was cut off or left out."
            yield Problem("truncated", message, loses_data=True, where=one.module)


def _totals(counters: Iterable[CounterTotal]) -> DarshanTotals | None:
    kept = tuple(counters)
    return DarshanTotals(kept) if kept else None


def _torn_total(line: int) -> Problem:
    message = f"line {line} is torn: seconds of darshan-parser have six decimals. Such figures are left out"
    return Problem("torn", message, loses_data=True, line=line)


def _with(perf: DarshanPerf, name: str, value: float) -> DarshanPerf:
    match name:
        case "unique_slowest_s":
            return replace(perf, unique_slowest_s=value)
        case "unique_slowest_meta_s":
            return replace(perf, unique_slowest_meta_s=value)
        case "unique_slowest_rw_s":
            return replace(perf, unique_slowest_rw_s=value)
        case "shared_by_slowest_s":
            return replace(perf, shared_by_slowest_s=value)
        case "agg_time_by_slowest_s":
            return replace(perf, agg_time_by_slowest_s=value)
        case "agg_perf_by_slowest":
            return replace(perf, agg_perf_by_slowest=value)
        case "agg_perf_by_cumul":
            return replace(perf, agg_perf_by_cumul=value)
        case "agg_perf_by_open":
            return replace(perf, agg_perf_by_open=value)
        case _:
            return replace(perf, agg_perf_by_open_lastio=value)


def _module_of(counter: str) -> str | None:
    """A total says of which module it is, even where the heading is lost."""
    prefix = counter.split("_", 1)[0]
    return _PREFIXES.get(prefix)


def _value(text: str) -> int | float | None:
    if _NUMBER.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text):
        value = float(text)
        return value if math.isfinite(value) else None
    return None


def _known(number: int) -> int | None:
    return number if number >= 0 else None
