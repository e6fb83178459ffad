"""What `darshan-parser --total`, `--perf` and `--file` print: figures over all records, without the records."""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from iotriage_parsers.evidence.darshan import ModuleInfo
from iotriage_parsers.evidence.job import Job
from iotriage_parsers.evidence.locator import Lines
from iotriage_parsers.frozen import frozen

FileKind = Literal["total", "read_only", "write_only", "read_write", "unique", "shared", "partially_shared"]


@frozen
class CounterTotal:
    """One `total_<counter>: value` line. Darshan adds counts up over records, and takes the largest or the most
    frequent of what cannot be added (MAX_BYTE_*, timestamps, ACCESS*). `value` is None for −1, not available."""

    name: str
    value: int | float | None
    line: int


@frozen
class DarshanTotals:
    """The `--total` block of one module, in the order of the text."""

    counters: tuple[CounterTotal, ...]

    def value(self, name: str) -> int | float | None:
        """The total of `name` ("POSIX_BYTES_READ"); None where it is not there or not available."""
        return next((c.value for c in self.counters if c.name == name), None)


@frozen
class DarshanPerf:
    """The `--perf` block of one module: bytes, seconds, and bandwidths in bytes per second (the text has MiB/s).

    `agg_perf_by_slowest` is the figure that everyone quotes. The other three estimates are printed by tools before
    3.4; `agg_time_by_slowest_s` and `unique_slowest_rw_s` by tools from 3.4 on.
    """

    total_bytes: int | None = None
    unique_slowest_rank: int | None = None
    unique_slowest_s: float | None = None
    unique_slowest_meta_s: float | None = None
    unique_slowest_rw_s: float | None = None
    shared_by_slowest_s: float | None = None
    agg_time_by_slowest_s: float | None = None
    agg_perf_by_slowest: float | None = None
    agg_perf_by_cumul: float | None = None
    agg_perf_by_open: float | None = None
    agg_perf_by_open_lastio: float | None = None


@frozen
class FileCount:
    """One line of the `--file` block: how many files of a kind, the bytes moved to and from them, and the highest
    offset of one of them; None for MPI-IO, which does not record offsets."""

    kind: FileKind
    files: int
    total_bytes: int | None
    max_offset_bytes: int | None
    line: int


@frozen
class ModuleSummary:
    """`module` is None for Darshan 2.x, which has one block for all layers; what means the same there as in Darshan 3.x
    is a summary of its module as well. None or empty is what was not printed."""

    module: str | None
    lines: Lines
    totals: DarshanTotals | None = None
    perf: DarshanPerf | None = None
    files: tuple[FileCount, ...] = ()


@frozen
class DarshanSummary:
    """A text without records: what it says about the job and each module."""

    log_version: str
    job: Job
    metadata: tuple[tuple[str, str], ...]
    modules: tuple[ModuleInfo, ...]
    summaries: tuple[ModuleSummary, ...]
    kind: Literal["darshan_summary"] = field(default="darshan_summary")

    def of(self, module: str | None) -> ModuleSummary | None:
        """The summary of "POSIX", "MPI-IO" or "STDIO", or with None of Darshan 2.x's one block; None where the text has
        none."""
        return next((s for s in self.summaries if s.module == module), None)
