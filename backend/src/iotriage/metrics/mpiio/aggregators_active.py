"""How many of the aggregators write in one collective call."""

from __future__ import annotations

from iotriage.metrics.core.about import About
from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import STATS
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection, StatsBlock
from iotriage.metrics.tables.texts.stats_fields import no_writes, place
from iotriage_parsers.evidence import AggregatorsActive
from iotriage_parsers.frozen import frozen


def _with_bins(s: Selection) -> tuple[tuple[StatsBlock, AggregatorsActive], ...]:
    return tuple(
        (b, active) for b in s.writes if (active := b.block.aggregators_active) is not None and not active.degenerate
    )


def _bins(s: Selection) -> tuple[tuple[StatsBlock, AggregatorsActive], ...] | Absent:
    found = _with_bins(s)
    if found:
        return found
    if not s.writes:
        return Absent("no MPICH_MPIIO_STATS write block was given", (STATS,))
    if any(b.block.aggregators_active for b in s.writes):
        return Absent("with one aggregator the four bins are the same and nothing can be concluded")
    return Absent("the MPICH_MPIIO_STATS blocks do not print `aggregators active`")


def _declare_bin(name: str, words: str) -> None:
    @metric(
        f"mpiio.aggregators_active_{name}",
        f"Collective write calls with {words} of the aggregators active",
        "calls",
        formula="`aggregators active`, summed over the STATS write blocks with two or more aggregators",
        needs="MPICH_MPIIO_STATS",
        of=_bins,
    )
    def active(found: tuple[tuple[StatsBlock, AggregatorsActive], ...]) -> Outcome:
        counts: list[int] = [getattr(a, name) for _, a in found]
        return Value(sum(counts), where=tuple(w for b, _ in found for w in place(b, "aggregators active")))


for _name, _words in (("one", "one"), ("low", "at most half"), ("high", "more than half"), ("all", "all")):
    _declare_bin(_name, _words)


@frozen
class Utilisation:
    """The share of the aggregators that were active, summed over the `calls`: at `least` and at `most`."""

    least: float
    most: float
    calls: int


def utilisation(active: AggregatorsActive) -> Utilisation:
    """Of one block.

    The bins mean 1/n; 2/n to ⌊n/2⌋/n; (⌊n/2⌋+1)/n to (n−1)/n; 1. For n = 2 and 3 the second holds one value only.
    """
    n, half = active.n, active.n // 2
    low_first, low_last = min(2, half), half
    high_first = min(half + 1, n)
    high_last = max(n - 1, high_first)
    least = (active.one + active.low * low_first + active.high * high_first) / n + active.all
    most = (active.one + active.low * low_last + active.high * high_last) / n + active.all
    return Utilisation(least, most, active.one + active.low + active.high + active.all)


def _utilisation(s: Selection, *, most: bool) -> Outcome:
    found = _bins(s)
    if isinstance(found, Absent):
        return found
    bounds = [utilisation(a) for _, a in found]
    calls = sum(of.calls for of in bounds)
    if not calls:
        return Absent("no collective write calls were counted in the bins")
    where = tuple(w for b, _ in found for w in place(b, "aggregators active"))
    return Value(sum(of.most if most else of.least for of in bounds) / calls, "inferred", where)


@metric(
    "mpiio.aggregator_utilisation_low",
    "Aggregators active per collective write, at least",
    "share",
    about=About(time=False),
    formula="lower bound of the mean share of aggregators active: the bins mean 1/n, from 2/n, from (⌊n/2⌋+1)/n, and 1",
    needs="MPICH_MPIIO_STATS",
    unless=no_writes,
)
def aggregator_utilisation_low(s: Selection) -> Outcome:
    return _utilisation(s, most=False)


@metric(
    "mpiio.aggregator_utilisation_high",
    "Aggregators active per collective write, at most",
    "share",
    about=About(time=False, seen_below=True),
    formula="upper bound of the mean share of aggregators active: the bins mean 1/n, to ⌊n/2⌋/n, to (n−1)/n, and 1",
    needs="MPICH_MPIIO_STATS",
    unless=no_writes,
)
def aggregator_utilisation_high(s: Selection) -> Outcome:
    return _utilisation(s, most=True)
