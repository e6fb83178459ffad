"""What becomes of MPI-IO's bytes and time below it: read-modify-write, amplification, time lost above the storage."""

from __future__ import annotations

import numpy as np

from iotriage.metrics.core.metric import NO_TIME, Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN, STATS
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import LogRows, Selection
from iotriage.metrics.job.times import slowest_rank_time
from iotriage.metrics.tables import printed_totals as summaries
from iotriage.metrics.tables.counters import counted, is_partial, joined, no_table, quotient
from iotriage.metrics.tables.stats_fields import stats_total
from iotriage_parsers.evidence import CounterTable

SEEN_SHARE = 0.9
"""Below this share of MPI-IO's bytes at the POSIX layer, Darshan did not see the calls and no ratio is formed."""

EXCESS = 1.05
"""POSIX writes more than this many times MPI-IO's bytes before reads on a file that is also read count as RMW."""

Pair = tuple[LogRows, CounterTable, CounterTable]


def file_pairs(s: Selection) -> tuple[Pair, ...] | Absent:
    """The MPI-IO and POSIX tables of the same files, by log; absent where either layer is missing or partial."""
    if not s.tables("MPI-IO"):
        return no_table(s, "MPI-IO")
    if not s.tables("POSIX"):
        return no_table(s, "POSIX")
    found = []
    for rows in s.logs:
        above, below = rows.mpiio_seen_below, rows.posix_below_mpiio
        if above is None or below is None or not len(above):
            continue
        for module in ("MPI-IO", "POSIX"):
            if is_partial(rows, module):
                return Absent(f"the {module} module is partial: figures of two layers must not be compared")
        found.append((rows, above, below))
    return tuple(found) or Absent("no file has both MPI-IO and POSIX records")


def _amplification(s: Selection, counter: str, word: str) -> Outcome:
    pairs = file_pairs(s)
    if isinstance(pairs, Absent):
        return pairs
    asked = sum(counted(a, f"MPIIO_{counter}") for _, a, _ in pairs)
    stored = sum(counted(b, f"POSIX_{counter}") for _, _, b in pairs)
    if not asked:
        return Absent(f"no bytes were {word} through MPI-IO")
    if stored < SEEN_SHARE * asked:
        return Absent(
            f"POSIX shows {stored / asked:.0%} of the bytes that MPI-IO {word}: Darshan did not see all the calls"
        )
    where = joined(
        *(r.where(a, f"MPIIO_{counter}") for r, a, _ in pairs), *(r.where(b, f"POSIX_{counter}") for r, _, b in pairs)
    )
    return Value(stored / asked, where=where)


@metric(
    "mpiio.write_amplification",
    "Bytes stored per byte written",
    "ratio",
    formula="POSIX_BYTES_WRITTEN / MPIIO_BYTES_WRITTEN of the same files",
    needs="a Darshan log whose MPI-IO and POSIX modules are whole",
)
def write_amplification(s: Selection) -> Outcome:
    return _amplification(s, "BYTES_WRITTEN", "written")


@metric(
    "mpiio.read_amplification",
    "Bytes fetched per byte read",
    "ratio",
    formula="POSIX_BYTES_READ / MPIIO_BYTES_READ of the same files",
    needs="a Darshan log whose MPI-IO and POSIX modules are whole",
)
def read_amplification(s: Selection) -> Outcome:
    return _amplification(s, "BYTES_READ", "read")


def _unasked_reads(s: Selection) -> tuple[int, int, tuple[Pair, ...]] | Absent:
    """POSIX reads and bytes that no MPI-IO read asked for, on files that MPI-IO writes."""
    pairs = file_pairs(s)
    if isinstance(pairs, Absent):
        return pairs
    calls = moved = 0
    for _, above, below in pairs:
        written = _by_file(above, "MPIIO_BYTES_WRITTEN")
        asked = _by_file(above, "MPIIO_BYTES_READ")
        stored = _by_file(below, "POSIX_BYTES_WRITTEN")
        fetched = _by_file(below, "POSIX_BYTES_READ")
        reads = _by_file(below, "POSIX_READS")
        for record, bytes_written in written.items():
            if not bytes_written:
                continue
            if asked[record] == 0:
                calls, moved = calls + reads.get(record, 0), moved + fetched.get(record, 0)
            elif stored.get(record, 0) > EXCESS * bytes_written and fetched.get(record, 0) > asked[record]:
                extra = fetched[record] - asked[record]
                calls += round(reads.get(record, 0) * extra / fetched[record])
                moved += extra
    return calls, moved, pairs


def _by_file(table: CounterTable, counter: str) -> dict[int, int]:
    ids, index = np.unique(table.ids, return_inverse=True)
    sums = np.zeros(len(ids), dtype=np.int64)
    np.add.at(sums, index, np.maximum(table.count(counter), 0))
    return dict(zip(ids.tolist(), sums.tolist(), strict=True))


def _inferred(s: Selection, *, of_bytes: bool) -> Outcome:
    found = _unasked_reads(s)
    if isinstance(found, Absent):
        if s.logs and s.tables("MPI-IO"):
            return Absent(found.reason, (STATS,))
        return Absent("no source shows what MPI-IO read before writing", (STATS, DARSHAN)) if not s.logs else found
    calls, moved, pairs = found
    counter = "POSIX_BYTES_READ" if of_bytes else "POSIX_READS"
    where = joined(*(r.where(b, counter) for r, _, b in pairs), *(r.where(a, "MPIIO_BYTES_READ") for r, a, _ in pairs))
    return Value(moved if of_bytes else calls, "inferred", where)


@metric(
    "mpiio.rmw_count",
    "Read-modify-writes",
    "calls",
    formula="`read-modify-write count` of the STATS write blocks; from Darshan (inferred) the POSIX reads on files "
    "that MPI-IO only writes, and those beyond MPI-IO's own reads where POSIX also writes more than MPI-IO",
    needs="MPICH_MPIIO_STATS, or a Darshan log whose MPI-IO and POSIX modules are whole",
)
def rmw_count(s: Selection) -> Outcome:
    measured = stats_total(s.writes, "rmw count", lambda b: b.rmw_count, "write")
    return measured if isinstance(measured, Value) else _inferred(s, of_bytes=False)


@metric(
    "mpiio.rmw_bytes",
    "Bytes read to be written back",
    "B",
    formula="`read-modify-write bytes` of the STATS write blocks; from Darshan (inferred) the POSIX bytes read that "
    "MPI-IO did not ask for on files it writes; reads beyond the end of a new file return none",
    needs="MPICH_MPIIO_STATS, or a Darshan log whose MPI-IO and POSIX modules are whole",
)
def rmw_bytes(s: Selection) -> Outcome:
    measured = stats_total(s.writes, "rmw bytes", lambda b: b.rmw_bytes, "write")
    return measured if isinstance(measured, Value) else _inferred(s, of_bytes=True)


@metric(
    "mpiio.rmw_byte_fraction",
    "Read-modify-write bytes over bytes written",
    "share",
    formula="mpiio.rmw_bytes / bytes written through MPI-IO (of the STATS blocks, or of Darshan's MPI-IO records)",
    needs="MPICH_MPIIO_STATS, or a Darshan log whose MPI-IO and POSIX modules are whole",
)
def rmw_byte_fraction(s: Selection) -> Outcome:
    measured = stats_total(s.writes, "rmw bytes", lambda b: b.rmw_bytes, "write")
    if isinstance(measured, Value):
        written = stats_total(s.writes, "total bytes", lambda b: b.total_bytes, "write")
        return quotient(measured, written, zero="no bytes were written")
    return quotient(_inferred(s, of_bytes=True), _written(s), zero="no bytes were written through MPI-IO")


def _written(s: Selection) -> Outcome:
    pairs = file_pairs(s)
    if isinstance(pairs, Absent):
        return pairs
    return Value(
        sum(counted(a, "MPIIO_BYTES_WRITTEN") for _, a, _ in pairs),
        where=joined(*(r.where(a, "MPIIO_BYTES_WRITTEN") for r, a, _ in pairs)),
    )


@metric(
    "mpiio.time",
    "MPI-IO time of the slowest rank",
    "s",
    formula="agg_time_by_slowest of the MPI-IO records",
    needs="a Darshan log with MPI-IO records",
)
def mpiio_time(s: Selection) -> Outcome:
    return _layer_time(s, "MPI-IO")


@metric(
    "posix.time",
    "POSIX time of the slowest rank",
    "s",
    formula="agg_time_by_slowest of the POSIX records",
    needs="a Darshan log with POSIX records",
)
def posix_time(s: Selection) -> Outcome:
    return _layer_time(s, "POSIX")


def _layer_time(s: Selection, module: str) -> Outcome:
    tables = s.tables(module)
    if not tables:
        return summaries.layer_time(s, module) or no_table(s, module)
    prefix = "MPIIO" if module == "MPI-IO" else module
    where = joined(*(rows.where(t, f"{prefix}_F_SLOWEST_RANK_TIME") for rows, t in tables))
    partial = any(is_partial(rows, module) for rows, _ in tables)
    return Value(sum(slowest_rank_time((t,)) for _, t in tables), where=where, bound="lower" if partial else None)


def _times(s: Selection) -> tuple[float, float, tuple[Pair, ...]] | Absent:
    pairs = file_pairs(s)
    if isinstance(pairs, Absent):
        return pairs
    if any(counted(a, "MPIIO_NB_READS", "MPIIO_NB_WRITES") for _, a, _ in pairs):
        return Absent("nonblocking calls: MPI-IO's timers cover their posting only")
    above = sum(slowest_rank_time((a,)) for _, a, _ in pairs)
    return above, sum(slowest_rank_time((b,)) for _, _, b in pairs), pairs


@metric(
    "mpiio.to_posix_time",
    "MPI-IO time over POSIX time",
    "ratio",
    formula="agg_time_by_slowest of MPI-IO / of POSIX, same files",
    needs="a Darshan log whose MPI-IO and POSIX modules are whole, without nonblocking calls",
)
def to_posix_time(s: Selection) -> Outcome:
    times = _times(s)
    if isinstance(times, Absent):
        return times
    above, below, pairs = times
    if below < NO_TIME:
        return Absent("the POSIX timers show no time")
    where = joined(*(r.where(a, "MPIIO_F_SLOWEST_RANK_TIME") for r, a, _ in pairs))
    return Value(above / below, where=where)


@metric(
    "mpiio.time_excess",
    "MPI-IO time not spent in the file system",
    "s",
    formula="agg_time_by_slowest of MPI-IO − of POSIX, same files, at least 0",
    needs="a Darshan log whose MPI-IO and POSIX modules are whole, without nonblocking calls",
)
def time_excess(s: Selection) -> Outcome:
    times = _times(s)
    if isinstance(times, Absent):
        return times
    above, below, pairs = times
    where = joined(*(r.where(a, "MPIIO_F_SLOWEST_RANK_TIME") for r, a, _ in pairs))
    return Value(max(0.0, above - below), "inferred", where)
