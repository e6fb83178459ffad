"""Quantities of several runs held side by side: what the rules about run sets decide on.

Their formulas take a `RunSet`, not the evidence of one case; `compute_over_runs` computes them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from statistics import median
from typing import Literal

from iotriage.metrics.core.listing import listed
from iotriage.metrics.core.metric import Absent, Metric, Outcome, Unit, Value
from iotriage.metrics.core.registry import all_metrics, as_metric, metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.layouts import ALL_OSTS
from iotriage_parsers.frozen import frozen

RunSetKind = Literal["repeats", "scaling", "striping", "change"]
"""By what differs: nothing; the number of processes; the stripe count; or some other setting."""


@frozen
class SlowestOst:
    """The OST of a file system on which a byte took longest in a run: `times` as long as on the others, for each time
    their bytes."""

    mount: str
    ost: int
    times: float


@frozen
class RunFigures:
    """What one run adds to a set. `rate` in B/s; of times between two ends it is the least that it can be and
    `rate_most` the most, as `io_time_least_s` is the least of `io_time_s`. `stripes` is the stripe count, −1 for all
    OSTs, `stripe_size` and `work`, what the run had to move, in bytes; None is not known."""

    label: str
    processes: int | None = None
    rate: float | None = None
    io_time_s: float | None = None
    pattern: str | None = None
    stripes: int | None = None
    slowest_ost: SlowestOst | None = None
    stripe_size: int | None = None
    work: float | None = None
    rate_most: float | None = None
    io_time_least_s: float | None = None


@frozen
class RunSet:
    kind: RunSetKind
    runs: tuple[RunFigures, ...]


Formula = Callable[[RunSet], Outcome]

_formulas: dict[str, Formula] = {}

NEEDS = "two or more runs, each with a rate: Darshan logs, or the output of IOR or benchio"


def _over_runs(id: str, title: str, unit: Unit, *, formula: str, needs: str = NEEDS) -> Callable[[Formula], Formula]:
    @metric(id, title, unit, formula=formula, needs=needs, scopes=["run-set"])
    def of_one_case(_: Selection) -> Outcome:
        return Absent("this is a quantity of several runs")

    def declare(compute: Formula) -> Formula:
        _formulas[id] = compute
        return compute

    return declare


def compute_over_runs(runs: RunSet) -> dict[str, Metric]:
    """Every metric of a run set, by id."""
    specs = all_metrics()
    return {id: as_metric(specs[id], formula(runs)) for id, formula in sorted(_formulas.items())}


def _best_by(count: Callable[[RunFigures], int | None], runs: Iterable[RunFigures]) -> dict[int, RunFigures]:
    """The run with the highest rate of those with the same count; runs without either figure are left out."""
    best: dict[int, RunFigures] = {}
    for run in runs:
        n = count(run)
        if n is not None and run.rate is not None:
            before = best.get(n)
            if before is None or before.rate is None or run.rate > before.rate:
                best[n] = run
    return best


def best_by_processes(runs: Iterable[RunFigures]) -> tuple[RunFigures, ...]:
    """The best run of each number of processes, fewest processes first."""
    best = _best_by(lambda run: run.processes, runs)
    return tuple(best[n] for n in sorted(best))


def best_by_stripes(runs: Iterable[RunFigures]) -> tuple[RunFigures, ...]:
    """The best run of each stripe count, fewest stripes first and all OSTs (−1) last."""
    best = _best_by(lambda run: run.stripes, runs)
    return tuple(best[n] for n in sorted(best, key=lambda n: (n == ALL_OSTS, n)))


def _rates(runs: Iterable[RunFigures]) -> list[float]:
    return [r.rate for r in runs if r.rate is not None and r.rate > 0]


_Ends = tuple[Sequence[float], Sequence[float]]
"""The least and the most that each can be."""


def _most_rates(runs: Iterable[RunFigures]) -> list[float]:
    return [r.rate_most or r.rate for r in runs if r.rate is not None and r.rate > 0]


def _over(high: _Ends, low: _Ends) -> Value:
    """The highest over the lowest; of what lies between ends that are not alike for all, how many times it is at
    least."""
    (least, others_least), (most, others_most) = zip(high, low, strict=True)
    if high[0] == high[1] and low[0] == low[1]:
        return Value(max(least) / min(others_least))
    ends = (*least, *others_least), (*most, *others_most)
    if all(max(end) <= AS_FAST * min(end) for end in ends):
        return Value(max(least) / min(others_least))
    return Value(max(1.0, max(least) / min(others_most)), bound="lower")


def _best_over_worst(runs: Sequence[RunFigures], missing: Absent) -> Outcome:
    ends = _rates(runs), _most_rates(runs)
    return _over(ends, ends) if len(ends[0]) > 1 else missing


SAME_WORK = 1.1
"""Runs that have to move less than this many times as much as one another are held against each other by time, others
by rate."""

AS_FAST = 1.05
"""What the rates of equal runs on Theta varied by (theta-io, Darshan profiling): stripes that add less add nothing."""

NO_RATES = Absent("fewer than two of the runs have a rate")

ONE_COUNT = Absent("the runs do not have two different numbers of processes")

ONE_STRIPING = Absent("no two stripe counts with a rate")


@_over_runs("runs.kind", "What differs between the runs", "word", formula="repeats, scaling, striping or change")
def kind(runs: RunSet) -> Outcome:
    return Value(runs.kind)


@_over_runs("runs.with_rate", "Runs with a rate", "1", formula="runs whose rate is known")
def with_rate(runs: RunSet) -> Outcome:
    return Value(len(_rates(runs.runs)))


@_over_runs(
    "runs.io_time", "Longest I/O time of the runs", "s", formula="the largest job.io_time; of a benchmark, its seconds"
)
def io_time(runs: RunSet) -> Outcome:
    known = [r.io_time_s for r in runs.runs if r.io_time_s is not None]
    return Value(max(known)) if known else Absent("no run has a time spent in I/O")


@_over_runs("runs.best_rate", "Best rate of the runs", "B/s", formula="the highest rate")
def best_rate(runs: RunSet) -> Outcome:
    rates = _rates(runs.runs)
    return Value(max(rates)) if rates else NO_RATES


@_over_runs("runs.spread", "Best rate over the worst", "ratio", formula="highest rate / lowest rate of runs, at least")
def spread(runs: RunSet) -> Outcome:
    return _best_over_worst(runs.runs, NO_RATES)


@_over_runs(
    "runs.time_spread",
    "Longest I/O time over the shortest",
    "ratio",
    formula="largest / smallest job.io_time, at least, where each run has one and they move about the same: no rate "
    "has what opening, asking and closing take",
    needs="two or more runs, each with a time spent in I/O",
)
def time_spread(runs: RunSet) -> Outcome:
    times = [r.io_time_s for r in runs.runs if r.io_time_s]
    if len(times) < max(2, len(runs.runs)):
        return Absent("not every run has a time spent in I/O")
    works = [r.work for r in runs.runs if r.work]
    if works and max(works) > SAME_WORK * min(works):
        return Absent("the runs do not have the same to move")
    least = [r.io_time_least_s or r.io_time_s for r in runs.runs if r.io_time_s]
    return _over((least, times), (least, times))


ODD_FROM = 3
"""Runs with a rate from which some may be unlike the others."""


@_over_runs(
    "runs.odd",
    "Runs whose rates are unlike the others'",
    "word",
    formula="labels of fewer than half of three runs or more: the slowest or the fastest, on one side of the widest "
    "gap between the rates",
)
def odd(runs: RunSet) -> Outcome:
    return _of_odd(runs, lambda odd, _: listed([run.label for run in runs.runs if run in odd]))


@_over_runs("runs.odd_runs", "Number of runs unlike the others", "1", formula="runs of runs.odd")
def odd_runs(runs: RunSet) -> Outcome:
    return _of_odd(runs, lambda odd, _: len(odd))


@_over_runs(
    "runs.odd_over_others",
    "Rate of the odd runs over that of the others",
    "ratio",
    formula="median rate of the runs of runs.odd / median of the other rates",
)
def odd_over_others(runs: RunSet) -> Outcome:
    return _of_odd(runs, lambda odd, others: median(_rates(odd)) / median(_rates(others)))


@_over_runs(
    "runs.odd_gap",
    "Factor between the odd runs and the nearest of the others",
    "ratio",
    formula="of the runs of runs.odd and the others, the lowest rate of the faster / the highest of the slower",
)
def odd_gap(runs: RunSet) -> Outcome:
    return _of_odd(runs, _gap)


def _gap(odd: Sequence[RunFigures], others: Sequence[RunFigures]) -> float:
    """Between those of which the rates are between ends, what is sure to lie between them."""
    rates, most = _rates(odd), _most_rates(odd)
    return (
        min(_rates(others)) / max(most) if max(rates) < min(_rates(others)) else min(rates) / max(_most_rates(others))
    )


@_over_runs(
    "runs.spread_of_others",
    "Best rate over the worst, without the odd runs",
    "ratio",
    formula="highest rate / lowest rate of the runs without those of runs.odd",
)
def spread_of_others(runs: RunSet) -> Outcome:
    return _of_odd(runs, lambda _, others: max(_rates(others)) / min(_rates(others)))


def _of_odd(runs: RunSet, figure: Callable[[Sequence[RunFigures], Sequence[RunFigures]], float | int | str]) -> Outcome:
    found = _odd(runs)
    return found if isinstance(found, Absent) else Value(figure(*found))


def _odd(runs: RunSet) -> tuple[Sequence[RunFigures], Sequence[RunFigures]] | Absent:
    """The runs, and the others."""
    known = sorted((r for r in runs.runs if r.rate is not None and r.rate > 0), key=lambda r: r.rate or 0.0)
    if len(known) < ODD_FROM:
        return Absent("fewer than three of the runs have a rate")
    few = (len(known) - 1) // 2
    slow = [(known[:n], known[n:]) for n in range(1, few + 1)]
    fast = [(known[-n:], known[:-n]) for n in range(1, few + 1)]
    return max((*slow, *fast), key=lambda parts: _gap(*parts))


@_over_runs(
    "runs.pattern",
    "Pattern of all runs",
    "word",
    formula="io.pattern of the runs, where it is the same in all; a run of one process shares no file with others, and "
    "is asked where there are no larger ones alone",
)
def pattern(runs: RunSet) -> Outcome:
    words = {r.pattern for r in runs.runs if r.processes != 1} or {r.pattern for r in runs.runs}
    only = next(iter(words)) if len(words) == 1 else None
    return Value(only) if only is not None else Absent("the runs' patterns differ, or are not known of all")


@_over_runs(
    "runs.processes_growth", "Most processes over fewest", "ratio", formula="largest number of processes / smallest"
)
def processes_growth(runs: RunSet) -> Outcome:
    by = best_by_processes(runs.runs)
    if len(by) < 2 or not by[0].processes or not by[-1].processes:
        return ONE_COUNT
    return Value(by[-1].processes / by[0].processes)


@_over_runs(
    "runs.rate_growth",
    "Rate on the most processes over that on the fewest",
    "ratio",
    formula="best rate on the most processes / best rate on the fewest",
)
def rate_growth(runs: RunSet) -> Outcome:
    by = best_by_processes(runs.runs)
    if len(by) < 2 or not by[0].rate or by[-1].rate is None:
        return ONE_COUNT
    first, last = by[0].rate_most or by[0].rate, by[-1].rate_most or by[-1].rate
    if (last * first) > AS_FAST * by[-1].rate * by[0].rate:
        return Absent("the logs do not say whose seconds in shared files add up: how the rate grew is open")
    return Value(by[-1].rate / by[0].rate)


@_over_runs(
    "runs.rate_drop",
    "Best rate on fewer processes over that on the most",
    "ratio",
    formula="highest rate on fewer processes / best rate on the most processes",
)
def rate_drop(runs: RunSet) -> Outcome:
    by = best_by_processes(runs.runs)
    fewer, last = ((_rates(runs), _most_rates(runs)) for runs in (by[:-1], by[-1:]))
    return ONE_COUNT if not fewer[0] or not last[0] else _over(fewer, last)


@_over_runs(
    "runs.striping_gain",
    "Best rate over that of the worst stripe count",
    "ratio",
    formula="of the best run of each stripe count: highest rate / lowest rate",
)
def striping_gain(runs: RunSet) -> Outcome:
    return _best_over_worst(best_by_stripes(runs.runs), ONE_STRIPING)


@_over_runs(
    "runs.best_stripes", "Stripe count of the best run", "word", formula="stripe count of the run with the highest rate"
)
def best_stripes(runs: RunSet) -> Outcome:
    best = _best_striping(runs)
    return best if isinstance(best, Absent) else Value(_stripes_in_words(best))


@_over_runs(
    "runs.enough_stripes",
    "Fewest stripes that are as fast as the best",
    "word",
    formula="fewest stripes of a run whose rate times 1.05 is the highest or more",
)
def enough_stripes(runs: RunSet) -> Outcome:
    enough = _enough_striping(runs)
    return enough if isinstance(enough, Absent) else Value(_stripes_in_words(enough))


@_over_runs(
    "runs.enough_stripe_count",
    "Stripe count of the run with enough stripes",
    "stripes",
    formula=f"stripe count of the run of runs.enough_stripes; {ALL_OSTS} for all OSTs",
)
def enough_stripe_count(runs: RunSet) -> Outcome:
    enough = _enough_striping(runs)
    if isinstance(enough, Absent) or enough.stripes is None:
        return ONE_STRIPING
    return Value(enough.stripes)


@_over_runs(
    "runs.enough_stripe_size",
    "Stripe size of the run with enough stripes",
    "B",
    formula="stripe size of the run of runs.enough_stripes",
)
def enough_stripe_size(runs: RunSet) -> Outcome:
    enough = _enough_striping(runs)
    if isinstance(enough, Absent):
        return enough
    return (
        Value(enough.stripe_size)
        if enough.stripe_size is not None
        else Absent("the run does not state its stripe size")
    )


def _best_striping(runs: RunSet) -> RunFigures | Absent:
    by = best_by_stripes(runs.runs)
    return max(by, key=lambda r: r.rate or 0.0) if len(by) > 1 else ONE_STRIPING


def _enough_striping(runs: RunSet) -> RunFigures | Absent:
    best = _best_striping(runs)
    if isinstance(best, Absent):
        return best
    return next(run for run in best_by_stripes(runs.runs) if AS_FAST * (run.rate or 0.0) >= (best.rate or 0.0))


def _stripes_in_words(run: RunFigures) -> str:
    return "all OSTs" if run.stripes == ALL_OSTS else f"{run.stripes:,}"


@_over_runs(
    "runs.processes",
    "Fewest processes of a run",
    "ranks",
    formula="smallest number of processes of the runs",
    needs="two or more runs, each with its number of processes",
)
def processes(runs: RunSet) -> Outcome:
    known = [r.processes for r in runs.runs if r.processes is not None]
    return Value(min(known)) if known else Absent("no run states its number of processes")


def _same_slowest(runs: RunSet) -> list[SlowestOst] | Absent:
    """Of the runs that compare OSTs, those in which the same one is the slowest: the most that have one in common."""
    found = [r.slowest_ost for r in runs.runs if r.slowest_ost is not None]
    if len(found) < 2:
        return Absent("fewer than two of the runs compare OSTs")
    by_ost: dict[tuple[str, int], list[SlowestOst]] = {}
    for one in found:
        by_ost.setdefault((one.mount, one.ost), []).append(one)
    return max(by_ost.values(), key=lambda ones: (len(ones), min(o.times for o in ones)))


OSTS_OF_RUNS = "two or more Darshan logs whose LUSTRE records list the OSTs of their files"


@_over_runs(
    "runs.same_slowest_ost",
    "OST that is the slowest in most of the runs",
    "1",
    formula="the OST, of one file system, that is ost.slowest in the most runs",
    needs=OSTS_OF_RUNS,
)
def same_slowest_ost(runs: RunSet) -> Outcome:
    found = _same_slowest(runs)
    return found if isinstance(found, Absent) else Value(found[0].ost, "inferred")


@_over_runs(
    "runs.same_slowest_ost_runs",
    "Runs in which the same OST is the slowest",
    "1",
    formula="runs whose ost.slowest is runs.same_slowest_ost",
    needs=OSTS_OF_RUNS,
)
def same_slowest_ost_runs(runs: RunSet) -> Outcome:
    found = _same_slowest(runs)
    return found if isinstance(found, Absent) else Value(len(found), "inferred")


@_over_runs(
    "runs.same_slowest_ost_share",
    "Share of the runs in which the same OST is the slowest",
    "share",
    formula="runs.same_slowest_ost_runs / runs that compare OSTs",
    needs=OSTS_OF_RUNS,
)
def same_slowest_ost_share(runs: RunSet) -> Outcome:
    found = _same_slowest(runs)
    if isinstance(found, Absent):
        return found
    return Value(len(found) / sum(1 for r in runs.runs if r.slowest_ost is not None), "inferred")


@_over_runs(
    "runs.same_slowest_ost_times",
    "Time per byte on the same slowest OST over that on the others, in each run at least",
    "ratio",
    formula="the smallest ost.slowness_for_its_load of the runs whose ost.slowest is runs.same_slowest_ost",
    needs=OSTS_OF_RUNS,
)
def same_slowest_ost_times(runs: RunSet) -> Outcome:
    found = _same_slowest(runs)
    return found if isinstance(found, Absent) else Value(min(o.times for o in found), "inferred")
