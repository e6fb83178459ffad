"""The rates of a benchmark's phases, and of the layers and directories that benchio tries, beside those of another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from iotriage.analysis.run_sets.changes import Change, factor_of
from iotriage.metrics.core.metric import Unit
from iotriage.rules.core.words import number, printable, share, size
from iotriage_parsers.evidence import BenchmarkRates, BenchmarkRun
from iotriage_parsers.evidence.benchmark_rates import RateUnit
from iotriage_parsers.frozen import frozen


@frozen
class PhaseOf:
    """A phase and the unit of its rate: a result may have several of these."""

    phase: str
    unit: RateUnit

    @property
    def title(self) -> str:
        return f"{printable(self.phase)}{_COUNTED[self.unit]}"

    @property
    def shown_in(self) -> Unit:
        return "B/s" if self.unit == "B/s" else "share" if self.unit == "share" else "1"


_COUNTED: Mapping[RateUnit, str] = {
    "ops/s": ", operations a second",
    "B/s": "",
    "score": "",
    "samples/s": ", samples a second",
    "share": ", share of the time in use",
}


def phases_of(rates: BenchmarkRates) -> dict[PhaseOf, float]:
    """What counts of the result: the mean of each phase, or its best where no mean is printed."""
    found: dict[PhaseOf, float] = {}
    for rate in rates.rates:
        figure = rate.mean if rate.mean is not None else rate.maximum
        if rate.valid and figure is not None:
            found.setdefault(PhaseOf(rate.phase, rate.unit), figure)
    return found


def spreads_of(rates: BenchmarkRates) -> dict[PhaseOf, float]:
    """The standard deviation over the iterations of each phase, where it had several."""
    found: dict[PhaseOf, float] = {}
    for rate in rates.rates:
        if rate.valid and rate.mean is not None and rate.stddev:
            found.setdefault(PhaseOf(rate.phase, rate.unit), rate.stddev)
    return found


def cells_of(run: BenchmarkRun) -> dict[PhaseOf, float]:
    """The best rate of each operation, layer and directory that the benchmark tried."""
    found: dict[PhaseOf, float] = {}
    for result in run.results:
        if result.best_bytes_per_s is not None:
            named = (result.operation, result.layer, result.striping)
            found.setdefault(PhaseOf(" ".join(n for n in named if n), "B/s"), result.best_bytes_per_s)
    return found


class WithPhases(Protocol):
    """A run with the rates of its phases, and how much the iterations of each differed."""

    @property
    def phases(self) -> Mapping[PhaseOf, float]: ...
    @property
    def spreads(self) -> Mapping[PhaseOf, float]: ...


def change_between(phase: PhaseOf, before: WithPhases, after: WithPhases, usual: float) -> Change:
    """How one phase went. A difference within what the iterations of both differed by tells nothing of the two."""
    one, other = before.phases.get(phase), after.phases.get(phase)
    change = _change_of_rate(one, other, usual)
    if change not in ("better", "worse") or one is None or other is None:
        return change
    if also_in_bytes(phase, before, after):
        return "other"
    alike = abs(one - other) <= before.spreads.get(phase, 0.0) + after.spreads.get(phase, 0.0)
    return "usual" if alike else change


def also_in_bytes(phase: PhaseOf, before: WithPhases, after: WithPhases) -> bool:
    """Whether both have the phase's bytes a second too, which its operations a second are with other sizes."""
    of_bytes = PhaseOf(phase.phase, "B/s")
    return phase.unit == "ops/s" and of_bytes in before.phases and of_bytes in after.phases


def _change_of_rate(before: float | None, after: float | None, usual: float) -> Change:
    """More in a second is better, of every phase."""
    if before is None or after is None:
        return "unknown"
    if before == after:
        return "same"
    if factor_of(before, after) <= usual:
        return "usual"
    return "better" if after > before else "worse"


def phase_change_text(phase: PhaseOf, before: float, after: float) -> str:
    """One phase as a sentence tells it."""
    match phase.unit:
        case "B/s":
            return f"{printable(phase.phase)} {size(before)}/s → {size(after)}/s"
        case "share":
            return f"{phase.title} {share(before)} → {share(after)}"
        case _:
            return f"{phase.title} {_figure(before)} → {_figure(after)}"


WHOLE = 100.0


def _figure(value: float) -> str:
    return f"{round(value):,}" if value >= WHOLE else number(value)
