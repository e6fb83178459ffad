"""How many bytes moved, and how fast."""

from __future__ import annotations

from typing import Final, Literal

from iotriage.metrics.core.metric import NO_TIME, Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.prefix import PREFIX
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.job.times import slowest_rank_time
from iotriage.metrics.tables import printed_totals as summaries
from iotriage.metrics.tables.counters import counted, is_partial, joined, no_table, plus
from iotriage.metrics.tables.profiled import profiled_bytes
from iotriage.metrics.tables.stats_fields import stats_total
from iotriage_parsers.evidence import CounterTable

READ: Final = "BYTES_READ"
WRITTEN: Final = "BYTES_WRITTEN"


def _highest(s: Selection, counter: Literal["BYTES_READ", "BYTES_WRITTEN"]) -> Outcome:
    if s.logs:
        tables = [(rows, t) for rows in s.logs for t in rows.highest if len(t)]
        known = [v for _, t in tables if (v := t.total(f"{PREFIX[t.module]}_{counter}")) is not None]
        if tables and not known:
            return Absent(f"{counter} is not available in any record of this log")
        where = joined(*(rows.where(t, f"{PREFIX[t.module]}_{counter}") for rows, t in tables))
        if not tables and (unread := _unread(s)) is not None:
            return unread
        lower = any(is_partial(rows, module) for rows in s.logs for module in PREFIX) or _unread(s) is not None
        return Value(sum(known), where=where, bound="lower" if lower else None)
    elsewhere = summaries.highest_bytes(s, counter)
    if elsewhere is not None:
        return elsewhere
    blocks, word = (s.writes, "write") if counter == WRITTEN else (s.reads, "read")
    of_stats = stats_total(blocks, "total bytes", lambda b: b.total_bytes, word)
    of_profile = profiled_bytes(s, "write" if counter == WRITTEN else "read")
    return of_stats if of_profile is None else plus(of_profile, of_stats)


def _unread(s: Selection) -> Absent | None:
    """That a module which may hold bytes could not be read."""
    for rows in s.logs:
        for module in PREFIX:
            info = rows.log.module(module)
            if info is not None and info.status in ("damaged", "unsupported"):
                return Absent(f"the {module} module of the log could not be read: {info.reason or info.status}")
    return None


@metric(
    "io.bytes_read",
    "Bytes read",
    "B",
    formula="BYTES_READ of MPI-IO records, of POSIX records of files without one, of STDIO records, and of DFS and "
    "DAOS records of files that no layer above them has; of darshan-parser's totals MPI-IO, POSIX beyond it, and "
    "STDIO; else total bytes of the STATS read blocks, and of CrayPAT's files that have none",
    needs="a Darshan log, MPICH_MPIIO_STATS or a CrayPAT report",
)
def bytes_read(s: Selection) -> Outcome:
    return _highest(s, READ)


@metric(
    "io.bytes_written",
    "Bytes written",
    "B",
    formula="BYTES_WRITTEN at the highest layer that saw each file, each byte once; "
    "without Darshan, total bytes of the STATS write blocks, and of CrayPAT's files that have none",
    needs="a Darshan log, MPICH_MPIIO_STATS or a CrayPAT report",
)
def bytes_written(s: Selection) -> Outcome:
    return _highest(s, WRITTEN)


@metric(
    "io.bytes",
    "Bytes read and written",
    "B",
    formula="io.bytes_read + io.bytes_written; else total_bytes of darshan-parser --perf",
    needs="a Darshan log, MPICH_MPIIO_STATS or a CrayPAT report",
)
def bytes_moved(s: Selection) -> Outcome:
    both = plus(bytes_written(s), bytes_read(s))
    return both if isinstance(both, Value) else summaries.bytes_by_perf(s) or both


def _bandwidth(s: Selection, module: str, *counters: str) -> Outcome:
    tables = s.tables(module)
    if not tables:
        return summaries.bandwidth(s, module) or no_table(s, module)
    prefix = PREFIX[module]
    moved = sum(counted(t, *(f"{prefix}_{c}" for c in counters)) for _, t in tables)
    time = sum(slowest_rank_time((t,)) for _, t in tables)
    if moved == 0:
        return Absent(f"no bytes moved at the {module} layer")
    if time < NO_TIME:
        return Absent(f"the {module} timers show no time for the bytes moved")
    where = joined(*(rows.where(t, f"{prefix}_F_SLOWEST_RANK_TIME") for rows, t in tables))
    partial = any(is_partial(rows, module) for rows, _ in tables)
    return Value(moved / time, "inferred" if partial else "measured", where)


def _declare_bandwidth(module: str, name: str) -> None:
    @metric(
        f"{name}.bandwidth",
        f"{module} bandwidth",
        "B/s",
        formula=f"bytes moved over agg_time_by_slowest of the {module} records (Darshan's agg_perf_by_slowest)",
        needs=f"a Darshan log with {module} records",
    )
    def bandwidth(s: Selection) -> Outcome:
        return _bandwidth(s, module, READ, WRITTEN)


for _module, _name in (("POSIX", "posix"), ("MPI-IO", "mpiio"), ("STDIO", "stdio"), ("DFS", "dfs")):
    _declare_bandwidth(_module, _name)


def leading_module(s: Selection) -> str | None:
    """The layer that carries most bytes, files under MPI-IO counted there; None where no Darshan log or totals of one
    show any."""
    if not s.logs:
        return summaries.leading_layer(s)
    carried: dict[str, int] = {}
    for rows in s.logs:
        for table in rows.highest:
            prefix = PREFIX[table.module]
            carried[table.module] = carried.get(table.module, 0) + counted(
                table, f"{prefix}_{READ}", f"{prefix}_{WRITTEN}"
            )
    return max(carried, key=lambda m: carried[m], default=None) if any(carried.values()) else None


@metric(
    "io.bandwidth",
    "Bandwidth",
    "B/s",
    formula="agg_perf_by_slowest of the layer that carries most bytes",
    needs="a Darshan log",
)
def io_bandwidth(s: Selection) -> Outcome:
    return _of_leading(s, READ, WRITTEN)


def _of_leading(s: Selection, *counters: str) -> Outcome:
    if not s.logs and not summaries.totals_of(s):
        return Absent("no source states how long the I/O took", (DARSHAN,))
    module = leading_module(s)
    return Absent("no bytes were moved") if module is None else _bandwidth(s, module, *counters)


def _one_way(s: Selection, counter: str, time: str) -> Outcome:
    if not s.logs:
        of_totals = summaries.one_way_bandwidth(s, "read" if counter == READ else "write")
        return of_totals or Absent("no source states how long the I/O took", (DARSHAN,))
    module = leading_module(s)
    if module is None:
        return Absent("no bytes were moved")
    prefix, tables = PREFIX[module], s.tables(module)
    moved = sum(counted(t, f"{prefix}_{counter}") for _, t in tables)
    if moved == 0:
        return Absent(f"no bytes of this direction at the {module} layer")
    share = _time_share(tables, prefix, time)
    spent = sum(slowest_rank_time((t,)) for _, t in tables) * share
    if spent < NO_TIME:
        return Absent(f"the {module} timers show no time for the bytes moved")
    where = joined(*(rows.where(t, f"{prefix}_F_{time}") for rows, t in tables))
    return Value(moved / spent, "inferred", where)


def _time_share(tables: tuple[tuple[object, CounterTable], ...], prefix: str, time: str) -> float:
    """Share of all read, write and metadata seconds that went into `time`, metadata split by what it served."""
    sums = dict.fromkeys(("READ_TIME", "WRITE_TIME"), 0.0)
    for _, table in tables:
        for name in sums:
            column = table.seconds(f"{prefix}_F_{name}")
            sums[name] += float(column[column > 0].sum())
    both = sum(sums.values())
    return sums[time] / both if both >= NO_TIME else 0.0


@metric(
    "io.read_bandwidth",
    "Read bandwidth",
    "B/s",
    formula="bytes read over the slowest rank's time at the leading layer, times reading's share",
    needs="a Darshan log",
)
def read_bandwidth(s: Selection) -> Outcome:
    return _one_way(s, READ, "READ_TIME")


@metric(
    "io.write_bandwidth",
    "Write bandwidth",
    "B/s",
    formula="bytes written over the slowest rank's time at the leading layer, times writing's share",
    needs="a Darshan log",
)
def write_bandwidth(s: Selection) -> Outcome:
    return _one_way(s, WRITTEN, "WRITE_TIME")
