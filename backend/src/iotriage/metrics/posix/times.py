"""Time in POSIX calls."""

from __future__ import annotations

from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.outcomes import joined, quotient
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.bandwidth import MOST_OF_ONE_RANK, layer_time
from iotriage.metrics.tables.counters import no_table, total
from iotriage.metrics.tables.rank_times import timer


@metric(
    "posix.time",
    "POSIX time of the slowest rank",
    "s",
    formula=f"{MOST_OF_ONE_RANK} the POSIX records, or agg_time_by_slowest of darshan-parser's totals",
    needs="a Darshan log with POSIX records",
)
def posix_time(s: Selection) -> Outcome:
    return layer_time(s, "POSIX")


@metric(
    "posix.call_time",
    "Average time of a POSIX access",
    "s",
    formula="(POSIX_F_READ_TIME + POSIX_F_WRITE_TIME) / (POSIX_READS + POSIX_WRITES), all ranks together",
    needs="a Darshan log with POSIX records",
)
def call_time(s: Selection) -> Outcome:
    return quotient(_moving(s), total(s, "POSIX", "POSIX_READS", "POSIX_WRITES"), zero="no POSIX reads or writes")


def _moving(s: Selection) -> Outcome:
    """Seconds of all ranks in reads and writes."""
    tables = s.tables("POSIX")
    if not tables:
        return no_table(s, "POSIX")
    took = sum(float(timer(t, "READ_TIME").sum() + timer(t, "WRITE_TIME").sum()) for _, t in tables)
    if took <= 0:
        return Absent("the timers show no time in reads and writes")
    where = joined(*(rows.where(t, "POSIX_F_READ_TIME", "POSIX_F_WRITE_TIME") for rows, t in tables))
    return Value(took, where=where)


@metric(
    "posix.rank_rate",
    "Rate of a rank in its POSIX reads and writes",
    "B/s",
    formula="(POSIX_BYTES_READ + POSIX_BYTES_WRITTEN) / (POSIX_F_READ_TIME + POSIX_F_WRITE_TIME), summed over ranks",
    needs="a Darshan log with POSIX records",
)
def rank_rate(s: Selection) -> Outcome:
    moved, took = total(s, "POSIX", "POSIX_BYTES_READ", "POSIX_BYTES_WRITTEN"), _moving(s)
    return quotient(moved, took, zero="the timers show no time in reads and writes")
