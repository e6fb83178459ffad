"""What an I/O benchmark says about one of its runs: IOR and benchio."""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from iotriage_parsers.evidence.locator import Lines
from iotriage_parsers.frozen import frozen

BenchmarkTool = Literal["IOR", "benchio"]
BenchmarkSource = Literal["text", "json", "csv", "fragment"]
"""`fragment`: result lines without the head of their output."""

BenchmarkOperation = Literal["write", "read", "remove", "write-check", "read-check"]
FileAccess = Literal["single-shared-file", "file-per-process"]

BenchmarkLayer = Literal["serial", "proc", "node", "mpiio", "hdf5", "netcdf", "adios2"]
"""How benchio writes: rank 0 alone; a file per process; a file per node; or through a library into one file."""


@frozen
class BenchmarkIteration:
    """One repetition, as its row prints it. `seconds` is the whole of it, `transfer_s` the reads or writes alone.
    `bytes_moved` stands where the run read or wrote less than it was asked for, as stonewalling does."""

    operation: BenchmarkOperation
    line: int
    number: int | None = None
    bytes_per_s: float | None = None
    seconds: float | None = None
    open_s: float | None = None
    transfer_s: float | None = None
    close_s: float | None = None
    operations_per_s: float | None = None
    bytes_moved: int | None = None


@frozen
class BenchmarkResult:
    """All repetitions of one operation, for benchio of one layer in one directory (`striping`: "unstriped", "striped",
    "fullstriped", "defstriped", …).

    The `max_…`, `min_…`, `mean_…` and `stddev_…` figures are those printed, None where they are not; `line` is where.
    Bandwidths are bytes per second of all ranks together.
    """

    operation: BenchmarkOperation
    line: int | None = None
    layer: BenchmarkLayer | None = None
    striping: str | None = None
    file: str | None = None
    max_bytes_per_s: float | None = None
    min_bytes_per_s: float | None = None
    mean_bytes_per_s: float | None = None
    stddev_bytes_per_s: float | None = None
    mean_seconds: float | None = None
    min_seconds: float | None = None
    iterations: tuple[BenchmarkIteration, ...] = ()

    @property
    def best_bytes_per_s(self) -> float | None:
        """The highest bandwidth: as printed, else that of the best repetition."""
        if self.max_bytes_per_s is not None:
            return self.max_bytes_per_s
        return max((i.bytes_per_s for i in self.iterations if i.bytes_per_s is not None), default=None)

    @property
    def worst_bytes_per_s(self) -> float | None:
        """The lowest rate, as printed, else over the iterations."""
        if self.min_bytes_per_s is not None:
            return self.min_bytes_per_s
        return min((i.bytes_per_s for i in self.iterations if i.bytes_per_s is not None), default=None)


@frozen
class BenchmarkSetting:
    """One option or fact of the run's head, as it stands."""

    key: str
    text: str
    line: int


@frozen
class BenchmarkHint:
    """An MPI-IO hint as IOR passed it to MPI_File_open, or as the open file returned it."""

    name: str
    value: str
    given: Literal["passed", "returned"]
    line: int


@frozen
class BenchmarkRun:
    """One test. A quantity that the output does not state is None. `complete` is false where its end was not seen: the
    IO500's own IOR prints none, and is whole with the last of the rows that it was asked for.

    Sizes are exact where the output has them in bytes, else to the precision of its print. `total_bytes` is what was
    asked for, also where stonewalling ended it early. `nodes` is printed by IOR from 3.3 on; before, it is ranks over
    ranks per node, where that is whole. `collective` is None where IOR does not say. `began_local` and `finished_local`
    are as printed: without a time zone.
    """

    tool: BenchmarkTool
    source: BenchmarkSource
    lines: Lines
    complete: bool
    results: tuple[BenchmarkResult, ...]
    version: str | None = None
    api: str | None = None
    nprocs: int | None = None
    nodes: int | None = None
    ranks_per_node: int | None = None
    transfer_size_bytes: int | None = None
    block_size_bytes: int | None = None
    segments: int | None = None
    total_bytes: int | None = None
    repetitions: int | None = None
    access: FileAccess | None = None
    collective: bool | None = None
    file: str | None = None
    stripe_count: int | None = None
    stripe_size_bytes: int | None = None
    hints: tuple[BenchmarkHint, ...] = ()
    command_line: str | None = None
    began_local: str | None = None
    finished_local: str | None = None
    settings: tuple[BenchmarkSetting, ...] = ()
    kind: Literal["benchmark_run"] = field(default="benchmark_run")

    def of(self, operation: BenchmarkOperation) -> tuple[BenchmarkResult, ...]:
        """The results of one operation, in the order of the output."""
        return tuple(r for r in self.results if r.operation == operation)

    def line_of(self, key: str) -> int | None:
        """The line on which the head has `key`, written as in `settings`."""
        return next((s.line for s in self.settings if s.key == key), None)
