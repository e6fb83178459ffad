"""fio: its text, 1 to 3, and `--output-format=json`. Bandwidth and operations per second of each job, or group of jobs.

Processes of a job that are reported one by one, without `group_reporting`, are one phase: what they moved over the
longest time, as fio has it of the group. Of a text that begins behind the jobs, the rates of the groups are read. Text
rounds: "BW=1207MiB/s" stands for what JSON has in bytes. Latencies are not kept. KiB are 2^10 bytes in both, kB 10^3;
before fio 3, whose lines have other words, KB were 2^10 (kb_base).
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from iotriage_parsers.evidence import BenchmarkRates, Lines, PhaseRate, Problem
from iotriage_parsers.frozen import frozen
from iotriage_parsers.text.blocks import MOST_RUNS, BlockReader, BlockResult, LineResult, Machine
from iotriage_parsers.text.changed_figures import ChangedFigures
from iotriage_parsers.text.line_start import at_line_start
from iotriage_parsers.text.lines import Line
from iotriage_parsers.text.prefix import known_prefix
from iotriage_parsers.text.wording import phases_phrase, rates_of

_JSON: Final = re.compile(r'\{?\s{0,20}"fio version"\s{0,20}:')
_JOB_HEAD: Final = re.compile(r"\S.{0,200}?: \(g=\d{1,6}\): rw=\S")
_SIGNS: Final = ("]", ":", ">", "|", ")")
_ALONE: Final = frozenset(("timestamp", "quote", "comment"))
_WORD_ENDS: Final = re.compile(r"[]:>|)]\s*|\s+")
_GROUP: Final = re.compile(r"(\S.{0,200}?): \(groupid=(\d{1,6}), jobs=(\d{1,9})\): err=")
_VERSION: Final = re.compile(r"fio[- ](\d[\w.-]{0,40})")
_RATE: Final = re.compile(
    r"(read|write|trim|mixed)\s*: IOPS=(\d{1,15}(?:\.\d{1,9})?)([kMG]?), "
    r"BW=(\d{1,15}(?:\.\d{1,9})?)([kKMGTPE]?i?(?:B|b|bit))/s(?:.{0,80}/(\d{1,12})msec\))?"
)
_OLD_RATE: Final = re.compile(
    r"(read|write|trim|mixed)\s*: io=\S{1,20}, bw=\s*(\d{1,15}(?:\.\d{1,9})?)([KMGT]?[Bb])/s, "
    r"iops=\s*(\d{1,15}(?:\.\d{1,9})?)([KM]?)\s*, runt=\s*(\d{1,12})msec"
)
"""As fio printed it before version 3."""
_ROW: Final = re.compile(r"(?:read|write|trim|mixed)\s*: (?:IOPS=|io=\S{1,20}, bw=)")
_ENDED: Final = re.compile(r"Run status group (\d{1,6})")
_IN_A_GROUP: Final = re.compile(
    r"(READ|WRITE|TRIM|MIXED): bw=(\d{1,15}(?:\.\d{1,9})?)([kKMGTPE]?i?(?:B|b|bit))/s"
    r"(?:.{0,300}\brun=\d{1,12}-(\d{1,12})msec)?"
)
_OLD_IN_A_GROUP: Final = re.compile(
    r"(READ|WRITE|TRIM|MIXED): io=\S{1,20}, aggrb=(\d{1,15}(?:\.\d{1,9})?)([KMGT]?[Bb])/s"
    r"(?:.{0,300}\bmaxt=\s*(\d{1,12})msec)?"
)
_ROW_OF_GROUP: Final = re.compile(r"(?:READ|WRITE|TRIM|MIXED): (?:bw=|io=)")
_OF_JSON: Final = re.compile(r'["{}\[\],:\d-]|true|false|null')
_DIRECTIONS: Final = ("read", "write", "trim", "mixed")
"""With `unified_rw_reporting` all of a job's are one."""
_DIRECTION: Final = re.compile(r'"(read|write|trim|mixed)"\s*:\s*\{')
_THOUSANDS: Final = {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9}
_BYTES: Final[dict[str, float]] = {
    "B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40, "kB": 10**3, "KB": 10**3, "MB": 10**6, "GB": 10**9,
    "TB": 10**12, "PiB": 2**50, "EiB": 2**60, "PB": 10**15, "EB": 10**18,
}  # fmt: skip
_OLD_BYTES: Final[dict[str, float]] = {"B": 1, "KB": 2**10, "MB": 2**20, "GB": 2**30, "TB": 2**40}
BITS: Final = 8
"""Of a byte: `unit_base=1` has fio print bits, as `Gibit` and `Gbit` (lib/num2str.c), before version 3 as `Gb`."""
_NO_NUMBER: Final = re.compile(r"(:\s{0,8})-?(?:nan|inf)(?=\s{0,8}[,}\]]|\s{0,8}$)", re.MULTILINE)
"""As C prints what is none, which no JSON has."""
MOST_CHARACTERS: Final = 16 * 2**20
MOST_RATES: Final = 10_000

_Reported = tuple[str, str]
"""A job's name and its group: what runs at once is of one group."""


class TextMachine:
    """Over with the lines of "Run status group", or where another run begins; or its results as JSON, of which it then
    is the head. Without its first lines it begins with a job's results, or with a group's."""

    def __init__(self, line: Line) -> None:
        text = line.text.strip()
        self._first = self._last = line.number
        self._version: str | None = None
        self._jobs: dict[_Reported, int] = {}
        self._reported: _Reported | None = None
        self._rates: list[tuple[_Reported, PhaseRate]] = []
        self._groups: dict[str, list[PhaseRate]] = {}
        self._ended = self._as_json = False
        self._changed = ChangedFigures("fio")
        self._fragment = _JOB_HEAD.match(text) is None
        self._taken(line, text)

    def feed(self, line: Line) -> LineResult:
        text = line.text.strip()
        answer = self._taken(line, text)
        if answer is LineResult.TAKEN:
            self._last = line.number
        return answer

    def close(self) -> BlockResult:
        changed = self._changed.problems()
        head_of_json = self._as_json and not self._rates
        rates = self._rates or [((f"group {g}", g), rate) for g, of_it in self._groups.items() for rate in of_it]
        if head_of_json or not (rates or self._version or changed):
            return BlockResult()
        found = _block_result(
            rates,
            self._version,
            max(self._jobs.values(), default=0) or None,
            Lines(self._first, self._last),
            self._ended,
        )
        return replace(found, problems=(*found.problems, *changed, *self._lacks_head()))

    def _lacks_head(self) -> Iterator[Problem]:
        if self._fragment:
            message = (
                f"lines {self._first}-{self._last} are rates of fio without its first lines: which version it was, and "
                "what it was to do, is not known"
            )
            yield Problem("note", message, line=self._first)

    def _taken(self, line: Line, text: str) -> LineResult:
        if not text:
            return LineResult.FOREIGN
        if self._ended:
            return self._of_group(line, text)
        if text == "{" or _JSON.match(text):
            self._as_json = True
            return LineResult.OVER
        if _JOB_HEAD.match(text):
            return LineResult.OVER if self._rates else LineResult.TAKEN
        version = _VERSION.fullmatch(text)
        if version is not None:
            self._version = version.group(1)
            return LineResult.TAKEN
        group = _GROUP.match(text)
        if group is not None:
            self._reported = (group.group(1), group.group(2))
            if len(self._jobs) < MOST_RATES:
                self._jobs[self._reported] = self._jobs.get(self._reported, 0) + int(group.group(3))
            return LineResult.TAKEN
        rate = _rate(text)
        if _ROW.match(text) and self._changed.looked_at(text, line.number):
            return LineResult.TAKEN
        if rate is not None and self._reported is not None and line.ended and len(self._rates) < MOST_RATES:
            self._rates.extend((self._reported, row) for row in rate.rows(self._reported[0], line.number))
            return LineResult.TAKEN
        return self._of_group(line, text) if _ENDED.match(text) else LineResult.FOREIGN

    def _of_group(self, line: Line, text: str) -> LineResult:
        """A group of jobs and its rates; one that was there is another run's."""
        ended, row, old = _ENDED.match(text), _IN_A_GROUP.match(text), _OLD_IN_A_GROUP.match(text)
        if ended is not None and ended.group(1) not in self._groups and len(self._groups) < MOST_RATES:
            self._ended, self._groups[ended.group(1)] = True, []
            return LineResult.TAKEN
        row = row or old
        if row is None:
            changed = _ROW_OF_GROUP.match(text) is not None and self._changed.looked_at(text, line.number)
            return LineResult.TAKEN if changed else LineResult.OVER
        direction, bandwidth, unit, milliseconds = row.groups()
        size = _bytes(unit, old=old is not None)
        if line.ended and size is not None:
            group = next(reversed(self._groups))
            seconds = int(milliseconds) / 1000 if milliseconds else None
            phase = f"group {group} {direction.lower()}"
            rate = PhaseRate(phase, "B/s", line.number, float(bandwidth) * size, seconds=seconds)
            self._groups[group].append(rate)
        return LineResult.TAKEN


class JsonMachine:
    """Keeps the document until its braces close; without that it is not read."""

    def __init__(self, line: Line, before: Iterable[Line]) -> None:
        self._first = self._last = line.number
        self._pieces: list[str] = []
        self._size = self._depth = 0
        self._closed = False
        self._directions: list[int] = []
        if not line.text.lstrip().startswith("{"):
            self._pieces, self._depth = ["{"], 1
            self._first = next((e.number for e in before if e.text.strip() == "{"), line.number)
        self.feed(line)

    def feed(self, line: Line) -> LineResult:
        text = line.text.strip()
        if self._closed or self._size > MOST_CHARACTERS:
            return LineResult.OVER
        if not _OF_JSON.match(text):
            return LineResult.FOREIGN
        self._pieces.append(text)
        self._size += len(text)
        if _DIRECTION.match(text):
            self._directions.append(line.number)
        outside = re.sub(r'"(?:[^"\\]|\\.)*+"', "", text)
        self._depth += outside.count("{") - outside.count("}")
        self._last = line.number
        self._closed = self._depth <= 0
        return LineResult.LAST if self._closed else LineResult.TAKEN

    def close(self) -> BlockResult:
        try:
            text = _NO_NUMBER.sub(r"\1null", "\n".join(self._pieces))
            document: object = json.loads(text, parse_int=float) if self._closed else None
        except (ValueError, RecursionError):
            document = None
        lines = Lines(self._first, self._last)
        if not isinstance(document, dict):
            message = f"fio's JSON at lines {lines.first}-{lines.last} was cut off: nothing of it is read"
            return BlockResult((), (Problem("unterminated", message, loses_data=True, line=lines.first),))
        version = _VERSION.fullmatch(str(document.get("fio version")))
        jobs = document.get("jobs")
        rates = list(self._of_jobs(jobs if isinstance(jobs, list) else []))
        return _block_result(rates, version.group(1) if version else None, None, lines, complete=True)

    def _of_jobs(self, jobs: list[object]) -> Iterator[tuple[_Reported, PhaseRate]]:
        places = iter(self._directions)
        for job in jobs[:MOST_RATES]:
            if not isinstance(job, dict):
                continue
            for direction in _DIRECTIONS:
                figures = job.get(direction)
                if isinstance(figures, dict):
                    name, line = f"{job.get('jobname')}", next(places, self._first)
                    reported = (name, f"{job.get('groupid')}")
                    yield from ((reported, row) for row in _of_object(f"{name} {direction}", figures, line))


@frozen
class _Rate:
    """A row of a job's results."""

    direction: str
    bytes_per_s: float | None
    operations_per_s: float
    milliseconds: str | None

    def rows(self, name: str, line: int) -> Iterator[PhaseRate]:
        seconds = int(self.milliseconds) / 1000 if self.milliseconds else None
        if self.bytes_per_s is not None:
            yield PhaseRate(f"{name} {self.direction}", "B/s", line, self.bytes_per_s, seconds=seconds)
        yield PhaseRate(f"{name} {self.direction}", "ops/s", line, self.operations_per_s, seconds=seconds)


def _rate(text: str) -> _Rate | None:
    new, old = _RATE.match(text), _OLD_RATE.match(text)
    if new is not None:
        direction, iops, thousands, bandwidth, unit, milliseconds = new.groups()
    elif old is not None:
        direction, bandwidth, unit, iops, thousands, milliseconds = old.groups()
    else:
        return None
    size = _bytes(unit, old=old is not None)
    moved = None if size is None else float(bandwidth) * size
    return _Rate(direction, moved, float(iops) * _THOUSANDS[thousands], milliseconds)


def _bytes(unit: str, *, old: bool) -> float | None:
    """How many bytes a unit is; None for one that fio does not print."""
    prefix = unit.removesuffix("bit").rstrip("Bb")
    size = (_OLD_BYTES if old else _BYTES).get(f"{prefix}B")
    return size if size is None or unit.endswith("B") else size / BITS


def _of_object(phase: str, figures: dict[object, object], line: int) -> Iterator[PhaseRate]:
    """Nothing of a direction in which nothing was moved, of which fio prints zeros."""

    def number(key: str, scale: float = 1.0) -> float | None:
        value = figures.get(key)
        return value * scale if isinstance(value, float) and value >= 0 and math.isfinite(value) else None

    if not number("io_bytes"):
        return
    seconds = number("runtime", 1 / 1000)
    bandwidth = number("bw_bytes")
    mean = number("bw", 1024) if bandwidth is None else bandwidth
    yield PhaseRate(
        phase, "B/s", line, mean, number("bw_max", 1024), number("bw_min", 1024), number("bw_dev", 1024), seconds
    )
    yield PhaseRate(
        phase, "ops/s", line, number("iops"), number("iops_max"), number("iops_min"), number("iops_stddev"), seconds
    )


def _together(rates: list[tuple[_Reported, PhaseRate]]) -> Iterator[PhaseRate]:
    """Each phase once, in the order in which they began."""
    phases: dict[tuple[_Reported, str, str], list[PhaseRate]] = {}
    for reported, rate in rates:
        phases.setdefault((reported, rate.phase, rate.unit), []).append(rate)
    return (alike[0] if len(alike) == 1 else _of_all(alike) for alike in phases.values())


def _of_all(alike: list[PhaseRate]) -> PhaseRate:
    """The rate of processes that ran at once together. Nobody knows how their extremes met."""
    known = [(rate.mean, rate.seconds) for rate in alike if rate.mean is not None]
    longest = max((seconds for _, seconds in known if seconds), default=None)
    parts = (mean if longest is None else mean * (seconds or longest) / longest for mean, seconds in known)
    first = alike[0]
    return PhaseRate(first.phase, first.unit, first.line, sum(parts) if known else None, seconds=longest)


def _block_result(
    rates: list[tuple[_Reported, PhaseRate]], version: str | None, jobs: int | None, lines: Lines, complete: bool
) -> BlockResult:
    run = BenchmarkRates("fio", lines, complete, tuple(_together(rates)), version=version, nprocs=jobs)
    if complete:
        return BlockResult((run,))
    message = f"the fio output at lines {lines.first}-{lines.last} has no end (Run status): what stands before is read"
    return BlockResult((run,), (Problem("unterminated", message, loses_data=True, line=lines.first),))


_BEGINNINGS: Final = (_JSON, _JOB_HEAD, _GROUP, _ENDED)
_NAME_ENDS: Final = re.compile(r": \(g(?:roupid)?=")
_at_line_start: Final = at_line_start(re.compile("|".join(f"(?:{one.pattern})" for one in _BEGINNINGS)))


def _begins(text: str) -> int | None:
    """A job's name may be any words, so a launcher's label before it is one only where it is set off by a sign, or is a
    time or a mail's quoting."""
    begins = _at_line_start(text)
    name_ends = _NAME_ENDS.search(text) if begins is not None else None
    if begins is None or _JSON.match(text, begins):
        return begins
    if name_ends is None:
        return len(text) - len(text[begins:].lstrip())
    for word in _WORD_ENDS.finditer(text, 0, name_ends.start()):
        before = text[: word.end()]
        prefix = known_prefix(before)
        if prefix is not None and (before.rstrip().endswith(_SIGNS) or not _ALONE.isdisjoint(prefix.kinds)):
            begins = word.end()
    return begins


def _start(line: Line, before: Iterable[Line]) -> Machine:
    return JsonMachine(line, before) if _JSON.match(line.text.strip()) else TextMachine(line)


reader: Final = BlockReader(
    id="fio",
    title="fio output",
    anchors=(b'"fio version"', b": (g=0): rw=", b": (groupid=", b"Run status group "),
    begins=_begins,
    start=_start,
    describe=lambda parts: phases_phrase("fio", rates_of(parts, "fio"), "run"),
    # It prints such a line itself, for the other jobs of the same name.
    has_rows=False,
    precedence=37,
    most_blocks=MOST_RUNS,
)
