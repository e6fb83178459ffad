"""One test of IOR: what its lines said, from whichever form they came, and the run that this makes."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from iotriage_parsers.evidence import (
    BenchmarkHint,
    BenchmarkIteration,
    BenchmarkResult,
    BenchmarkRun,
    BenchmarkSetting,
    Lines,
)
from iotriage_parsers.evidence.run_result import BenchmarkOperation, BenchmarkSource, FileAccess
from iotriage_parsers.frozen import frozen
from iotriage_parsers.text.numbers import whole

MIB: Final = 2**20
KIB: Final = 2**10
MOST_ITERATIONS: Final = 100_000
MOST_HINTS: Final = 1_000

OPERATIONS: Final[dict[str, BenchmarkOperation]] = {
    "write": "write",
    "read": "read",
    "remove": "remove",
    "writecheck": "write-check",
    "readcheck": "read-check",
}

_NUMBER: Final = re.compile(r"[0-9]{1,20}(?:\.[0-9]{0,20})?(?:[eE][+-]?[0-9]{1,3})?")
_SIZE: Final = re.compile(r"([0-9]{1,19}(?:\.[0-9]{1,6})?)\s*(bytes|[KMGTPE]iB)")
_UNITS: Final = {"bytes": 0, "KiB": 1, "MiB": 2, "GiB": 3, "TiB": 4, "PiB": 5, "EiB": 6}
_CLIENTS: Final = re.compile(r"(?<![0-9.,'])([0-9]{1,9})\s+\(([0-9]{1,9}) per node\)")
_FLAGS: Final = re.compile(r"-[A-Za-z]{1,30}")
_OF_FLAGS: Final[tuple[tuple[str, BenchmarkOperation], ...]] = (("w", "write"), ("r", "read"))
_SEGMENTS: Final = re.compile(r"\(([0-9]{1,15}) segments?\)")


@frozen
class SummaryRow:
    """A row of "Summary of all tests"; bandwidths in MiB/s."""

    operation: BenchmarkOperation
    line: int
    test: int | None = None
    max_mib_s: float | None = None
    min_mib_s: float | None = None
    mean_mib_s: float | None = None
    stddev_mib_s: float | None = None
    mean_s: float | None = None
    tasks: int | None = None
    tasks_per_node: int | None = None
    repetitions: int | None = None
    file_per_process: bool | None = None
    segments: int | None = None
    block_bytes: int | None = None
    transfer_bytes: int | None = None
    api: str | None = None


JSON_COLUMNS: Final = {
    "TestID": "Test#",
    "bwMaxMIB": "Max(MiB)",
    "bwMinMIB": "Min(MiB)",
    "bwMeanMIB": "Mean(MiB)",
    "bwStdMIB": "StdDev",
    "MeanTime": "Mean(s)",
    "numTasks": "#Tasks",
    "tasksPerNode": "tPN",
    "repetitions": "reps",
    "filePerProc": "fPP",
    "segmentCount": "segcnt",
    "blockSize": "blksiz",
    "transferSize": "xsize",
    "API": "API",
}
"""The keys of "summary" in JSON, by the columns of the table that they are called in the text."""


def summary_row(operation: BenchmarkOperation, line: int, cells: Mapping[str, str]) -> SummaryRow:
    """The row that begins on `line`, from its cells by the text's columns; what is not there is None."""
    per_process = whole(cells.get("fPP", ""))
    return SummaryRow(
        operation,
        line,
        test=whole(cells.get("Test#", "")),
        max_mib_s=number(cells.get("Max(MiB)", "")),
        min_mib_s=number(cells.get("Min(MiB)", "")),
        mean_mib_s=number(cells.get("Mean(MiB)", "")),
        stddev_mib_s=number(cells.get("StdDev", "")),
        mean_s=number(cells.get("Mean(s)", "")),
        tasks=whole(cells.get("#Tasks", "")),
        tasks_per_node=whole(cells.get("tPN", "")),
        repetitions=whole(cells.get("reps", "")),
        file_per_process=None if per_process is None else per_process == 1,
        segments=whole(cells.get("segcnt", "")),
        block_bytes=whole(cells.get("blksiz", "")),
        transfer_bytes=whole(cells.get("xsize", "")),
        api=cells.get("API"),
    )


def iteration(
    operation: BenchmarkOperation, line: int, cells: Mapping[str, str], bytes_moved: int | None = None
) -> BenchmarkIteration:
    """The row of results on `line`, from its cells by their columns; what is not there is None."""
    return BenchmarkIteration(
        operation,
        line,
        number=whole(cells.get("iter", "")),
        bytes_per_s=mib(number(cells.get("bw(MiB/s)", ""))),
        seconds=number(cells.get("total(s)", "")),
        open_s=number(cells.get("open(s)", "")),
        transfer_s=number(cells.get("wr/rd(s)", "")),
        close_s=number(cells.get("close(s)", "")),
        operations_per_s=number(cells.get("IOPS", "")),
        bytes_moved=bytes_moved,
    )


@dataclass(slots=True)
class OneTest:
    """Keys of `settings` are lower-case. `maxima` are the "Max Write:" lines, in MiB/s, with their line."""

    first: int
    last: int
    settings: dict[str, BenchmarkSetting] = field(default_factory=dict)
    iterations: list[BenchmarkIteration] = field(default_factory=list)
    summary: list[SummaryRow] = field(default_factory=list)
    maxima: dict[BenchmarkOperation, tuple[float, int]] = field(default_factory=dict)
    hints: list[BenchmarkHint] = field(default_factory=list)
    block_kib: str | None = None
    transfer_kib: str | None = None
    tasks: int | None = None

    @property
    def has_results(self) -> bool:
        return bool(self.iterations or self.summary or self.maxima)

    def has_all_rows(self, head: OneTest) -> bool:
        """Whether each operation that the command line asks for has a row for each repetition."""
        command = (head.text("command line") or head.text("command line used") or "").split()
        flags = {flag for word in command if _FLAGS.fullmatch(word) for flag in word[1:]} & set("wr")
        asked = [operation for flag, operation in _OF_FLAGS if flag in (flags or "wr")]
        rows = [i.operation for i in self.iterations]
        return all(rows.count(operation) >= (self.whole("repetitions") or 1) for operation in asked)

    def text(self, key: str) -> str | None:
        """The value of a setting; None where it is not there or empty."""
        found = self.settings.get(key)
        return found.text if found is not None and found.text else None

    def whole(self, key: str) -> int | None:
        return whole(self.text(key) or "")

    def keep(self, key: str, text: str, line: int) -> bool:
        """Whether the setting is new: the first of its key stands."""
        if key in self.settings:
            return False
        self.settings[key] = BenchmarkSetting(key, text, line)
        return True

    def lengthen(self, key: str, text: str) -> None:
        """The setting, with what stands on the lines below it."""
        self.settings[key] = replace(self.settings[key], text=text)

    def keep_hint(self, hint: BenchmarkHint) -> None:
        """A hint once, though IOR prints them at each open."""
        known = ((h.name, h.value, h.given) for h in self.hints)
        if len(self.hints) < MOST_HINTS and (hint.name, hint.value, hint.given) not in known:
            self.hints.append(hint)

    def run(self, head: OneTest, source: BenchmarkSource, complete: bool) -> BenchmarkRun:
        """The run. `head` has what is said once for all tests of one start of IOR."""
        summary = next(iter(self.summary), None)
        tasks, per_node = self._tasks(head, summary)
        block = self._size("blocksize", summary.block_bytes if summary else None, self.block_kib)
        segments = self._segments(summary)
        settings = {**head.settings, **self.settings}
        return BenchmarkRun(
            tool="IOR",
            source=source,
            lines=Lines(min(head.first, self.first), max(head.last, self.last)),
            complete=complete,
            results=tuple(self._results()),
            version=head.text("version"),
            api=_first_word(self.text("api")) or (summary.api if summary else None),
            nprocs=tasks,
            nodes=self._nodes(tasks, per_node),
            ranks_per_node=per_node,
            transfer_size_bytes=self._size("xfersize", summary.transfer_bytes if summary else None, self.transfer_kib),
            block_size_bytes=block,
            segments=segments,
            total_bytes=self._total(tasks, block, segments),
            repetitions=self.whole("repetitions") or (summary.repetitions if summary else None),
            access=self._access(summary),
            collective=self._collective(),
            file=self.text("test filename"),
            stripe_count=self.whole("stripe count"),
            stripe_size_bytes=_exact_size(self.text("lustre stripe size") or ""),
            hints=tuple(self.hints),
            command_line=head.text("command line") or head.text("command line used"),
            began_local=head.text("began") or head.text("run began"),
            finished_local=head.text("finished"),
            settings=tuple(sorted(settings.values(), key=lambda s: s.line)),
        )

    def _results(self) -> Iterator[BenchmarkResult]:
        seen = [*(i.operation for i in self.iterations), *(s.operation for s in self.summary), *self.maxima]
        for operation in dict.fromkeys(seen):
            row = next((s for s in self.summary if s.operation == operation), None)
            top, line = self.maxima.get(operation, (None, None))
            yield BenchmarkResult(
                operation=operation,
                line=row.line if row is not None else line,
                file=self.text("test filename"),
                max_bytes_per_s=mib(row.max_mib_s if row is not None else top),
                min_bytes_per_s=mib(row.min_mib_s) if row is not None else None,
                mean_bytes_per_s=mib(row.mean_mib_s) if row is not None else None,
                stddev_bytes_per_s=mib(row.stddev_mib_s) if row is not None else None,
                mean_seconds=row.mean_s if row is not None else None,
                iterations=tuple(i for i in self.iterations if i.operation == operation),
            )

    def _tasks(self, head: OneTest, summary: SummaryRow | None) -> tuple[int | None, int | None]:
        clients = _CLIENTS.search(self.text("clients") or "")
        if clients is not None:
            return int(clients.group(1)), int(clients.group(2))
        tasks = self.whole("tasks") or head.whole("participating tasks") or self.tasks
        per_node = self.whole("clients per node")
        if summary is not None:
            tasks, per_node = tasks or summary.tasks, per_node or summary.tasks_per_node
        return tasks, per_node

    def _nodes(self, tasks: int | None, per_node: int | None) -> int | None:
        printed = self.whole("nodes")
        if printed or tasks is None or not per_node or tasks % per_node:
            return printed
        return tasks // per_node

    def _segments(self, summary: SummaryRow | None) -> int | None:
        found = _SEGMENTS.search(self.text("pattern") or "")
        if found is not None:
            return int(found.group(1))
        printed = self.whole("segments")
        return summary.segments if printed is None and summary is not None else printed

    def _total(self, tasks: int | None, block: int | None, segments: int | None) -> int | None:
        """What was asked for, ranks x segments x block, of which the print may be rounded."""
        printed = self.text("aggregate filesize") or ""
        exact = _exact_size(printed)
        if exact is None and tasks and block and segments:
            return tasks * segments * block
        return _rounded_size(printed) if exact is None else exact

    def _size(self, key: str, in_summary: int | None, in_rows: str | None) -> int | None:
        """Bytes: exact from the summary or a whole print, else as precise as the print ("43.95 GiB")."""
        if in_summary is not None:
            return in_summary
        printed = self.text(key) or ""
        exact = _exact_size(printed)
        if exact is not None:
            return exact
        kib = number(in_rows or "")
        if kib is not None and kib.is_integer():
            return int(kib) * KIB
        return _rounded_size(printed)

    def _access(self, summary: SummaryRow | None) -> FileAccess | None:
        printed = self.text("access") or ""
        if printed.startswith("single-shared-file"):
            return "single-shared-file"
        if printed.startswith("file-per-process"):
            return "file-per-process"
        if summary is None or summary.file_per_process is None:
            return None
        return "file-per-process" if summary.file_per_process else "single-shared-file"

    def _collective(self) -> bool | None:
        """`type` from 3.2 on; with -v in older versions, after the kind of access."""
        printed = self.text("type") or (self.text("access") or "").partition(", ")[2]
        return {"collective": True, "independent": False}.get(printed)


def number(text: str) -> float | None:
    """A figure of a row or summary, not negative; None for `-`, `NA`, nan and the like."""
    if _NUMBER.fullmatch(text) is None:
        return None
    value = float(text)
    return value if math.isfinite(value) else None


def mib(value: float | None) -> float | None:
    """Bytes per second of a rate in MiB/s."""
    return None if value is None else value * MIB


def _first_word(text: str | None) -> str | None:
    words = (text or "").split(maxsplit=1)
    return words[0] if words else None


def _exact_size(text: str) -> int | None:
    match = _SIZE.fullmatch(text)
    if match is None or "." in match.group(1):
        return None
    return int(match.group(1)) << 10 * _UNITS[match.group(2)]


def _rounded_size(text: str) -> int | None:
    match = _SIZE.fullmatch(text)
    return None if match is None else round(float(match.group(1)) * (1 << 10 * _UNITS[match.group(2)]))
