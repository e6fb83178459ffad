"""How many ranks move the bytes of a collective call, and how many should."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from iotriage.metrics.core.metric import Absent, Outcome, Value, Where
from iotriage.metrics.core.missing_evidence import DARSHAN, PLACEMENT, STATS
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import LogRows, Selection, StatsBlock, base_name
from iotriage.metrics.file.striping import reaches, stripe_count
from iotriage.metrics.job.times import nnodes
from iotriage.metrics.tables.counters import no_table, quotient
from iotriage.metrics.tables.layouts import stated_layouts
from iotriage.metrics.tables.profiled import movers
from iotriage.metrics.tables.stats_fields import leading, of_leading, place
from iotriage_parsers.evidence import AggregatorPlacement, AggregatorsActive, Counter, CounterTable, Lines, MpiioHints

MIB = 2**20


@metric(
    "mpiio.aggregators",
    "Aggregators",
    "ranks",
    formula="`aggregators` of the STATS write block with the most bytes; else the ranks of the placement table",
    needs="MPICH_MPIIO_STATS, or MPICH_MPIIO_AGGREGATOR_PLACEMENT_DISPLAY",
)
def aggregators(s: Selection) -> Outcome:
    printed = of_leading(s, "aggregators", lambda b: b.aggregators)
    table = _placement(s)
    if isinstance(printed, Value) or table is None:
        return printed
    return Value(len({a.rank for a in table[1].aggregators}), where=(Where(table[0], table[1].lines),))


def _placement(s: Selection) -> tuple[int, AggregatorPlacement] | None:
    """The placement table of the largest shared file, else the one with the most aggregators; one that was cut off does
    not say how many there are."""
    tables = [(i, t) for i, t in s.of(AggregatorPlacement) if t.complete and t.aggregators]
    file = largest_shared_file(s)
    name = None if file is None else base_name(file.rows.name_of(file.record) or "")
    mine = [(i, t) for i, t in tables if base_name(t.file) == name] or tables
    return max(mine, key=lambda t: len(t[1].aggregators), default=None)


@metric(
    "mpiio.aggregator_nodes",
    "Nodes that hold an aggregator",
    "nodes",
    formula="distinct nodes of the placement table",
    needs="MPICH_MPIIO_AGGREGATOR_PLACEMENT_DISPLAY",
)
def aggregator_nodes(s: Selection) -> Outcome:
    table = _placement(s)
    if table is None:
        return Absent("no source says on which nodes the aggregators are", (PLACEMENT,))
    return Value(len(table[1].nodes), where=(Where(table[0], table[1].lines),))


@metric(
    "mpiio.aggregators_per_stripe",
    "Aggregators per stripe",
    "ratio",
    formula="`aggregators` / `stripe count` of the STATS write block with the most bytes; else the ranks of the "
    "placement table / file.stripe_count",
    needs="MPICH_MPIIO_STATS, or MPICH_MPIIO_AGGREGATOR_PLACEMENT_DISPLAY and the striping of the file",
)
def aggregators_per_stripe(s: Selection) -> Outcome:
    count = of_leading(s, "stripe count", lambda b: b.stripe_count)
    if isinstance(count, Absent) and _placement(s) is not None:
        count = stripe_count(s)
    return quotient(aggregators(s), count, zero="the block prints a stripe count of 0: the file is not on Lustre")


@metric(
    "mpiio.aggregators_per_node",
    "Aggregators per node",
    "ratio",
    formula="mpiio.aggregators / job.nnodes",
    needs="MPICH_MPIIO_STATS or the placement table, and the number of nodes",
)
def aggregators_per_node(s: Selection) -> Outcome:
    return quotient(aggregators(s), nnodes(s), zero="the number of nodes is 0")


@dataclass(frozen=True, eq=False)
class SharedFile:
    """The POSIX records of one file that several ranks opened. `moved` in bytes, read and written."""

    rows: LogRows
    records: CounterTable
    record: int
    moved: int


def largest_shared_file(s: Selection) -> SharedFile | None:
    """The shared file whose POSIX records moved most bytes; of files MPI-IO opened, where there are any."""
    best: SharedFile | None = None
    for rows in s.logs:
        below = rows.posix_below_mpiio
        table = below if below is not None and len(below) else rows.posix
        if table is None or not len(table):
            continue
        moved = np.maximum(table.count("POSIX_BYTES_READ"), 0) + np.maximum(table.count("POSIX_BYTES_WRITTEN"), 0)
        ids, index, records = np.unique(table.ids, return_inverse=True, return_counts=True)
        of_file = np.zeros(len(ids), dtype=np.int64)
        np.add.at(of_file, index, moved)
        shared = records > 1
        shared[index[table.ranks < 0]] = True
        for i in np.flatnonzero(shared & (of_file > 0)).tolist():
            if best is None or of_file[i] > best.moved:
                best = SharedFile(rows, table.rows(table.ids == ids[i]), int(ids[i]), int(of_file[i]))
    return best


def effective_ranks(file: SharedFile) -> Outcome:
    """How many ranks moved the file's bytes. Exact from per-rank records; from a reduced record
    B² / (N·V + B²/N), with B the bytes, N the ranks of the job, V the variance of bytes over the ranks."""
    table = file.records
    moved = np.maximum(table.count("POSIX_BYTES_READ"), 0) + np.maximum(table.count("POSIX_BYTES_WRITTEN"), 0)
    if bool((table.ranks >= 0).all()):
        return Value(
            len(np.unique(table.ranks[moved > 0])),
            where=file.rows.where(table, "POSIX_BYTES_WRITTEN", "POSIX_BYTES_READ", record=file.record),
        )
    n = file.rows.nprocs
    if n is None:
        return Absent("the log does not state the number of ranks")
    reduced = table.ranks < 0
    variance = float(table.seconds("POSIX_F_VARIANCE_RANK_BYTES")[reduced][0])
    ranks = ranks_of_variance(int(moved[reduced][0]), variance, n)
    if ranks is None:
        return Absent("POSIX_F_VARIANCE_RANK_BYTES is not available in this record")
    where = file.rows.where(
        table, "POSIX_F_VARIANCE_RANK_BYTES", "POSIX_BYTES_WRITTEN", "POSIX_BYTES_READ", record=file.record
    )
    return Value(ranks, "inferred", where)


def ranks_of_variance(moved: int, variance: float, nprocs: int) -> float | None:
    """B² / (N·V + B²/N): the count of ranks among which `moved` bytes were shared equally, a lower figure where the
    shares are unequal. `variance` in bytes², over all `nprocs` ranks. None where there is no variance or no bytes.
    """
    if not math.isfinite(variance) or variance < 0 or moved <= 0 or nprocs < 1:
        return None
    b = float(moved)
    return b * b / (nprocs * variance + b * b / nprocs)


@metric(
    "mpiio.effective_aggregators",
    "Ranks that moved the bytes of the largest shared file",
    "ranks",
    formula="B² / (N·V + B²/N) of its POSIX record: B bytes read and written, N ranks, V POSIX_F_VARIANCE_RANK_BYTES; "
    "with one record a rank, and by CrayPAT, the ranks that moved bytes",
    needs="a Darshan log with a shared POSIX record, or a CrayPAT report",
)
def effective_aggregators(s: Selection) -> Outcome:
    if not s.tables("POSIX"):
        return movers(s) or no_table(s, "POSIX")
    file = largest_shared_file(s)
    return Absent("no file was shared by several ranks") if file is None else effective_ranks(file)


@metric(
    "mpiio.expected_aggregators",
    "Ranks that could move the bytes of the largest shared file",
    "ranks",
    formula="min(ranks that opened it, size of the file / stripe size), at least 1; the stripe size is that of the "
    "LUSTRE record, else of STATS, of lfs getstripe, or of the hints as the MPI library displays them; where no source "
    "has it, the alignment that Darshan assumes, and no less than 1 MiB",
    needs="a Darshan log with a shared POSIX record",
)
def expected_aggregators(s: Selection) -> Outcome:
    """The stripe count is no limit here: a file with one stripe has room for more, and the stripes can be had."""
    if not s.tables("POSIX"):
        return no_table(s, "POSIX")
    file = largest_shared_file(s)
    if file is None:
        return Absent("no file was shared by several ranks")
    if file.rows.nprocs is None:
        return Absent("the log does not state the number of ranks")
    size = max(int(file.records.count(f"POSIX_MAX_BYTE_{w}").max()) for w in ("READ", "WRITTEN")) + 1
    stripe, stated_at = _stripe_size(s, file, size)
    reduced = bool((file.records.ranks < 0).any())
    ranks = file.rows.nprocs if reduced else len(np.unique(file.records.ranks))
    where = file.rows.where(file.records, "POSIX_MAX_BYTE_WRITTEN", record=file.record)
    return Value(max(1, min(ranks, math.ceil(size / stripe))), "inferred", (*where, *stated_at))


def _stripe_size(s: Selection, file: SharedFile, size: int) -> tuple[int, tuple[Where, ...]]:
    """Bytes of a stripe of the file, and where that is stated."""
    rows, name = file.rows, file.rows.name_of(file.record)
    layout = next((x for x in rows.lustre if x.record == file.record), None)
    if layout and layout.stripe_size and reaches(layout, size):
        return layout.stripe_size, (
            Where(rows.source, Counter("LUSTRE", "LUSTRE_STRIPE_SIZE", str(file.record), file=name)),
        )
    for stated, where in () if name is None else _stated_stripe_sizes(s, name, size):
        if stated:
            return stated, where
    alignment = int(file.records.count("POSIX_FILE_ALIGNMENT").max())
    return max(alignment, MIB), rows.where(file.records, "POSIX_FILE_ALIGNMENT", record=file.record)


def _stated_stripe_sizes(s: Selection, path: str, size: int) -> Iterator[tuple[int | None, tuple[Where, ...]]]:
    """What texts say of the file, the surest first. Of the lists of hints only Cray MPICH's name their file."""
    name = base_name(path)
    mine = tuple(b for b in s.stats if base_name(b.block.file) == name)
    block = leading(tuple(b for b in mine if b.block.stripe_size_bytes))
    if block is not None:
        yield block.block.stripe_size_bytes, place(block, "stripe size")
    layout = stated_layouts(s).of_file(path, size)
    if layout is not None:
        yield layout.stripe_size_bytes, layout.size_at
    for source, part in s.of(MpiioHints):
        unit = part.hint("striping_unit") if part.file is not None and base_name(part.file) == name else None
        if unit is not None and re.fullmatch(r"[0-9]{1,15}", unit.value):
            yield int(unit.value), (Where(source, Lines(unit.line, unit.line)),)


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
    )
    def active(s: Selection) -> Outcome:
        found = _bins(s)
        if isinstance(found, Absent):
            return found
        counts: list[int] = [getattr(a, name) for _, a in found]
        return Value(sum(counts), where=tuple(w for b, _ in found for w in place(b, "aggregators active")))


for _name, _words in (("one", "one"), ("low", "at most half"), ("high", "more than half"), ("all", "all")):
    _declare_bin(_name, _words)


def utilisation(active: AggregatorsActive) -> tuple[float, float, int]:
    """Bounds of the share of aggregators active, summed over the calls, and the number of calls.

    The bins mean 1/n; 2/n to ⌊n/2⌋/n; (⌊n/2⌋+1)/n to (n−1)/n; 1. For n = 2 and 3 the second holds one value only.
    """
    n, half = active.n, active.n // 2
    low_first, low_last = min(2, half), half
    high_first = min(half + 1, n)
    high_last = max(n - 1, high_first)
    least = (active.one + active.low * low_first + active.high * high_first) / n + active.all
    most = (active.one + active.low * low_last + active.high * high_last) / n + active.all
    return least, most, active.one + active.low + active.high + active.all


def _utilisation(s: Selection, *, most: bool) -> Outcome:
    found = _bins(s)
    if isinstance(found, Absent):
        return found
    bounds = [utilisation(a) for _, a in found]
    calls = sum(c for _, _, c in bounds)
    if not calls:
        return Absent("no collective write calls were counted in the bins")
    where = tuple(w for b, _ in found for w in place(b, "aggregators active"))
    return Value(sum(b[1] if most else b[0] for b in bounds) / calls, "inferred", where)


@metric(
    "mpiio.aggregator_utilisation_low",
    "Aggregators active per collective write, at least",
    "share",
    formula="lower bound of the mean share of aggregators active: the bins mean 1/n, from 2/n, from (⌊n/2⌋+1)/n, and 1",
    needs="MPICH_MPIIO_STATS",
)
def utilisation_low(s: Selection) -> Outcome:
    return _utilisation(s, most=False)


@metric(
    "mpiio.aggregator_utilisation_high",
    "Aggregators active per collective write, at most",
    "share",
    formula="upper bound of the mean share of aggregators active: the bins mean 1/n, to ⌊n/2⌋/n, to (n−1)/n, and 1",
    needs="MPICH_MPIIO_STATS",
)
def utilisation_high(s: Selection) -> Outcome:
    return _utilisation(s, most=True)


@metric(
    "mpiio.bytes_per_collective_call_per_aggregator_stripe",
    "Bytes of a collective write over what one stripe from each aggregator would hold",
    "ratio",
    formula="(total bytes / (collective writes / ranks)) / (aggregators × stripe size) of the STATS write block with "
    "the most bytes; independent writes are counted in",
    needs="MPICH_MPIIO_STATS and the number of ranks",
)
def call_over_aggregator_stripes(s: Selection) -> Outcome:
    block = leading(s.writes)
    if block is None:
        return Absent("no MPICH_MPIIO_STATS write block was given", (STATS,))
    b, ranks = block.block, block.block.ranks_in_communicator or s.nprocs
    if ranks is None:
        return Absent("no source states the number of ranks", (DARSHAN,))
    if not b.collective_accesses or b.total_bytes is None:
        return Absent("the block counts no collective writes")
    if not b.aggregators or not b.stripe_size_bytes:
        return Absent("the block prints no aggregators or no stripe size")
    operations = b.collective_accesses / ranks
    where = tuple(
        w for label in ("total bytes", "collective accesses", "aggregators", "stripe size") for w in place(block, label)
    )
    return Value(b.total_bytes / operations / (b.aggregators * b.stripe_size_bytes), "inferred", where)


@metric(
    "mpiio.independent_writers",
    "Ranks that wrote independently",
    "ranks",
    formula="`independent writers` of the STATS write block with the most bytes",
    needs="MPICH_MPIIO_STATS",
)
def independent_writers(s: Selection) -> Outcome:
    return of_leading(s, "independent accessors", lambda b: b.independent_accessors)
