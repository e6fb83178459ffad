"""The bytes that independent calls carried, between two bounds: neither Darshan nor the library counts them."""

from __future__ import annotations

from iotriage.metrics.core.about import About
from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.outcomes import joined, plus
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.calls.size_bins import DIRECTIONS, bins_of_module, independent_bytes
from iotriage.metrics.tables.counters import no_records_of, no_table, not_recorded, sum_counters
from iotriage.metrics.tables.texts.printed_totals import totals_of


@metric(
    "mpiio.independent_bytes_lower_fraction",
    "Share of the bytes that independent calls must have carried",
    "share",
    about=About(time=False),
    formula="a lower bound: the collective calls of each record are given its largest accesses, "
    "sized by the bins of MPIIO_SIZE_*_AGG_*",
    needs="a Darshan log with MPI-IO records (Darshan counts calls by class, never bytes)",
    unless=no_records_of("MPI-IO"),
)
def independent_bytes_lower_fraction(s: Selection) -> Outcome:
    return _independent_bytes(s, upper=False)


@metric(
    "mpiio.independent_bytes_upper_fraction",
    "Share of the bytes that independent calls can have carried",
    "share",
    about=About(time=False),
    formula="an upper bound: the independent calls of each record are given its largest accesses, "
    "sized by the bins of MPIIO_SIZE_*_AGG_*",
    needs="a Darshan log with MPI-IO records (Darshan counts calls by class, never bytes)",
    unless=no_records_of("MPI-IO"),
)
def independent_bytes_upper_fraction(s: Selection) -> Outcome:
    return _independent_bytes(s, upper=True)


def _independent_bytes(s: Selection, *, upper: bool) -> Outcome:
    tables = s.tables("MPI-IO")
    if not tables:
        return _independent_bytes_of_counts(s) if s.stats or totals_of(s) else no_table(s, "MPI-IO")
    if (why := not_recorded(tables, "MPIIO_INDEP_WRITES", "MPIIO_INDEP_READS")) is not None:
        return why
    all_bytes = sum(sum_counters(t, "MPIIO_BYTES_WRITTEN", "MPIIO_BYTES_READ") for _, t in tables)
    if not all_bytes:
        return Absent("no bytes moved at the MPI-IO layer")
    carried = sum(float(independent_bytes(t, d, upper=upper).sum()) for _, t in tables for d in DIRECTIONS)
    where = tuple(
        w for rows, t in tables for w in rows.where(t, "MPIIO_INDEP_WRITES", "MPIIO_INDEP_READS", *_first_bins())
    )
    return Value(carried / all_bytes, "inferred", where)


def _independent_bytes_of_counts(s: Selection) -> Outcome:
    """All or none where calls of one kind only are counted; neither STATS nor Darshan's totals split the bytes of mixed
    calls."""
    alone = plus(outcome(s, "mpiio.independent_writes"), outcome(s, "mpiio.independent_reads"))
    together = plus(outcome(s, "mpiio.collective_writes"), outcome(s, "mpiio.collective_reads"))
    if isinstance(alone, Absent) or isinstance(together, Absent):
        return alone if isinstance(alone, Absent) else together
    if alone.value and together.value:
        return Absent("independent and collective calls are counted, not their bytes", (DARSHAN,))
    if not alone.value and not together.value:
        return Absent("no blocking MPI-IO calls were made")
    return Value(1.0 if alone.value else 0.0, where=joined(alone.where, together.where))


def _first_bins() -> tuple[str, ...]:
    return (bins_of_module("MPI-IO")["write"][0], bins_of_module("MPI-IO")["read"][0])
