"""Whether one read of each file waited, and none of the others: as the first of a file that is fetched from tape."""

from __future__ import annotations

import numpy as np

from iotriage.metrics.core.about import About
from iotriage.metrics.core.families import MetricsOf
from iotriage.metrics.core.metric import NO_TIME, Absent, Value
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.selection import Selection, unique
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.tables.rank_times import known_seconds
from iotriage_parsers.frozen import frozen

SEVERAL = 8
"""Reads of a file from which the longest is one of many."""
LONG_S, STANDS = 1.0, 2**17
"""Seconds of a read that is not chance, and the bytes a second below which a file system is not slow but waits."""
NEEDS = "a Darshan log with POSIX records of single ranks"


@frozen
class StoodStill:
    """The files in each of which one read waited, the first of them by name, the seconds of these reads, and those of
    all reads."""

    files: int
    one: str | None
    reads: int
    waited_s: float
    all_s: float


@cached_per_selection
def stood_still(s: Selection) -> StoodStill | Absent:
    files = reads = 0
    waited_s = all_s = 0.0
    names: set[str] = set()
    for rows, table in s.tables("POSIX"):
        longest, took = (known_seconds(table.seconds(f"POSIX_F_{name}READ_TIME")) for name in ("MAX_", ""))
        moved, calls = (np.maximum(table.count(f"POSIX_{name}"), 0) for name in ("MAX_READ_TIME_SIZE", "READS"))
        # Of a file that all ranks share each of them may have waited, and the longest is one of these.
        waited = (table.ranks >= 0) & (calls >= SEVERAL) & (longest >= LONG_S) & (moved < STANDS * longest)
        records = unique(table.ids[waited])
        names |= {name for id in records.tolist() if (name := rows.name_of(id)) is not None}
        files += len(records)
        reads += int(waited.sum())
        waited_s += float(longest[waited].sum())
        all_s += float(took.sum())
    if all_s < NO_TIME:
        return Absent("no log shows the time of reads", (DARSHAN,))
    return StoodStill(files, min(names, default=None), reads, waited_s, all_s)


_metrics_of_stood_still = MetricsOf(stood_still, needs=NEEDS, scopes=["job"])
_metrics_of_stood_still.value(
    "posix.stood_still_fraction",
    "Share of the read time in one read of each file",
    "share",
    lambda found: Value(min(1.0, found.waited_s / found.all_s), "inferred"),
    about=About(time=True),
    formula=f"POSIX_F_MAX_READ_TIME of the records of single ranks with {SEVERAL} reads or more, whose longest took "
    f"{LONG_S:.0f} s or more and moved less than {STANDS // 1024} KiB in a second / POSIX_F_READ_TIME",
)
_metrics_of_stood_still.value(
    "posix.stood_still_files",
    "Files of which one read waited",
    "files",
    lambda found: Value(found.files, "inferred"),
    formula="files of the records of posix.stood_still_fraction",
)
_metrics_of_stood_still.value(
    "posix.stood_still_file",
    "One of the files of which one read waited",
    "word",
    lambda found: Absent("no log names such a file") if found.one is None else Value(found.one, "inferred"),
    formula="the first by name of posix.stood_still_files",
)
_metrics_of_stood_still.value(
    "posix.stood_still_time",
    "Time of the mean read that waited",
    "s",
    lambda found: (
        Value(found.waited_s / found.reads, "inferred") if found.reads else Absent("no read of a file waited")
    ),
    formula="mean of POSIX_F_MAX_READ_TIME over the records of posix.stood_still_fraction",
)
