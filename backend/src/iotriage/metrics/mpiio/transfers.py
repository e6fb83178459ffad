"""The program's own MPI-IO transfers: how much, how fast, and how large beside the stripes that they go to."""

from __future__ import annotations

from iotriage.metrics.core.about import About
from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.outcomes import joined, quotient
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.bandwidth import MOST_OF_ONE_RANK, READ, WRITTEN, layer_bandwidth
from iotriage.metrics.tables.counters import no_records_of, no_table, total
from iotriage.metrics.tables.texts.printed_totals import totals_of


@metric(
    "mpiio.write_over_stripe",
    "Typical MPI-IO write over the stripe size",
    "ratio",
    about=About(time=False, direction="write"),
    formula="mpiio.typical_write_size of Darshan's records / file.stripe_size",
    needs="a Darshan log with MPI-IO records, and the striping of the file",
    unless=no_records_of("MPI-IO"),
)
def write_over_stripe(s: Selection) -> Outcome:
    counted = s.tables("MPI-IO") or totals_of(s)
    typical = outcome(s, "mpiio.typical_write_size") if counted else no_table(s, "MPI-IO")
    return quotient(typical, outcome(s, "file.stripe_size"), zero="the stripe size is 0")


@metric(
    "mpiio.bytes",
    "Bytes moved through MPI-IO",
    "B",
    formula="MPIIO_BYTES_READ + MPIIO_BYTES_WRITTEN; the same bytes may stand at POSIX below",
    needs="a Darshan log with MPI-IO records",
    unless=no_records_of("MPI-IO"),
)
def mpiio_bytes(s: Selection) -> Outcome:
    return total(s, "MPI-IO", "MPIIO_BYTES_READ", "MPIIO_BYTES_WRITTEN")


@metric(
    "mpiio.views",
    "File views set",
    "calls",
    formula="MPIIO_VIEWS; without one, an access is one piece of the file",
    needs="a Darshan log with MPI-IO records",
    unless=no_records_of("MPI-IO"),
)
def views(s: Selection) -> Outcome:
    return total(s, "MPI-IO", "MPIIO_VIEWS")


@metric(
    "mpiio.beyond_whole_stripes",
    "Bytes of the most common access beyond whole stripes",
    "B",
    formula="MPIIO_ACCESS1_ACCESS modulo file.stripe_size, of the record that made most such accesses",
    needs="a Darshan log with MPI-IO records, and the striping of the file",
)
def beyond_whole_stripes(s: Selection) -> Outcome:
    stripe = outcome(s, "file.stripe_size")
    if isinstance(stripe, Absent):
        return stripe
    best: tuple[int, int] | None = None
    for _, table in s.tables("MPI-IO"):
        counts = table.count("MPIIO_ACCESS1_COUNT")
        row = int(counts.argmax())
        if counts[row] > 0 and (best is None or int(counts[row]) > best[0]):
            best = int(counts[row]), int(table.count("MPIIO_ACCESS1_ACCESS")[row])
    if best is None:
        return Absent("no access size is recorded") if s.tables("MPI-IO") else no_table(s, "MPI-IO")
    if not isinstance(stripe.value, int) or stripe.value < 1 or best[1] < 0:
        return Absent("the stripe size is not a number")
    where = joined(*(rows.where(t, "MPIIO_ACCESS1_ACCESS") for rows, t in s.tables("MPI-IO")))
    return Value(best[1] % stripe.value, where=joined(where, stripe.where))


@metric(
    "mpiio.bandwidth",
    "MPI-IO bandwidth",
    "B/s",
    formula=f"bytes moved over {MOST_OF_ONE_RANK} the MPI-IO records, or agg_time_by_slowest of "
    "darshan-parser's totals",
    needs="a Darshan log with MPI-IO records",
    unless=no_records_of("MPI-IO"),
)
def bandwidth(s: Selection) -> Outcome:
    return layer_bandwidth(s, "MPI-IO", READ, WRITTEN)
