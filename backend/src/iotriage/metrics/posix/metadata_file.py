"""The one file that many ranks open to read it, where that takes the metadata time."""

from __future__ import annotations

import numpy as np

from iotriage.metrics.core.metric import NO_TIME, Absent, Outcome
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.counters import no_table
from iotriage.metrics.tables.files.imported import posix_of_data
from iotriage.metrics.tables.files.names import file_named
from iotriage.metrics.tables.rank_times import timer, total_time

MOST_OF_IT = 0.5
"""Share of the metadata seconds from which the file is what takes them."""

MANY = 4
"""Ranks that open the file, from which one of them could read it for all."""


@metric(
    "posix.metadata_read_file",
    "File that many ranks open to read it, with most of the metadata time",
    "word",
    formula=f"the file with at least {MOST_OF_IT:.0%} of POSIX_F_META_TIME, but of modules and libraries, where "
    f"{MANY} ranks or more have it and none writes to it",
    needs="a Darshan log with POSIX records and file names",
    scopes=["job"],
)
def metadata_read_file(s: Selection) -> Outcome:
    tables = posix_of_data(s)
    if not tables:
        return no_table(s, "POSIX")
    every = sum(total_time(t, "META_TIME") for _, t in tables)
    if every < NO_TIME:
        return Absent("the POSIX timers show no metadata time")
    for rows, table in tables:
        known, took = table.by_id, timer(table, "META_TIME")
        of_file = np.bincount(known.index, took, minlength=len(known.ids))
        at = int(of_file.argmax())
        mine = known.index == at
        ranks = (rows.nprocs or 1) if (table.ranks[mine] < 0).any() else int(mine.sum())
        written = table.count("POSIX_BYTES_WRITTEN")[mine].max() > 0
        if of_file[at] >= MOST_OF_IT * every and ranks >= MANY and not written:
            return file_named(rows, int(known.ids[at]))
    return Absent("no single file that is only read takes most of it")
