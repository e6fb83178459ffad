"""How many files there are."""

from __future__ import annotations

from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.outcomes import quotient
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.printed_totals import totals_of


@metric("file.count", "Files", "files", formula="files of the scope, standard streams left out", needs="any source")
def file_count(s: Selection) -> Outcome:
    if s.files:
        return Value(s.files)
    if s.files is None or not s.logs:
        return _counted_by_totals(s) or Absent("the files were not counted", (DARSHAN,))
    return Value(0)


@metric(
    "file.per_ost",
    "Files for each OST of the file system",
    "ratio",
    formula="file.count / file.stripes_possible",
    needs="a Darshan log with LUSTRE records, or another source that states the OSTs of the file system",
)
def files_per_ost(s: Selection) -> Outcome:
    return quotient(outcome(s, "file.count"), outcome(s, "file.stripes_possible"), zero="the file system has no OSTs")


def _counted_by_totals(s: Selection) -> Outcome | None:
    """Files of POSIX and of STDIO; MPI-IO's are among POSIX's. Darshan 2.x counts all together."""
    counts = [n for run in totals_of(s) for m in (None, "POSIX", "STDIO") if (n := run.files(m)) is not None]
    return Value(sum(counts), "inferred") if counts else None
