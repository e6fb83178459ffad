"""What the largest file is called."""

from __future__ import annotations

from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.files.largest import largest_file


@metric(
    "file.largest",
    "Largest file that was read or written",
    "word",
    formula="the name of the record with the largest POSIX_MAX_BYTE_* or STDIO_MAX_BYTE_*, where bytes were moved",
    needs="a Darshan log with records by file",
    scopes=["job"],
)
def largest(s: Selection) -> Outcome:
    best = largest_file(s)
    if best is None:
        return Absent("no Darshan log shows a file that was read or written", (DARSHAN,))
    name = best[0].name_of(best[2])
    return Absent("the log has no name for it") if name is None else Value(name)
