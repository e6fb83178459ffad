"""POSIX calls by kind."""

from __future__ import annotations

from iotriage.metrics.core.metric import Outcome
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.counters import total


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
