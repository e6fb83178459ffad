"""The shape of the accesses: how small, how aligned, in which order; opens, stats and their time."""

from __future__ import annotations

from typing import Literal

from iotriage.metrics.core.metric import NO_TIME, Absent, Outcome, Value
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.counters import (
    counted,
    has_times,
    is_partial,
    no_table,
    not_available,
    quotient,
    seconds,
    total,
)
from iotriage.metrics.tables.printed_totals import small_accesses as small_accesses_of_totals
from iotriage.metrics.tables.printed_totals import totals_of
from iotriage.metrics.tables.size_bins import MPIIO_BINS, POSIX_BINS, small_and_all

Direction = Literal["read", "write"]
DIRECTIONS: tuple[Direction, ...] = ("read", "write")


def _small(s: Selection, module: str, direction: Direction) -> Outcome:
    tables = s.tables(module)
    if not tables:
        return _small_of_totals(s, module, direction)
    pairs = [small_and_all(t, direction) for _, t in tables]
    small, every = sum(a for a, _ in pairs), sum(b for _, b in pairs)
    if not every:
        return Absent(f"no {module} {direction}s")
    bins = MPIIO_BINS if module == "MPI-IO" else POSIX_BINS
    where = tuple(w for rows, t in tables for w in rows.where(t, *bins[direction].names[:5]))
    partial = any(is_partial(rows, module) for rows, _ in tables)
    return Value(small / every, "inferred" if partial else "measured", where)


def _small_of_totals(s: Selection, module: str, direction: Direction) -> Outcome:
    found = small_accesses_of_totals(s, module, direction)
    if found is None:
        return no_table(s, module)
    if not found.every:
        return Absent(f"no {module} {direction}s")
    return Value(found.small / found.every, "measured" if found.exact else "inferred", found.where)


def _declare(name: str, module: str, direction: Direction) -> None:
    prefix = "MPIIO_SIZE_%s_AGG" if module == "MPI-IO" else "POSIX_SIZE_%s"

    @metric(
        f"{name}.small_{direction}_fraction",
        f"{module} {direction}s below 1 MiB",
        "share",
        formula=f"accesses in the first five bins of {prefix % direction.upper()}, those of exactly 1 MiB "
        "(ACCESS1-4) taken out, over all accesses, by count",
        needs=f"a Darshan log with {module} records",
    )
    def small(s: Selection) -> Outcome:
        return _small(s, module, direction)


for _name, _module in (("posix", "POSIX"), ("mpiio", "MPI-IO")):
    _declare(_name, _module, "read")
    _declare(_name, _module, "write")


@metric(
    "posix.small_accesses",
    "POSIX accesses below 1 MiB",
    "calls",
    formula="reads and writes in the first five bins of POSIX_SIZE_*, those of exactly 1 MiB taken out",
    needs="a Darshan log with POSIX records",
)
def small_accesses(s: Selection) -> Outcome:
    return _small_count(s, "POSIX")


@metric(
    "mpiio.small_accesses",
    "MPI-IO accesses below 1 MiB",
    "calls",
    formula="reads and writes in the first five bins of MPIIO_SIZE_*_AGG, those of exactly 1 MiB taken out",
    needs="a Darshan log with MPI-IO records",
)
def small_mpiio_accesses(s: Selection) -> Outcome:
    return _small_count(s, "MPI-IO")


def _small_count(s: Selection, module: str) -> Outcome:
    tables = s.tables(module)
    if not tables:
        of_totals = [t for w in DIRECTIONS if (t := small_accesses_of_totals(s, module, w)) is not None]
        if not of_totals:
            return no_table(s, module)
        sure = all(t.exact for t in of_totals)
        where = tuple(w for t in of_totals for w in t.where)
        return Value(sum(t.small for t in of_totals), "measured" if sure else "inferred", where)
    bins = MPIIO_BINS if module == "MPI-IO" else POSIX_BINS
    found = sum(small_and_all(t, w)[0] for _, t in tables for w in ("read", "write"))
    where = tuple(w for rows, t in tables for d in ("read", "write") for w in rows.where(t, *bins[d].names[:5]))
    return Value(found, where=where, bound="lower" if any(is_partial(r, module) for r, _ in tables) else None)


@metric(
    "posix.average_write_size",
    "Average POSIX write",
    "B",
    formula="POSIX_BYTES_WRITTEN / POSIX_WRITES",
    needs="a Darshan log with POSIX records",
)
def average_write(s: Selection) -> Outcome:
    return quotient(total(s, "POSIX", "POSIX_BYTES_WRITTEN"), total(s, "POSIX", "POSIX_WRITES"), zero="no POSIX writes")


@metric(
    "posix.average_read_size",
    "Average POSIX read",
    "B",
    formula="POSIX_BYTES_READ / POSIX_READS",
    needs="a Darshan log with POSIX records",
)
def average_read(s: Selection) -> Outcome:
    return quotient(total(s, "POSIX", "POSIX_BYTES_READ"), total(s, "POSIX", "POSIX_READS"), zero="no POSIX reads")


@metric(
    "posix.misaligned_fraction",
    "POSIX accesses not aligned in the file",
    "share",
    formula="POSIX_FILE_NOT_ALIGNED / (POSIX_READS + POSIX_WRITES); the alignment is Darshan's POSIX_FILE_ALIGNMENT",
    needs="a Darshan log with POSIX records",
)
def misaligned(s: Selection) -> Outcome:
    return quotient(
        total(s, "POSIX", "POSIX_FILE_NOT_ALIGNED"),
        total(s, "POSIX", "POSIX_READS", "POSIX_WRITES"),
        zero="no POSIX reads or writes",
    )


def _random(s: Selection, direction: Direction) -> Outcome:
    way = f"{direction.upper()}S"
    tables = s.tables("POSIX")
    if not tables:
        of_totals = total(s, "POSIX", f"POSIX_SEQ_{way}"), total(s, "POSIX", f"POSIX_{way}")
        return _rest(*of_totals, zero=f"no POSIX {direction}s")
    made = sum(counted(t, f"POSIX_{way}") for _, t in tables)
    if not made:
        return Absent(f"no POSIX {direction}s")
    in_order = sum(counted(t, f"POSIX_SEQ_{way}") for _, t in tables)
    where = tuple(w for rows, t in tables for w in rows.where(t, f"POSIX_SEQ_{way}", f"POSIX_{way}"))
    partial = any(is_partial(rows, "POSIX") for rows, _ in tables)
    return Value(max(0, made - in_order) / made, "inferred" if partial else "measured", where)


def _rest(part: Outcome, whole: Outcome, *, zero: str) -> Outcome:
    """1 − part / whole, at least 0."""
    found = quotient(part, whole, zero=zero)
    if isinstance(found, Absent) or isinstance(found.value, str):
        return found
    return Value(max(0.0, 1 - found.value), found.confidence, found.where)


@metric(
    "posix.random_read_fraction",
    "POSIX reads that go back in the file",
    "share",
    formula="(POSIX_READS − POSIX_SEQ_READS) / POSIX_READS; sequential includes consecutive",
    needs="a Darshan log with POSIX records",
)
def random_reads(s: Selection) -> Outcome:
    return _random(s, "read")


@metric(
    "posix.random_write_fraction",
    "POSIX writes that go back in the file",
    "share",
    formula="(POSIX_WRITES − POSIX_SEQ_WRITES) / POSIX_WRITES; sequential includes consecutive",
    needs="a Darshan log with POSIX records",
)
def random_writes(s: Selection) -> Outcome:
    return _random(s, "write")


@metric(
    "posix.metadata_time",
    "Time in POSIX metadata calls, summed over ranks",
    "s",
    formula="POSIX_F_META_TIME summed over the records",
    needs="a Darshan log with POSIX records",
)
def metadata_time(s: Selection) -> Outcome:
    tables = s.tables("POSIX")
    if not tables:
        return total(s, "POSIX", "POSIX_F_META_TIME")
    if not any(has_times(t, "POSIX_F_META_TIME") for _, t in tables):
        return not_available(tables, "POSIX_F_META_TIME")
    where = tuple(w for rows, t in tables for w in rows.where(t, "POSIX_F_META_TIME"))
    partial = any(is_partial(rows, "POSIX") for rows, _ in tables)
    found = sum(seconds(t, "POSIX_F_META_TIME") for _, t in tables)
    return Value(found, where=where, bound="lower" if partial else None)


@metric(
    "posix.metadata_time_fraction",
    "Metadata's share of POSIX time",
    "share",
    formula="POSIX_F_META_TIME / (POSIX_F_READ_TIME + POSIX_F_WRITE_TIME + POSIX_F_META_TIME), summed over ranks",
    needs="a Darshan log with POSIX records",
)
def metadata_time_fraction(s: Selection) -> Outcome:
    tables = s.tables("POSIX")
    if not tables:
        every_time = total(s, "POSIX", *(f"POSIX_F_{w}_TIME" for w in ("META", "READ", "WRITE")))
        return quotient(total(s, "POSIX", "POSIX_F_META_TIME"), every_time, zero="the POSIX timers show no time")
    if not any(has_times(t, "POSIX_F_META_TIME") for _, t in tables):
        return not_available(tables, "POSIX_F_META_TIME")
    meta = sum(seconds(t, "POSIX_F_META_TIME") for _, t in tables)
    every = meta + sum(seconds(t, "POSIX_F_READ_TIME", "POSIX_F_WRITE_TIME") for _, t in tables)
    if every < NO_TIME:
        return Absent("the POSIX timers show no time")
    where = tuple(w for rows, t in tables for w in rows.where(t, "POSIX_F_META_TIME"))
    partial = any(is_partial(rows, "POSIX") for rows, _ in tables)
    return Value(meta / every, "inferred" if partial else "measured", where)


def _declare_count(id: str, title: str, *counters: str) -> None:
    @metric(
        id,
        title,
        "calls",
        formula=f"{' + '.join(counters)}, summed over ranks",
        needs="a Darshan log with POSIX records",
    )
    def count(s: Selection) -> Outcome:
        return total(s, "POSIX", *counters)


_declare_count("posix.opens", "POSIX opens", "POSIX_OPENS")
_declare_count("posix.stats", "POSIX stats", "POSIX_STATS")
_declare_count("posix.fsyncs", "POSIX syncs", "POSIX_FSYNCS", "POSIX_FDSYNCS")
_declare_count("posix.reads", "POSIX reads", "POSIX_READS")
_declare_count("posix.writes", "POSIX writes", "POSIX_WRITES")


@metric(
    "stdio.bytes_fraction",
    "Share of the bytes that went through STDIO",
    "share",
    formula="STDIO_BYTES_READ + STDIO_BYTES_WRITTEN over the bytes of all layers, each counted once",
    needs="a Darshan log",
)
def stdio_bytes_fraction(s: Selection) -> Outcome:
    from iotriage.metrics.io.volume import bytes_moved

    every = bytes_moved(s)
    if not s.logs and not totals_of(s):
        return Absent("no Darshan log was given")
    if s.logs and not s.tables("STDIO"):
        return no_table(s, "STDIO")
    return quotient(total(s, "STDIO", "STDIO_BYTES_READ", "STDIO_BYTES_WRITTEN"), every, zero="no bytes were moved")
