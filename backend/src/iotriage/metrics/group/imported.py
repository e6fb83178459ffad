"""Whether a group of files is what programs read as they start."""

from __future__ import annotations

from iotriage.metrics.core.metric import Outcome, Value
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.files.imported import MOSTLY, imported_share


@metric(
    "group.imported",
    "Whether the files are modules and shared libraries",
    "word",
    formula="yes where half of the files or more are those of file.imported, unknown where no source names them",
    needs="a Darshan log with file names",
    scopes=["group"],
)
def imported(s: Selection) -> Outcome:
    found = imported_share(s)
    return Value("unknown" if found is None else "yes" if found >= MOSTLY else "no")
