"""How often the program makes the system write its data out: fsync, MPI_File_sync, fflush."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from iotriage.metrics.core.about import About
from iotriage.metrics.core.metric import Absent, Outcome
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.outcomes import quotient
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.sync.streams import stream_syncs
from iotriage.metrics.tables.bandwidth import leading_module
from iotriage.metrics.tables.calls.sync_counters import SYNCS, WRITES, WRITTEN
from iotriage.metrics.tables.counters import total

LAYER = "at the layer that carries most bytes"

NEEDS = "a Darshan log"


def _of_leading(s: Selection, counters: Mapping[str, tuple[str, ...]]) -> Outcome:
    leading = leading_module(s)
    if leading is None:
        return Absent("no Darshan log shows any bytes", (DARSHAN,))
    if leading not in counters:
        return Absent(f"Darshan does not count the syncs of {leading}")
    return total(s, leading, *counters[leading])


@metric(
    "sync.calls",
    "Syncs and flushes",
    "calls",
    formula=f"MPIIO_SYNCS, POSIX_FSYNCS + POSIX_FDSYNCS or STDIO_FLUSHES, {LAYER}, summed over ranks; of streams "
    "sync.timed_calls where these are more",
    needs=NEEDS,
)
def sync_calls(s: Selection) -> Outcome:
    # Before a stream's descriptor is synced the stream is flushed too.
    counted, by_descriptor = _of_leading(s, SYNCS), stream_syncs(s)
    if leading_module(s) != "STDIO" or isinstance(counted, Absent) or isinstance(by_descriptor, Absent):
        return counted
    more = not isinstance(counted.value, str) and by_descriptor.calls > counted.value
    return replace(counted, value=by_descriptor.calls, where=by_descriptor.where) if more else counted


@metric(
    "sync.per_write",
    "Syncs per write",
    "ratio",
    about=About(time=False, direction="write"),
    formula=f"sync.calls / the writes {LAYER}",
    needs=NEEDS,
)
def per_write(s: Selection) -> Outcome:
    return quotient(outcome(s, "sync.calls"), _of_leading(s, WRITES), zero="nothing was written")


@metric(
    "sync.bytes_each",
    "Bytes written per sync",
    "B",
    formula=f"bytes written {LAYER} / sync.calls",
    needs=NEEDS,
)
def bytes_each(s: Selection) -> Outcome:
    return quotient(_of_leading(s, WRITTEN), outcome(s, "sync.calls"), zero="no sync or flush was called")
