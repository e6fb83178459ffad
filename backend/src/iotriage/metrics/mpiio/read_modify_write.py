"""What is read only to be written back."""

from __future__ import annotations

from iotriage.metrics.core.about import About
from iotriage.metrics.core.by_file import sums_by_file
from iotriage.metrics.core.metric import NO_TIME, Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN, STATS
from iotriage.metrics.core.outcomes import joined, quotient
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.tables.counters import no_records_of, sum_counters, sum_timers
from iotriage.metrics.tables.files.pairs import EXCESS, Pair, file_pairs
from iotriage.metrics.tables.texts.stats_fields import stats_total
from iotriage_parsers.evidence.darshan import exact_sum


@cached_per_selection
def _unrequested_reads(s: Selection) -> tuple[int, int, tuple[Pair, ...]] | Absent:
    """POSIX reads and bytes that no MPI-IO read asked for, on files that MPI-IO writes."""
    pairs = file_pairs(s)
    if isinstance(pairs, Absent):
        return pairs
    calls = moved = 0
    for _, above, below in pairs:
        # Both tables are of the same files, and so in the same order.
        written, asked = sums_by_file(above, "MPIIO_BYTES_WRITTEN"), sums_by_file(above, "MPIIO_BYTES_READ")
        stored, fetched = sums_by_file(below, "POSIX_BYTES_WRITTEN"), sums_by_file(below, "POSIX_BYTES_READ")
        reads, writes = sums_by_file(below, "POSIX_READS"), sums_by_file(below, "POSIX_WRITES")
        only_written = (written > 0) & (asked == 0)
        calls += exact_sum(reads[only_written])
        moved += exact_sum(fetched[only_written])
        rewritten = (asked > 0) & (written > 0) & (stored > EXCESS * written) & (fetched > asked)
        columns = (column[rewritten].tolist() for column in (reads, writes, fetched, asked))
        for made, written_back, got, wanted in zip(*columns, strict=True):
            unasked = round(made * (got - wanted) / got)
            # Each is written back: of more reads than writes, the rest fetched holes between pieces that were read.
            of_writes = min(unasked, written_back)
            calls += of_writes
            moved += (got - wanted) * of_writes // unasked if unasked else 0
    return calls, moved, pairs


def _inferred(s: Selection, *, of_bytes: bool) -> Outcome:
    found = _unrequested_reads(s)
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
    about=About(direction="both"),
    formula="`read-modify-write count` of the STATS write blocks; from Darshan (inferred) the POSIX reads on files "
    "that MPI-IO only writes, and those beyond MPI-IO's own reads where POSIX also writes more than MPI-IO, at most as "
    "many as there are writes",
    needs="MPICH_MPIIO_STATS, or a Darshan log whose MPI-IO and POSIX modules are whole",
    unless=no_records_of("MPI-IO"),
)
def rmw_count(s: Selection) -> Outcome:
    measured = stats_total(s.writes, "rmw count", lambda b: b.rmw_count, "write")
    return measured if isinstance(measured, Value) else _inferred(s, of_bytes=False)


@metric(
    "mpiio.rmw_bytes",
    "Bytes read to be written back",
    "B",
    about=About(direction="both"),
    formula="`read-modify-write bytes` of the STATS write blocks; from Darshan (inferred) the POSIX bytes read that "
    "MPI-IO did not ask for on files it writes; reads beyond the end of a new file return none",
    needs="MPICH_MPIIO_STATS, or a Darshan log whose MPI-IO and POSIX modules are whole",
    unless=no_records_of("MPI-IO"),
)
def rmw_bytes(s: Selection) -> Outcome:
    measured = stats_total(s.writes, "rmw bytes", lambda b: b.rmw_bytes, "write")
    return measured if isinstance(measured, Value) else _inferred(s, of_bytes=True)


@metric(
    "mpiio.rmw_bytes_per_byte",
    "Bytes read to be written back for each byte written",
    "ratio",
    about=About(time=False, direction="both"),
    formula="mpiio.rmw_bytes / bytes written through MPI-IO (of the STATS blocks, or of Darshan's MPI-IO records)",
    needs="MPICH_MPIIO_STATS, or a Darshan log whose MPI-IO and POSIX modules are whole",
    unless=no_records_of("MPI-IO"),
)
def rmw_bytes_per_byte(s: Selection) -> Outcome:
    measured = stats_total(s.writes, "rmw bytes", lambda b: b.rmw_bytes, "write")
    if isinstance(measured, Value):
        written = stats_total(s.writes, "total bytes", lambda b: b.total_bytes, "write")
        return quotient(measured, written, zero="no bytes were written")
    return quotient(_inferred(s, of_bytes=True), _written(s), zero="no bytes were written through MPI-IO")


@metric(
    "mpiio.rmw_moved_fraction",
    "Share of the bytes moved for the writes that the program did not write",
    "share",
    about=About(time=False, direction="both"),
    formula="1 - 1 / (mpiio.rmw_bytes_per_byte + mpiio.write_amplification), which is taken as 1 where it is not known",
    needs="MPICH_MPIIO_STATS, or a Darshan log whose MPI-IO and POSIX modules are whole",
)
def rmw_moved_fraction(s: Selection) -> Outcome:
    read, written = outcome(s, "mpiio.rmw_bytes_per_byte"), outcome(s, "mpiio.write_amplification")
    if isinstance(read, Absent) or not isinstance(read.value, int | float):
        return read
    again = written.value if isinstance(written, Value) and isinstance(written.value, int | float) else 1.0
    return Value(1.0 - 1.0 / max(1.0, read.value + again), "inferred", read.where)


def _written(s: Selection) -> Outcome:
    pairs = file_pairs(s)
    if isinstance(pairs, Absent):
        return pairs
    return Value(
        sum(sum_counters(a, "MPIIO_BYTES_WRITTEN") for _, a, _ in pairs),
        where=joined(*(r.where(a, "MPIIO_BYTES_WRITTEN") for r, a, _ in pairs)),
    )


@metric(
    "mpiio.rmw_reads_fraction",
    "Share of the bytes read below MPI-IO that are read to be written back",
    "share",
    about=About(time=False, direction="both"),
    formula="mpiio.rmw_bytes / POSIX_BYTES_READ of the same files, at most 1; 1 where no source counts what was read",
    needs="MPICH_MPIIO_STATS, or a Darshan log whose MPI-IO and POSIX modules are whole",
)
def rmw_reads_fraction(s: Selection) -> Outcome:
    again, pairs = outcome(s, "mpiio.rmw_bytes"), file_pairs(s)
    if isinstance(again, Absent):
        return again
    if isinstance(pairs, Absent):
        return Value(1.0, "inferred", again.where)
    fetched = Value(
        sum(sum_counters(b, "POSIX_BYTES_READ") for _, _, b in pairs),
        where=joined(*(r.where(b, "POSIX_BYTES_READ") for r, _, b in pairs)),
    )
    return quotient(again, fetched, zero="no bytes were read below MPI-IO", at_most=1.0)


@metric(
    "mpiio.rmw_time_fraction",
    "Share of the time below MPI-IO that reads take whose bytes are written back",
    "share",
    about=About(time=True),
    formula="POSIX_F_READ_TIME × mpiio.rmw_reads_fraction / (POSIX_F_READ_TIME + POSIX_F_WRITE_TIME), of the files "
    "that MPI-IO opens, all ranks together",
    needs="a Darshan log whose MPI-IO and POSIX modules are whole",
)
def rmw_time_fraction(s: Selection) -> Outcome:
    again, pairs = outcome(s, "mpiio.rmw_reads_fraction"), file_pairs(s)
    if isinstance(again, Absent):
        return again
    if isinstance(pairs, Absent):
        return pairs
    reads, writes = (sum(sum_timers(b, f"POSIX_F_{way}_TIME") for _, _, b in pairs) for way in ("READ", "WRITE"))
    if reads + writes < NO_TIME:
        return Absent("the timers show no time of reads and writes")
    return Value(float(again.value) * reads / (reads + writes), "inferred", again.where)
