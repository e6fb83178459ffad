"""How fast the bytes moved."""

from __future__ import annotations

from collections.abc import Sequence

from iotriage.metrics.core.about import About
from iotriage.metrics.core.metric import NO_TIME, Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.outcomes import joined, quotient
from iotriage.metrics.core.prefix import PREFIX
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import LogRows, Selection
from iotriage.metrics.tables.bandwidth import (
    READ,
    WRITTEN,
    bandwidth_of,
    impossible,
    layer_bandwidth,
    leading_module,
    only_posted,
)
from iotriage.metrics.tables.calls.size_bins import DIRECTIONS
from iotriage.metrics.tables.counters import sum_counters
from iotriage.metrics.tables.files.by_mount import MANY, memory_is_beside, outside_memory
from iotriage.metrics.tables.rank_times import longest_possible_of_a_rank, rank_bytes, slowest_rank_time_of
from iotriage.metrics.tables.stages import over_stages
from iotriage.metrics.tables.texts import printed_totals
from iotriage.metrics.tables.texts.profiled import timed_rows
from iotriage.metrics.tables.texts.side_by_side import timed_bandwidth
from iotriage_parsers.evidence import (
    BenchmarkRates,
    BenchmarkRun,
    CounterTable,
    CrayPatReport,
    DxtTrace,
    JobContext,
    MpiioTimers,
)
from iotriage_parsers.evidence.mpiio_stats import Direction


@metric(
    "io.bandwidth",
    "Bandwidth",
    "B/s",
    formula="agg_perf_by_slowest of the layer that carries most bytes, by no more seconds than one rank can have spent "
    "(job.io_time); where that layer takes less than half of job.io_time, all bytes over it (inferred); where "
    f"more than {MANY:.0%} of the bytes move in the memory of nodes, but most seconds pass elsewhere, the same of what "
    "moves there; without Darshan (inferred) the bytes of the files that MPICH_MPIIO_TIMERS times over their time in "
    "MPI-IO",
    needs="a Darshan log, or MPICH_MPIIO_TIMERS with MPICH_MPIIO_STATS",
)
def io_bandwidth(s: Selection) -> Outcome:
    return _of_leading(s, READ, WRITTEN)


@metric(
    "io.timed",
    "Whether any source times the I/O",
    "word",
    formula="yes where a Darshan log, its totals or trace, MPICH_MPIIO_TIMERS, CrayPAT, IPM or a benchmark was given, "
    "else no",
    needs="the job's output",
)
def timed(s: Selection) -> Outcome:
    by_ipm = any(context.io_slowest_s is not None for _, context in s.of(JobContext))
    kinds = (MpiioTimers, CrayPatReport, DxtTrace, BenchmarkRun, BenchmarkRates)
    by_text = by_ipm or any(isinstance(part, kinds) for _, part in s.parts)
    told = bool(s.logs) or bool(printed_totals.totals_of(s)) or by_text
    return Value("yes" if told else "no", "inferred")


def _of_leading(s: Selection, *counters: str) -> Outcome:
    if not s.logs and not printed_totals.totals_of(s):
        return _of_timers(s) or Absent("no source states how long the I/O took", (DARSHAN,))
    if stored := _on_storage(s):
        of_most = bandwidth_of(s, *stored[0], *counters)
        return _of_all_stored(s, stored, of_most) or of_most
    module = leading_module(s)
    if module is None:
        return Absent("no bytes were moved")
    found = layer_bandwidth(s, module, *counters)
    return _of_all(s, module, found) or found


Tables = tuple[tuple[LogRows, CounterTable], ...]


def _on_storage(s: Selection) -> tuple[tuple[str, Tables], ...]:
    """Where the memory of nodes has bytes of the job: the layers that carry the others, with their records, most bytes
    first."""
    if s.scope != "job" or not memory_is_beside(s):
        return ()
    found: dict[str, Tables] = {}
    for rows in s.logs:
        for table in rows.highest:
            if len(stored := outside_memory(rows, table)):
                found[table.module] = (*found.get(table.module, ()), (rows, stored))
    return tuple(sorted(found.items(), key=lambda layer: -_moved(layer[1])))


def _moved(tables: Tables) -> float:
    return sum(float(rank_bytes(table).sum()) for _, table in tables)


MOSTLY_BESIDE = 2.0
"""Times the seconds of the layer that carries most bytes, from which those of all I/O are mostly of other layers."""


def _of_all(s: Selection, module: str, of_layer: Outcome) -> Value | None:
    """The rate of all bytes, where most seconds pass in other layers than the one that carries most of them."""
    if s.scope != "job" or not s.logs:
        return None
    time = outcome(s, "job.io_time")
    whole = quotient(outcome(s, "io.bytes"), time, zero="no time in I/O", confidence="inferred")
    rate, spent = _number(of_layer), _number(time)
    if not isinstance(whole, Value) or not rate or not spent:
        return None
    counters = tuple(f"{PREFIX[module]}_{counter}" for counter in (READ, WRITTEN))
    carried = sum(sum_counters(t, *counters) for _, t in s.tables(module))
    return whole if spent > MOSTLY_BESIDE * carried / rate else None


def _of_all_stored(s: Selection, stored: Sequence[tuple[str, Tables]], of_layer: Outcome) -> Value | None:
    """`_of_all` of what is not in the memory of nodes."""
    rate = _number(of_layer)
    if isinstance(of_layer, Absent) or not rate:
        return None
    of_log: dict[int, tuple[LogRows, list[CounterTable]]] = {}
    for rows, table in (one for _, tables in stored for one in tables):
        of_log.setdefault(rows.source, (rows, []))[1].append(table)
    spent = over_stages(s, ((rows, longest_possible_of_a_rank(its, rows.nprocs)) for rows, its in of_log.values()))
    if spent <= MOSTLY_BESIDE * _moved(stored[0][1]) / rate:
        return None
    return Value(sum(_moved(tables) for _, tables in stored) / spent, "inferred", of_layer.where)


def _number(found: Outcome) -> float | None:
    """What is known whole, and not only as a bound."""
    if isinstance(found, Absent) or found.bound is not None or isinstance(found.value, str):
        return None
    return float(found.value)


def _of_timers(s: Selection, direction: Direction | None = None) -> Value | None:
    """None where CrayPAT shows other files beside those that are timed: its seconds are no elapsed time."""
    return None if timed_rows(s, *DIRECTIONS) else timed_bandwidth(s, direction)


def _one_way(s: Selection, way: Direction) -> Outcome:
    if not s.logs:
        of_totals, of_timers = printed_totals.one_way_bandwidth(s, way), _of_timers(s, way)
        return of_totals or of_timers or Absent("no source states how long the I/O took", (DARSHAN,))
    stored = _on_storage(s)
    module, tables = stored[0] if stored else (leading_module(s), ())
    if module is None:
        return Absent("no bytes were moved")
    prefix, tables = PREFIX[module], tables or s.tables(module)
    moved = sum(sum_counters(t, f"{prefix}_{READ if way == 'read' else WRITTEN}") for _, t in tables)
    if moved == 0:
        return Absent(f"no bytes of this direction at the {module} layer")
    spent = over_stages(s, ((rows, slowest_rank_time_of(t, way, rows.nprocs)) for rows, t in tables))
    if spent < NO_TIME:
        return Absent(f"the {module} timers show no time for the bytes moved")
    if (why := impossible(s) or only_posted(s, module, spent)) is not None:
        return why
    where = joined(*(rows.where(t, f"{prefix}_F_{way.upper()}_TIME") for rows, t in tables))
    return Value(moved / spent, "inferred", where)


@metric(
    "io.read_bandwidth",
    "Read bandwidth",
    "B/s",
    about=About(direction="read"),
    formula="bytes read at the leading layer over the seconds of the rank that is the slowest in reading, metadata "
    "split by what each record's calls move",
    needs="a Darshan log",
)
def read_bandwidth(s: Selection) -> Outcome:
    return _one_way(s, "read")


@metric(
    "io.write_bandwidth",
    "Write bandwidth",
    "B/s",
    about=About(direction="write"),
    formula="bytes written at the leading layer over the seconds of the rank that is the slowest in writing, metadata "
    "split by what each record's calls move",
    needs="a Darshan log",
)
def write_bandwidth(s: Selection) -> Outcome:
    return _one_way(s, "write")
