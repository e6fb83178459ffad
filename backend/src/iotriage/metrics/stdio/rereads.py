"""Bytes of streams that were read more than once."""

from __future__ import annotations

from iotriage.metrics.core.about import About
from iotriage.metrics.core.metric import Outcome
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.calls.rereads import read_whole, times_read
from iotriage.metrics.tables.counters import no_records_of


@metric(
    "stdio.times_read",
    "How many times over the streams were read",
    "ratio",
    about=About(time=False, direction="read"),
    formula="STDIO_BYTES_READ of all ranks / (STDIO_MAX_BYTE_READ + 1), or STDIO_BYTES_WRITTEN where that is more, "
    "over the files that the run reads, those that it writes only where they are read more than once",
    needs="a Darshan log with STDIO records by file",
    unless=no_records_of("STDIO"),
)
def stdio_times_read(s: Selection) -> Outcome:
    return times_read(s, "STDIO")


@metric(
    "stdio.read_whole_fraction",
    "Share of the bytes read by ranks that read a whole stream once",
    "share",
    about=About(time=False, direction="read"),
    formula="STDIO_BYTES_READ of the records in which a rank reads within a tenth of what the file holds, and up to "
    "its end / STDIO_BYTES_READ; of a record reduced over all ranks, where the mean rank does and "
    "STDIO_F_VARIANCE_RANK_BYTES shows the others alike",
    needs="a Darshan log with STDIO records by file",
    unless=no_records_of("STDIO"),
)
def read_whole_fraction(s: Selection) -> Outcome:
    return read_whole(s, "STDIO")
