"""What darshan-parser's totals (`--total`, `--perf`, `--file`) give without the records they were made from.

Sums over records are the records' own; what tells ranks or files apart is not in them. They count only where no log
with records was given.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf
from typing import Literal

from iotriage.metrics.core.listing import named_with_verb
from iotriage.metrics.core.metric import NO_TIME, Absent, Confidence, Number, Outcome, Value, Where
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.prefix import PREFIX, TOTALLED
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.tables.calls.size_bins import MIB, UP_TO_1_MIB, bins_of_module
from iotriage.metrics.tables.rank_times import longest_possible, not_plausible
from iotriage_parsers.evidence import DarshanPerf, DarshanSummary, DarshanTotals, Lines, ModuleSummary
from iotriage_parsers.frozen import frozen

NEEDS_RECORDS = Absent("totals only: the records are needed (darshan-parser without --total)", (DARSHAN,))


@frozen
class RunTotals:
    """The texts of one run, each with the index of its source: `--total` and `--perf` may be texts of their own."""

    texts: tuple[tuple[int, DarshanSummary], ...]

    def modules(self) -> frozenset[str]:
        """The modules that the run's log had, or the texts have figures of."""
        named = {m.name for _, text in self.texts for m in text.modules}
        return frozenset(named | {s.module for _, text in self.texts for s in text.summaries if s.module is not None})

    def partial(self, module: str) -> bool:
        return any(m.partial for _, text in self.texts for m in text.modules if m.name == module)

    def totals(self, module: str) -> tuple[int, DarshanTotals] | None:
        found = self._first(module, lambda s: s.totals is not None)
        return None if found is None or found[1].totals is None else (found[0], found[1].totals)

    def perf(self, module: str | None) -> tuple[Where, DarshanPerf] | None:
        found = self._first(module, lambda s: s.perf is not None)
        return None if found is None or found[1].perf is None else (Where(found[0], found[1].lines), found[1].perf)

    def whole_perf(self) -> tuple[Where, DarshanPerf] | None:
        """The performance of all layers together, which Darshan 2.x prints: each file at its highest layer."""
        return self.perf(None)

    def files(self, module: str | None) -> int | None:
        """The number of files of which the module has records."""
        found = self._first(module, lambda s: bool(s.files))
        return None if found is None else next((f.files for f in found[1].files if f.kind == "total"), None)

    def value(self, module: str, counter: str) -> Number:
        """The total of the counter; 0 where it is not there or not available."""
        found = self.totals(module)
        return 0 if found is None else found[1].value(counter) or 0

    def only_below_mpiio(self) -> bool:
        """Whether MPI-IO may have opened every file that POSIX saw: both layers count the same number."""
        above = self.files("MPI-IO")
        return above is not None and above == self.files("POSIX")

    def _first(self, module: str | None, has: Callable[[ModuleSummary], bool]) -> tuple[int, ModuleSummary] | None:
        every = ((i, text.of(module)) for i, text in self.texts)
        return next(((i, s) for i, s in every if s is not None and has(s)), None)


@cached_per_selection
def totals_of(s: Selection) -> tuple[RunTotals, ...]:
    """The runs of which totals were given, of the whole job; empty where there are logs with records."""
    if s.logs or s.scope == "group":
        return ()
    runs: dict[tuple[object, ...], list[tuple[int, DarshanSummary]]] = {}
    for i, text in s.of(DarshanSummary):
        start = None if text.job.start_time is None else int(text.job.start_time)
        runs.setdefault((text.job.job_id, start, text.job.nprocs, text.job.executable), []).append((i, text))
    return tuple(RunTotals(tuple(texts)) for texts in runs.values())


def run_time(run: RunTotals) -> float | None:
    """Seconds of the run, where one of its texts states them."""
    return next((t for _, text in run.texts if (t := text.job.runtime_s) is not None), None)


def run_times(s: Selection) -> tuple[float, ...]:
    """Seconds of each run; empty where one of them does not state its own."""
    known = [run_time(run) for run in totals_of(s.whole)]
    return tuple(t for t in known if t is not None) if None not in known else ()


def without_module(s: Selection, module: str) -> Absent | None:
    """Why totals give no figure of the module; None where there are no totals."""
    runs = totals_of(s.whole)
    if not runs:
        return None
    if not any(module in run.modules() for run in runs):
        return Absent(f"the log has no {module} records, by the text that was made from it")
    return NEEDS_RECORDS


def summed(s: Selection, module: str, *counters: str) -> Outcome | None:
    """The totals of `counters`, added up over the runs; None where no totals were given. A lower bound where the
    module is partial."""
    runs = totals_of(s)
    if not runs:
        return None
    having = [(run, found) for run in runs if (found := run.totals(module)) is not None]
    if not having:
        return _no_totals(runs, module)
    known = [
        (source, c) for _, (source, totals) in having for c in totals.counters
        if c.name in counters and c.value is not None
    ]  # fmt: skip
    if not known:
        return Absent(f"{named_with_verb(counters, 3)} not available in these totals")
    where = tuple(Where(source, Lines(c.line, c.line)) for source, c in known)
    partial = any(run.partial(module) for run, _ in having)
    return Value(sum(c.value or 0 for _, c in known), where=where, bound="lower" if partial else None)


def _no_totals(runs: tuple[RunTotals, ...], module: str) -> Absent:
    if any(module in run.modules() for run in runs):
        return Absent(f"the text has no totals of the {module} module (darshan-parser --total)", (DARSHAN,))
    return Absent(f"the log has no {module} records, by the text that was made from it")


def largest(s: Selection, *counters: str) -> tuple[Number, Where] | None:
    """The largest of counters that Darshan does not add up, and its line; None where none is available."""
    found = [
        (c.value, Where(source, Lines(c.line, c.line)))
        for run in totals_of(s)
        for module in TOTALLED
        if (of_run := run.totals(module)) is not None
        for source, totals in [of_run]
        for c in totals.counters
        if c.name in counters and c.value is not None
    ]
    return max(found, key=lambda f: f[0], default=None)


def agg_time(perf: DarshanPerf) -> float | None:
    """agg_time_by_slowest in seconds; of tools before 3.4, the terms that they print of it."""
    if perf.agg_time_by_slowest_s is not None:
        return perf.agg_time_by_slowest_s
    terms = [t for t in (perf.unique_slowest_s, perf.shared_by_slowest_s) if t is not None]
    return sum(terms) if terms else None


def layer_time(s: Selection, module: str) -> Outcome | None:
    """agg_time_by_slowest of a module, added up over the runs; None where no totals were given."""
    runs = totals_of(s)
    if not runs:
        return None
    known = [
        (where, t)
        for run in runs
        if (found := run.perf(module)) is not None
        for where, perf in [found]
        if (t := agg_time(perf)) is not None
    ]
    if not known:
        return _no_perf(runs, module)
    partial = any(run.partial(module) for run in runs)
    return Value(sum(t for _, t in known), where=tuple(w for w, _ in known), bound="lower" if partial else None)


def _no_perf(runs: tuple[RunTotals, ...], module: str) -> Absent:
    if any(module in run.modules() for run in runs):
        return Absent(f"the text has no performance of the {module} module (darshan-parser --perf)", (DARSHAN,))
    return Absent(f"the log has no {module} records, by the text that was made from it")


def io_time(s: Selection) -> Outcome | None:
    """The layers' agg_time_by_slowest, each file at its highest layer as far as totals tell: MPI-IO or, where it is
    longer and has files of its own, POSIX; plus STDIO. Where records are missing what the mean rank takes, which is
    sure. None where no totals were given."""
    runs = totals_of(s)
    if not runs:
        return None
    times, where, cut = 0.0, [], False
    lost = lacks_records(runs)
    for run, (least, run_s) in zip(runs, least_times(s), strict=True):
        if least > longest_possible(run_s):
            return not_plausible(least, run_s)
        found = _of_layers(run)
        if found is None:
            return Absent("the text has no performance of its modules (darshan-parser --perf)", (DARSHAN,))
        spent, at = found
        # Slowest ranks of several files may differ: what they take together is no lower bound of any.
        cut = cut or lost or (run_s is not None and 0 < run_s < spent)
        times += least if lost else min(spent, run_s or inf)
        where += at
    several = any(run.whole_perf() is None and len(run.modules() & set(TOTALLED)) > 1 for run in runs)
    sure: Confidence = "inferred" if several or cut else "measured"
    short = any(_lacks_times(run) for run in runs)
    return Value(times, sure, tuple(where), "lower" if lost or short else None)


def _lacks_times(run: RunTotals) -> bool:
    """Whether figures of a layer were printed and its performance was not: the text ends before it."""
    printed = {m for m in TOTALLED if run.totals(m) is not None or run.files(m) is not None}
    return run.whole_perf() is None and any(
        (found := run.perf(m)) is None or agg_time(found[1]) is None for m in printed
    )


def _of_layers(run: RunTotals) -> tuple[Number, list[Where]] | None:
    """agg_time_by_slowest of the run's layers, each file at its highest, and where it stands."""
    whole = run.whole_perf()
    spent = None if whole is None else agg_time(whole[1])
    if whole is not None and spent is not None:
        return spent, [whole[0]]
    perfs = {m: found for m in TOTALLED if (found := run.perf(m)) is not None}
    known = {m: time for m, (_, perf) in perfs.items() if (time := agg_time(perf)) is not None}
    return (_at_the_top(run, known), [perfs[m][0] for m in known]) if known else None


def lacks_records(runs: tuple[RunTotals, ...]) -> bool:
    """Whether records are missing that would add to the totals."""
    return any(run.partial(module) for run in runs for module in TOTALLED)


def least_times(s: Selection) -> tuple[tuple[float, float | None], ...]:
    """Of each run the seconds that its slowest rank has spent at least, the mean of all, and those of the run."""

    def mean(run: RunTotals) -> float:
        timers = {m: [f"{PREFIX[m]}_F_{way}_TIME" for way in ("READ", "WRITE", "META")] for m in TOTALLED}
        of_layer = {m: sum(max(0, run.value(m, timer)) for timer in names) for m, names in timers.items()}
        return _at_the_top(run, of_layer) / (s.nprocs or inf)

    return tuple((mean(run), run_time(run)) for run in totals_of(s))


def _at_the_top(run: RunTotals, of_layer: Mapping[str, Number]) -> Number:
    return sum(_apart(run, of_layer).values())


def _apart(run: RunTotals, of_layer: Mapping[str, Number]) -> dict[str, Number]:
    """What each layer has on top of the layers above it: POSIX carries what MPI-IO passes down, and its own; where
    nothing is known of MPI-IO, all of it."""
    above, below = of_layer.get("MPI-IO", 0), of_layer.get("POSIX", 0)
    own = 0 if "MPI-IO" in of_layer and run.only_below_mpiio() else max(0, below - above)
    return {"MPI-IO": above, "POSIX": own, "STDIO": of_layer.get("STDIO", 0)}


def highest_bytes(s: Selection, counter: Literal["BYTES_READ", "BYTES_WRITTEN"]) -> Outcome | None:
    """Bytes by the same reckoning as `io_time`; None where no totals were given."""
    runs = totals_of(s)
    if not runs:
        return None
    every = [summed(s, module, f"{PREFIX[module]}_{counter}") for module in TOTALLED]
    known = [v for v in every if isinstance(v, Value)]
    if not known:
        return next(v for v in every if v is not None)
    if any(_bytes_unknown(run) for run in runs):
        return Absent("Darshan 2.x did not record how many bytes moved at the MPI-IO layer", (DARSHAN,))
    moved = sum(_at_the_top(run, {m: run.value(m, f"{PREFIX[m]}_{counter}") for m in TOTALLED}) for run in runs)
    both = any({"MPI-IO", "POSIX"} <= run.modules() for run in runs)
    where = tuple(w for v in known for w in v.where)
    return Value(moved, "inferred" if both else "measured", where, "lower" if any(v.bound for v in known) else None)


def _bytes_unknown(run: RunTotals) -> bool:
    """Whether MPI-IO was used without its bytes being stated, as in logs of Darshan 2.x."""
    found = run.totals("MPI-IO")
    return found is not None and not any(c.name.startswith("MPIIO_BYTES_") for c in found[1].counters)


def bytes_by_perf(s: Selection) -> Outcome | None:
    """total_bytes of the modules' performance, by the same reckoning; None where none is printed."""
    moved, where = 0, []
    for run in totals_of(s):
        perfs = {m: found for m in TOTALLED if (found := run.perf(m)) is not None}
        known = {m: perf.total_bytes for m, (_, perf) in perfs.items() if perf.total_bytes is not None}
        moved += int(_at_the_top(run, known))
        where += [perfs[m][0] for m in known]
    return Value(moved, "inferred" if len(where) > 1 else "measured", tuple(where)) if where else None


def leading_layer(s: Selection) -> str | None:
    """The layer that carries most bytes, by the totals; None where no totals were given, no byte was moved, or MPI-IO
    was used and its bytes are not known."""
    carried: dict[str, Number] = dict.fromkeys(TOTALLED, 0)
    for run in totals_of(s):
        if _bytes_unknown(run):
            return None
        of_layer = {
            m: run.value(m, f"{PREFIX[m]}_BYTES_READ") + run.value(m, f"{PREFIX[m]}_BYTES_WRITTEN") for m in TOTALLED
        }
        for module, moved in _apart(run, of_layer).items():
            carried[module] += moved
    return max(carried, key=lambda m: carried[m]) if any(carried.values()) else None


def bandwidth(s: Selection, module: str) -> Outcome | None:
    """agg_perf_by_slowest of a module; of several runs all bytes over all their times. None where no totals were
    given."""
    runs = totals_of(s)
    if not runs:
        return None
    perfs = [(run, *found) for run in runs if (found := run.perf(module)) is not None]
    if not perfs:
        return _no_perf(runs, module)
    where = tuple(w for _, w, _ in perfs)
    sure: Confidence = "inferred" if any(run.partial(module) for run, _, _ in perfs) else "measured"
    if len(perfs) == 1:
        rate = perfs[0][2].agg_perf_by_slowest
        return Absent(f"no bytes moved at the {module} layer") if not rate else Value(rate, sure, where)
    moved = sum(perf.total_bytes or 0 for _, _, perf in perfs)
    spent = sum(agg_time(perf) or 0.0 for _, _, perf in perfs)
    if not moved or spent < NO_TIME:
        return Absent(f"the {module} timers show no time for the bytes moved")
    return Value(moved / spent, sure, where)


def one_way_bandwidth(s: Selection, direction: Literal["read", "write"]) -> Outcome | None:
    """Bytes of the leading layer in one direction over its agg_time_by_slowest times the direction's share of its read
    and write seconds, metadata split alike. None where no totals were given."""
    if not totals_of(s):
        return None
    module = leading_layer(s)
    if module is None:
        return Absent("no bytes were moved")
    prefix = PREFIX[module]
    moved = summed(s, module, f"{prefix}_{'BYTES_READ' if direction == 'read' else 'BYTES_WRITTEN'}")
    mine = summed(s, module, f"{prefix}_F_{direction.upper()}_TIME")
    both = summed(s, module, f"{prefix}_F_READ_TIME", f"{prefix}_F_WRITE_TIME")
    spent = layer_time(s, module)
    for found in (moved, mine, both, spent):
        if not isinstance(found, Value):
            return found
    numbers = [float(v.value) for v in (moved, mine, both, spent) if isinstance(v, Value)]
    if not numbers[0]:
        return Absent(f"no bytes of this direction at the {module} layer")
    if numbers[2] < NO_TIME or numbers[3] * numbers[1] < NO_TIME:
        return Absent(f"the {module} timers show no time for the bytes moved")
    where = mine.where if isinstance(mine, Value) else ()
    return Value(numbers[0] / (numbers[3] * numbers[1] / numbers[2]), "inferred", where)


@frozen
class SmallAccesses:
    """Accesses of one direction below 1 MiB, and all of them. `exact` where none lies in the bin that 1 MiB itself is
    in: totals name the four commonest sizes of the whole run only, and both directions together."""

    small: int
    every: int
    exact: bool
    where: tuple[Where, ...]


def small_accesses(s: Selection, module: str, direction: Literal["read", "write"]) -> SmallAccesses | None:
    """The small accesses of all runs; None where there are no totals of the module."""
    table = bins_of_module(module)
    bins, others = table[direction], table["read" if direction == "write" else "write"]
    small = every = 0
    exact, where = True, []
    for run in totals_of(s):
        found = run.totals(module)
        if found is None:
            continue
        counts = [int(run.value(module, name)) for name in bins]
        fifth, other = counts[UP_TO_1_MIB - 1], int(run.value(module, others[UP_TO_1_MIB - 1]))
        of_one_mib = min(fifth, round(_exactly_1_mib(run, module) * fifth / (fifth + other))) if fifth else 0
        small += sum(counts[:UP_TO_1_MIB]) - of_one_mib
        every += sum(counts)
        exact = exact and not fifth
        lines = [c.line for c in found[1].counters if c.name in bins[:UP_TO_1_MIB]]
        where += [Where(found[0], Lines(min(lines), max(lines)))] if lines else []
    return SmallAccesses(small, every, exact, tuple(where)) if where else None


def _exactly_1_mib(run: RunTotals, module: str) -> int:
    prefix = PREFIX[module]
    return sum(
        int(run.value(module, f"{prefix}_ACCESS{i}_COUNT"))
        for i in (1, 2, 3, 4)
        if run.value(module, f"{prefix}_ACCESS{i}_ACCESS") == MIB
    )
