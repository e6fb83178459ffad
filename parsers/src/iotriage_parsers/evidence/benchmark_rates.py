"""Rates by phase that a benchmark of metadata and bandwidth measured."""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from iotriage_parsers.evidence.locator import Lines
from iotriage_parsers.evidence.run_result import BenchmarkSetting
from iotriage_parsers.frozen import frozen

RatesTool = Literal["mdtest", "IO500", "fio", "elbencho", "DLIO", "HACC_IO"]
RateUnit = Literal["ops/s", "B/s", "score", "samples/s", "share"]
"""`samples/s` are those of a training, `share` is how much of the time its accelerators were busy. `score` is the
IO500's own: the square root of GiB/s times thousands of operations per second."""


@frozen
class PhaseRate:
    """One phase of all ranks together, in `unit`: operations or bytes per second. `mean` is the one figure where there
    is but one. `valid` is false where the benchmark itself says that the result does not count. `command_line` is that
    of the phase, where each was run by one of its own."""

    phase: str
    unit: RateUnit
    line: int
    mean: float | None
    maximum: float | None = None
    minimum: float | None = None
    stddev: float | None = None
    seconds: float | None = None
    valid: bool = True
    command_line: str | None = None


@frozen
class BenchmarkRates:
    """One run. A phase that did not run, of which mdtest prints zeros, is not there. `complete` is false where the end
    was not seen. `began_local` is as printed: without a time zone."""

    tool: RatesTool
    lines: Lines
    complete: bool
    rates: tuple[PhaseRate, ...]
    version: str | None = None
    nprocs: int | None = None
    nodes: int | None = None
    command_line: str | None = None
    file: str | None = None
    began_local: str | None = None
    settings: tuple[BenchmarkSetting, ...] = ()
    kind: Literal["benchmark_rates"] = field(default="benchmark_rates")

    def phase(self, name: str) -> PhaseRate | None:
        """The phase of this name, as printed, in lower case."""
        return next((r for r in self.rates if r.phase == name), None)
