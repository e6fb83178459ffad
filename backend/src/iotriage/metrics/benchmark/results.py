"""What an I/O benchmark measured: what the file system gave to that run. No diagnosis of a program is made from it."""

from __future__ import annotations

from typing import Literal

from iotriage.metrics.core.about import About
from iotriage.metrics.core.metric import Absent, Outcome, Value, Where
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.core.text_statements import places_of
from iotriage_parsers.evidence import BenchmarkRun


def _best(s: Selection, operation: Literal["write", "read"]) -> Outcome:
    best: Value | None = None
    highest = 0.0
    runs = s.of(BenchmarkRun)
    for source, run in runs:
        for result in run.of(operation):
            rate = result.best_bytes_per_s
            if rate is not None and rate > highest:
                highest, best = (
                    rate,
                    Value(rate, where=places_of(source, _line(run, operation, rate, result.line), run.lines)),
                )
    if best is not None:
        return best
    return Absent(f"the benchmark shows no {operation} bandwidth" if runs else "no benchmark was given")


def _line(run: BenchmarkRun, operation: Literal["write", "read"], rate: float, summary: int | None) -> int | None:
    """Where the figure stands: in the summary of the repetitions, else in the row of the best."""
    rows = (i for result in run.of(operation) for i in result.iterations)
    return summary or next((i.line for i in rows if i.bytes_per_s == rate), None)


@metric(
    "benchmark.write_bandwidth",
    "Write bandwidth of the benchmark",
    "B/s",
    about=About(direction="write"),
    formula="highest write bandwidth of the results of IOR or benchio, all ranks together",
    needs="the output of IOR or benchio",
    scopes=["job"],
)
def write_bandwidth(s: Selection) -> Outcome:
    return _best(s, "write")


@metric(
    "benchmark.read_bandwidth",
    "Read bandwidth of the benchmark",
    "B/s",
    about=About(direction="read"),
    formula="highest read bandwidth of the results of IOR or benchio, all ranks together",
    needs="the output of IOR or benchio",
    scopes=["job"],
)
def read_bandwidth(s: Selection) -> Outcome:
    return _best(s, "read")


@metric(
    "benchmark.nprocs",
    "Ranks of the benchmark",
    "ranks",
    formula="the most ranks of the runs of IOR or benchio",
    needs="the output of IOR or benchio",
    scopes=["job"],
)
def nprocs(s: Selection) -> Outcome:
    known = [(n, Where(source, run.lines)) for source, run in s.of(BenchmarkRun) if (n := run.nprocs) is not None]
    if not known:
        return Absent("no benchmark that states its ranks was given")
    most, where = max(known, key=lambda found: found[0])
    return Value(most, where=(where,))
