"""POSIX calls by kind."""

from __future__ import annotations

from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.outcomes import joined
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.counters import counted, is_partial, no_table, total


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
_declare_count("posix.mmaps", "Files mapped into memory", "POSIX_MMAPS")


@metric(
    "posix.opens_by_a_rank",
    "Opens of a file by each rank that uses it",
    "calls",
    formula="POSIX_OPENS / records, of which one that is reduced stands for all ranks",
    needs="a Darshan log whose POSIX module is whole",
)
def opens_by_a_rank(s: Selection) -> Outcome:
    tables = s.tables("POSIX")
    if not tables:
        return no_table(s, "POSIX")
    if any(is_partial(rows, "POSIX") or rows.nprocs is None for rows, _ in tables):
        return Absent("which ranks opened which files is not known of all")
    users = sum(int((t.ranks >= 0).sum()) + int((t.ranks < 0).sum()) * (rows.nprocs or 1) for rows, t in tables)
    if not users:
        return Absent("no rank used a file")
    opens = sum(counted(t, "POSIX_OPENS") for _, t in tables)
    return Value(opens / users, "inferred", joined(*(rows.where(t, "POSIX_OPENS") for rows, t in tables)))
