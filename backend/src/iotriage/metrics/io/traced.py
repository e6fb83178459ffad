"""Whether the evidence has the job's calls themselves, one by one, and how much of the I/O these are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from iotriage.metrics.core.about import About
from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.tables.calls.size_bins import DIRECTIONS, small_and_all
from iotriage.metrics.tables.counters import is_partial
from iotriage_parsers.evidence import CounterTable, DxtTrace
from iotriage_parsers.evidence.dxt import DxtLayer
from iotriage_parsers.frozen import frozen

WHOLE = 0.9
"""Of the calls and of the bytes, from which a trace shows what the job did. Ours: Darshan traces all of them, unless
triggers, names or ranks left out, or its memory keep some back."""

Layer = Literal["POSIX", "MPI-IO"]

_TRACES: dict[Layer, DxtLayer] = {"POSIX": "POSIX", "MPI-IO": "MPIIO"}


@frozen
class TracedLeast:
    """The layer of which the traces have the smallest `fraction` of calls or bytes; `partial` where counters are
    missing, too."""

    layer: Layer
    fraction: float
    partial: bool


@cached_per_selection
def traced_least(s: Selection) -> TracedLeast | Absent:
    """Of the layers that were counted. Calls of POSIX below MPI-IO are left out where no call of POSIX is traced:
    those above them tell of these files."""
    traces = [trace for _, trace in s.of(DxtTrace) if len(trace)]
    if not traces:
        return Absent("no calls are traced") if s.logs else Absent("no Darshan log was given", (DARSHAN,))
    found = [one for layer in _TRACES for one in _of_layer(s, layer, traces)]
    if not found:
        return Absent("no counters tell how many calls there were")
    return min(found, key=lambda one: one.fraction)


def _of_layer(s: Selection, layer: Layer, traces: Sequence[DxtTrace]) -> Iterator[TracedLeast]:
    prefix = _TRACES[layer]
    mine = [trace for trace in traces if trace.layer == prefix]
    alone = layer == "POSIX" and not mine
    of_logs = [rows for rows in s.logs if layer not in rows.traced]
    tables = [t for rows in of_logs if (t := rows.posix_alone if alone else rows.table(layer)) is not None and len(t)]
    calls = sum(small_and_all(table, way)[1] for table in tables for way in DIRECTIONS)
    if not calls:
        return
    moved = sum(_bytes(table, prefix) for table in tables)
    had, carried = sum(map(len, mine)), sum(int(trace.segments["length"].clip(min=0).sum()) for trace in mine)
    fraction = min(1.0, had / calls, carried / moved if moved else 1.0)
    yield TracedLeast(layer, fraction, any(is_partial(rows, layer) for rows in of_logs))


def _bytes(table: CounterTable, prefix: DxtLayer) -> int:
    return sum(table.total(f"{prefix}_BYTES_{way}") or 0 for way in ("READ", "WRITTEN"))


@metric(
    "io.traced",
    "Whether calls are traced",
    "word",
    formula=f"yes where DXT has {WHOLE:.0%} of the calls and bytes that POSIX and MPI-IO count, in part where it has "
    "fewer, else no",
    needs="a Darshan log",
    scopes=["job"],
)
def traced(s: Selection) -> Outcome:
    traces = [trace for _, trace in s.of(DxtTrace) if len(trace)]
    if not traces:
        return Value("no") if s.logs else Absent("no Darshan log was given", (DARSHAN,))
    least = traced_least(s)
    if isinstance(least, Absent):
        return Value("in part" if any(trace.partial for trace in traces) else "yes")
    return Value("yes" if least.fraction >= WHOLE else "in part", "inferred" if least.partial else "measured")


@metric(
    "io.traced_fraction",
    "Share of the I/O whose calls are traced",
    "share",
    about=About(time=False),
    formula="segments of DXT / reads and writes that the counters have, or their bytes, of POSIX or MPI-IO: the least",
    needs="a Darshan log with DXT, and counters",
    scopes=["job"],
    of=traced_least,
)
def traced_fraction(least: TracedLeast) -> Outcome:
    return Value(least.fraction, "inferred" if least.partial else "measured")


@metric(
    "io.traced_least",
    "Layer of which the least is traced",
    "word",
    formula="POSIX or MPI-IO, by io.traced_fraction",
    needs="a Darshan log with DXT, and counters",
    scopes=["job"],
    of=traced_least,
)
def io_traced_least(least: TracedLeast) -> Outcome:
    return Value(least.layer, "inferred" if least.partial else "measured")
